"""Guests of a share link: created, found, renamed, matched to persons and removed."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from sparks.library import keys
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.library.sharing.share_links import NO_LINK
from sparks.model.errors import ConditionFailed, NotFound
from sparks.model.secret import Secret, new_secret
from sparks.model.share import Guest, ShareLink
from sparks.table.port import Absent, Add, Delete, Equals, Present, Put, Table

GUEST_FOR: Final = timedelta(days=180)
BACKSTOP: Final = timedelta(days=30)

_GUESTS: Final = "guests"


def create_guest(link: ShareLink, name: str | None, *, at: datetime, table: Table) -> tuple[Guest, Secret]:
    """A new guest and their secret. NotFound where the link is revoked."""
    secret = new_secret()
    guest = Guest(
        link_id=link.link_id,
        guest_id=secret.id,
        secret_hash=secret.hash,
        created_at=at,
        name=name,
        expires_at=at + GUEST_FOR,
        ttl=at + GUEST_FOR + BACKSTOP,
    )
    try:
        table.write(Add(key_of(link), {_GUESTS: 1}, when=(Present(),)), Put(to_item(guest), when=(Absent(),)))
    except ConditionFailed as failed:
        raise NotFound(NO_LINK) from failed
    return guest, secret


def find_guest(link_id: str, guest_id: str, *, table: Table) -> Guest | None:
    item = table.get(keys.guest(link_id, guest_id))
    return None if item is None else from_item(Guest, item)


def rename_guest(guest: Guest, name: str, *, table: Table) -> Guest:
    """The guest's later uploads and comments have this name."""
    return _changed(guest, replace(guest, name=name), table)


def set_guest_persons(guest: Guest, persons: Iterable[str], *, table: Table) -> Guest:
    """Sets the persons whose photos the guest sees, where the link allows to find, to those of the last selfie."""
    return _changed(guest, replace(guest, persons=tuple(sorted(persons))), table)


def remove_guest(guest: Guest, *, table: Table) -> None:
    """Ends the guest's session at once. Their uploads stay."""
    table.write(Delete(key_of(guest), (Equals("hash", guest.secret_hash),)))


def _changed(guest: Guest, after: Guest, table: Table) -> Guest:
    try:
        table.write(changes(guest, after))
    except ConditionFailed as failed:
        raise NotFound(NO_LINK) from failed
    return after
