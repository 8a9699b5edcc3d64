"""Album with its members, photos, persons, likes and comments."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.model.audience import is_for_community
from sparks.model.photo import Photo
from sparks.model.share import who_is_guest
from sparks.model.stored import Stored

MAX_ALBUMS: Final = 100  # of one photo
MAX_SORTED: Final = 5000  # photos of an album that is not ordered by time
MAX_MEMBERS: Final = 500


class AlbumRole(StrEnum):
    OWNER = "owner"
    EDITOR = "editor"
    CONTRIBUTOR = "contributor"  # adds and removes their own photos
    VIEWER = "viewer"


class AlbumOrder(StrEnum):
    TAKEN = "taken"  # a timeline of its own
    ADDED = "added"  # the last added first
    HAND = "hand"  # by `position`


EDITORS: Final = frozenset({AlbumRole.OWNER, AlbumRole.EDITOR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Album(Stored):
    """`photo_count` changes with the photos that it counts. `cover_image_id` is one of them: the one that a member
    chose (`cover_chosen`), or else any. From `deleting_at` on the album has no members and is being deleted.
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
    source_id: str | None = None  # in the service from which it was migrated
    created_at: datetime | None = None
    updated_at: datetime | None = None
    deleting_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumMember(Stored):
    """The owner is a member, too."""

    album_id: str
    email: str
    role: AlbumRole
    added_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumPhoto(Stored):
    """A photo in an album, or in its moderation queue until `approved`. `counted` says whether the counter includes it.

    [Note: photos of others] A photo that another member added stays in the album while the community sees it. Once it
    is private, only the albums to which its owner added it show it. The row stays, in case the photo becomes public
    again.
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
        """Whether the photo's owner added it, or the guest who uploaded it."""
        guest = None if photo.guest_id is None else who_is_guest(photo.guest_id)
        return self.added_by in (photo.owner, guest)

    def shows(self, photo: Photo) -> bool:
        """Whether the album's members may see the photo there."""
        return self.approved and (is_for_community(photo) or self.is_meant_by_owner(photo))


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
    """`name` is the name of a guest."""

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
