"""A share link, what it allows, and the guests who came through it."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.stored import Stored
from sparks.model.times import has_passed

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
    """The most that may come through a link, in all and from each guest; None is no cap. `types`: none is all; each is
    `image`, `video`, or one type such as `image/jpeg`.
    """

    photos: int | None = None
    bytes: int | None = None
    guest_photos: int | None = None
    guest_bytes: int | None = None
    types: tuple[str, ...] = ()

    def takes(self, mime_type: str) -> bool:
        return not self.types or mime_type in self.types or mime_type.partition("/")[0] in self.types


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLink(Stored):
    """A door to an album. With `persons`, to those of its photos that show all of them.

    Guests see photos from `reveal_at` on. `photo_count` and `byte_count` are what came in and is still there,
    `photos_left` and `bytes_left` what more may come, where that has an end. `guest_count`: so many have opened it.
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
    guest_count: int = 0
    photo_count: int = 0
    byte_count: int = 0
    photos_left: int | None = None
    bytes_left: int | None = None
    ttl: datetime | None = None

    def is_revealed(self, at: datetime) -> bool:
        return self.reveal_at is None or has_passed(self.reveal_at, at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest(Stored):
    """Somebody who opened a link; `photo_count` and `byte_count` are what they uploaded and is still there. `persons`
    are those whom their selfie has shown for certain.
    """

    link_id: str
    guest_id: str
    secret_hash: str = field(repr=False)
    created_at: datetime
    name: str | None = None
    photo_count: int = 0
    byte_count: int = 0
    persons: tuple[str, ...] = ()
    expires_at: datetime | None = None
    ttl: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestPhoto(Stored):
    """What this guest uploaded, through this link. The photo belongs to the album's owner."""

    image_id: str
    owner: str
    guest_id: str
    link_id: str


class Reach(StrEnum):
    """How much of an album a guest sees, beside what they brought themselves."""

    NOTHING = "nothing"
    PERSONS = "persons"  # photos of certain persons
    ALL = "all"


def reach_of(link: ShareLink, guest: Guest, at: datetime) -> Reach:
    """With a link that allows to find, and not to view, a guest sees the photos that show them."""
    views = LinkPermission.VIEW in link.allow
    finds = LinkPermission.FIND in link.allow and bool(guest.persons)
    if not link.is_revealed(at) or not (views or finds):
        return Reach.NOTHING
    return Reach.ALL if views and not link.persons else Reach.PERSONS


def reaches(link: ShareLink, guest: Guest, persons: Collection[str], at: datetime) -> bool:
    """Whether a guest sees a photo of the album that shows these persons."""
    reach = reach_of(link, guest, at)
    if reach is not Reach.PERSONS:
        return reach is Reach.ALL
    found = LinkPermission.VIEW in link.allow or not set(guest.persons).isdisjoint(persons)
    return found and set(link.persons) <= set(persons)
