"""Guest sessions: valid while their link is there and open."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from sparks.auth.link_sessions import CLOSED, authenticate_guest, caller_of_guest, guest_token
from sparks.library.records import key_of
from sparks.model.caller import GuestCaller
from sparks.model.errors import NotSignedIn
from sparks.model.ids import random_id
from sparks.model.secret import Secret, new_secret
from sparks.model.share import Guest, LinkPermission, ShareLink
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete
from tests.account_makers import keep
from tests.factories import ANN, NOON

HOUR = timedelta(hours=1)
MOMENT = timedelta(milliseconds=1)


def a_link(**changes: Any) -> ShareLink:
    link = ShareLink(
        link_id=random_id(),
        album_id="album1",
        secret_hash=new_secret().hash,
        allow=frozenset({LinkPermission.VIEW}),
        created_by=ANN,
        created_at=NOON,
    )
    return replace(link, **changes)


def arrived(table: MemoryTable, link: ShareLink, **changes: Any) -> tuple[Guest, Secret]:
    secret = new_secret()
    guest = Guest(link_id=link.link_id, guest_id=secret.id, secret_hash=secret.hash, created_at=NOON, **changes)
    keep(table, link, guest)
    return guest, secret


def is_closed(token: str, table: MemoryTable, *, at: datetime = NOON) -> bool:
    try:
        authenticate_guest(token, at=at, table=table)
    except NotSignedIn as error:
        return str(error) == CLOSED
    return False


def test_a_token_identifies_the_guest_and_the_link(table: MemoryTable) -> None:
    link = a_link()
    guest, secret = arrived(table, link)
    token = guest_token(link.link_id, secret)
    assert token.startswith(f"gt_{link.link_id}_{guest.guest_id}.")
    assert authenticate_guest(token, at=NOON, table=table) == GuestCaller(link, guest)
    assert caller_of_guest(link.link_id, guest.guest_id, at=NOON, table=table) == GuestCaller(link, guest)


def test_all_invalid_guest_tokens_get_the_same_message(table: MemoryTable) -> None:
    link, other = a_link(), a_link()
    (_, secret), (_, another) = arrived(table, link), arrived(table, other)
    wrong = [
        guest_token(other.link_id, secret),
        guest_token(link.link_id, another),
        guest_token(link.link_id, replace(secret, random=another.random)),
        guest_token("", secret),
        guest_token("x" * 2000, secret),
        guest_token(f"{link.link_id}#", secret),
        guest_token(f"{link.link_id}\n", secret),
        guest_token(link.link_id, secret)[:-1],
        guest_token(link.link_id, secret) + "x",
        f"gt_{secret.text}",
        "gt_",
        "gt__",
        "gt_\ud800_x",
        "gt_" + "_" * 10_000,
    ]
    assert [is_closed(token, table) for token in wrong] == [True] * len(wrong)
    assert not is_closed(guest_token(link.link_id, secret), table)


@pytest.mark.parametrize(
    ("of_link", "of_guest"),
    [({"expires_at": NOON + HOUR}, {}), ({}, {"expires_at": NOON + HOUR})],
    ids=["link", "guest"],
)
def test_a_guest_session_ends_when_the_link_or_the_guest_expires(
    table: MemoryTable, of_link: dict[str, Any], of_guest: dict[str, Any]
) -> None:
    link = a_link(**of_link)
    guest, secret = arrived(table, link, **of_guest)
    token = guest_token(link.link_id, secret)
    assert not is_closed(token, table, at=NOON + HOUR - MOMENT)
    assert is_closed(token, table, at=NOON + HOUR)
    with pytest.raises(NotSignedIn):
        caller_of_guest(link.link_id, guest.guest_id, at=NOON + HOUR, table=table)


@pytest.mark.parametrize("which", [0, 1], ids=["link", "guest"])
def test_a_guest_session_ends_at_once_when_the_link_or_the_guest_is_deleted(table: MemoryTable, which: int) -> None:
    link = a_link()
    guest, secret = arrived(table, link)
    table.write(Delete(key_of((link, guest)[which])))
    assert is_closed(guest_token(link.link_id, secret), table)
    with pytest.raises(NotSignedIn):
        caller_of_guest(link.link_id, guest.guest_id, at=NOON, table=table)


def test_the_repr_of_a_guest_holds_no_hash(table: MemoryTable) -> None:
    link = a_link(password_hash="of the password")
    guest, _ = arrived(table, link)
    printed = repr(GuestCaller(link, guest))
    assert not any(kept in printed for kept in (link.secret_hash, guest.secret_hash, "of the password"))
