"""An album: its members, its photos and persons, and what people say about them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sparks.model.stored import Stored


class AlbumRole(StrEnum):
    OWNER = "owner"
    EDITOR = "editor"
    CONTRIBUTOR = "contributor"  # adds and removes their own photos
    VIEWER = "viewer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Album(Stored):
    album_id: str
    owner: str
    title: str
    description: str | None = None
    cover_image_id: str | None = None
    photo_count: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumMember(Stored):
    """The owner is a member too."""

    album_id: str
    email: str
    role: AlbumRole
    added_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumPhoto(Stored):
    """A photo in an album, or in its queue until approved. `counted` says whether the counter knows it."""

    image_id: str
    owner: str
    album_id: str
    added_by: str
    added_at: datetime
    position: int | None = None
    approved: bool = True
    counted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumPerson(Stored):
    """A person is in a photo of an album. `counted` as in AlbumPhoto."""

    image_id: str
    owner: str
    album_id: str
    person_id: str
    counted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Like(Stored):
    image_id: str
    owner: str
    album_id: str
    who: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment(Stored):
    image_id: str
    owner: str
    album_id: str
    created_at: datetime
    comment_id: str
    who: str
    text: str
