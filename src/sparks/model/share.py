"""Share link with its permissions and caps, and the guests who opened it."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.stored import Stored
from sparks.model.times import has_passed

_GUEST: Final = "guest:"


def who_is_guest(guest_id: str) -> str:
    """The name of a guest in fields that otherwise hold the e-mail of an account."""
    return _GUEST + guest_id


def guest_of(name: str) -> str | None:
    """The guest's id, or None where the name is an e-mail."""
    return name.removeprefix(_GUEST) if name.startswith(_GUEST) else None


class LinkPermission(StrEnum):
    VIEW = "view"
    DOWNLOAD = "download"
    UPLOAD = "upload"
    FIND = "find"  # themselves, by a selfie


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCaps(Stored):
    """The most photos and bytes that may come through a link, in all and from each guest; None is no cap. `types`: none
    is all; each is `image`, `video`, or one type such as `image/jpeg`.
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
    """A link that opens an album to guests. With `persons`, only those of its photos that show all of them.

    Guests see photos from `reveal_at` on. `photo_count` and `byte_count` count the uploads that are still there,
    `photos_left` and `bytes_left` what the caps still allow. `guest_count` is the number of guests who opened it.
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
    caps: LinkCaps | None = None
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
    """A guest who opened a link; `photo_count` and `byte_count` count their uploads that are still there. `persons` are
    those whom their selfie matched for certain.
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
    """A photo that a guest uploaded through a link. It belongs to the album's owner."""

    image_id: str
    owner: str
    guest_id: str
    link_id: str
