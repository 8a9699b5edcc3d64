"""A share link, what it allows, and the guests who came through it."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.stored import Stored

_GUEST: Final = "guest:"


def who_is_guest(guest_id: str) -> str:
    """How a guest is named wherever an account's e-mail could stand."""
    return _GUEST + guest_id


def guest_of(who: str) -> str | None:
    """The guest's id, or None where `who` is an e-mail."""
    return who.removeprefix(_GUEST) if who.startswith(_GUEST) else None


class LinkPermission(StrEnum):
    VIEW = "view"
    DOWNLOAD = "download"
    UPLOAD = "upload"
    FIND = "find"  # themselves, by a selfie


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps(Stored):
    """The most that may come through a link, in all and from each guest; None is no cap. `types`: none is all."""

    photos: int | None = None
    bytes: int | None = None
    guest_photos: int | None = None
    guest_bytes: int | None = None
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLink(Stored):
    """A door to an album. With `persons`, to those of its photos that show all of them.

    Guests see photos from `reveal_at` on; `photo_count` and `byte_count` are what came in.
    """

    link_id: str
    album_id: str
    secret_hash: str = field(repr=False)
    allow: frozenset[LinkPermission]
    created_by: str
    created_at: datetime
    password_hash: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None
    reveal_at: datetime | None = None
    moderated: bool = False
    show_metadata: bool = False
    ask_name: bool = False
    caps: Caps | None = None
    persons: tuple[str, ...] = ()
    photo_count: int = 0
    byte_count: int = 0
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest(Stored):
    """Somebody who opened a link; `photo_count` and `byte_count` are what they uploaded."""

    link_id: str
    guest_id: str
    secret_hash: str = field(repr=False)
    created_at: datetime
    name: str | None = None
    photo_count: int = 0
    byte_count: int = 0
    expires_at: datetime | None = None
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestPhoto(Stored):
    """What this guest uploaded. The photo belongs to the album's owner."""

    image_id: str
    owner: str
    guest_id: str
