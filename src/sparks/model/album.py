"""An album: its members, its photos and persons, and what people say about them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.photo import Photo, Visibility
from sparks.model.share import who_is_guest
from sparks.model.stored import Stored

MOST_ALBUMS: Final = 100  # that one photo is in
MOST_SORTED: Final = 5000  # photos of an album that is not in the order of a timeline
MOST_MEMBERS: Final = 500


class AlbumRole(StrEnum):
    OWNER = "owner"
    EDITOR = "editor"
    CONTRIBUTOR = "contributor"  # adds and removes their own photos
    VIEWER = "viewer"


class AlbumOrder(StrEnum):
    TAKEN = "taken"  # a timeline of its own
    ADDED = "added"  # the last one first
    HAND = "hand"  # by `position`


EDITORS: Final = frozenset({AlbumRole.OWNER, AlbumRole.EDITOR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Album(Stored):
    """`photo_count` is moved with the photos that it counts. `cover_image_id` is one of them, the one that somebody
    chose (`cover_chosen`) or else any. From `deleting_at` on it is nobody's any more, and all of it goes.
    """

    album_id: str
    owner: str
    title: str
    description: str | None = None
    order: AlbumOrder = AlbumOrder.TAKEN
    finds_faces: bool = True
    cover_image_id: str | None = None
    cover_owner: str | None = None
    cover_chosen: bool = False
    photo_count: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None
    deleting_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumMember(Stored):
    """The owner is a member too."""

    album_id: str
    email: str
    role: AlbumRole
    added_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumPhoto(Stored):
    """A photo in an album, or in its queue until approved. `counted` says whether the counter knows it.

    [Note: somebody else's] A photo that its owner did not put there is there for as long as everyone sees it anyway:
    once it is private, only those whom the owner meant do. The row stays, should that be undone.
    """

    image_id: str
    owner: str
    album_id: str
    added_by: str
    added_at: datetime
    position: int | None = None
    approved: bool = True
    counted: bool = False

    def is_meant_by_owner(self, photo: Photo) -> bool:
        """Whether the photo's owner put it there, or the guest who brought it."""
        guest = None if photo.guest_id is None else who_is_guest(photo.guest_id)
        return self.added_by in (photo.owner, guest)

    def shows(self, photo: Photo) -> bool:
        """Whether the album's members may see it there."""
        return self.approved and (photo.visibility is Visibility.COMMUNITY or self.is_meant_by_owner(photo))


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
    """`name` is what a guest is called."""

    image_id: str
    owner: str
    album_id: str
    who: str
    created_at: datetime
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment(Stored):
    """`name` as in Like."""

    image_id: str
    owner: str
    album_id: str
    created_at: datetime
    comment_id: str
    who: str
    text: str
    name: str | None = None
