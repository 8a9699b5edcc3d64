"""Callers of every kind, the errors that they get, and readable tables of both.

In the tables `yes` is allowed, `-` is not.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

import pytest

from sparks.model.access import Action, Resource, authorize
from sparks.model.account import Role
from sparks.model.caller import Caller, Credential, GuestCaller, Member
from sparks.model.credential import KeyScope
from sparks.model.errors import SparksError
from sparks.model.share import Guest, LinkPermission, ShareLink
from tests.factories import ANN, BOB, NOON, a_user

ALBUM: Final = "album1"
SECOND: Final = timedelta(seconds=1)


def a_member(email: str = BOB, role: Role = Role.MEMBER, *scopes: KeyScope) -> Member:
    """With scopes, by a key that has them."""
    kind: Any = "key" if scopes else "session"
    return Member(a_user(email, role=role), Credential(kind, "id"), frozenset(scopes) or None)


def a_guest(*allow: LinkPermission, album_id: str = ALBUM, **changes: Any) -> GuestCaller:
    """Without permissions, of a link that has them all."""
    link = ShareLink(
        link_id="link1",
        album_id=album_id,
        secret_hash="kept",
        allow=frozenset(allow or LinkPermission),
        created_by=ANN,
        created_at=NOON,
        **changes,
    )
    return GuestCaller(link, Guest(link_id="link1", guest_id="guest1", secret_hash="kept", created_at=NOON))


def answer(caller: Caller, action: Action, resource: Resource = None) -> type[SparksError] | None:
    """The error that the caller gets; None where the action is allowed."""
    try:
        authorize(caller, action, resource, at=NOON)
    except SparksError as error:
        return type(error)
    return None


def rows_of(table: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The first column, and the others by their heading; columns are two spaces apart."""
    heading, *lines = [
        [cell.strip() for cell in line.split("  ") if cell.strip()] for line in table.strip().split("\n")
    ]
    for first, *cells in lines:
        yield first, dict(zip(heading, cells, strict=True))


def cells_of(table: str) -> list[Any]:
    return [
        pytest.param(row, column, cell, id=f"{row}: {column}")
        for row, cells in rows_of(table)
        for column, cell in cells.items()
    ]
