"""Actions of a host on guests' uploads that await approval: approve and reject.

All members and guests see an approved upload. A rejected one goes to the host's trash, since guests' uploads belong to
the host, who can restore it until it is deleted.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from typing import Final

from sparks.actions.album_photo_changes import AlbumPhotoChanges
from sparks.actions.parallel import results_of
from sparks.actions.photo_changes import PhotoChanges
from sparks.library.albums.album_photos import approve_photo, remove_photo
from sparks.library.authorized_reads import album_for
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.errors import BadInput, Conflict, NotFound, SparksError
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Table

NOTHING: Final = "name the photos to approve or reject"
BOTH: Final = "a photo is approved or rejected, not both"
NOT_WAITING: Final = "this photo does not wait for approval: it was approved or rejected already, or it is deleted"
NOT_UPLOADED: Final = "this photo is still being uploaded: wait for it, or revoke the link"


class ModerationStatus(StrEnum):
    APPROVED = "approved"
    REJECTED = "rejected"


class Moderation:
    def __init__(
        self,
        *,
        photos: PhotoChanges,
        album_photos: AlbumPhotoChanges,
        table: Table,
        clock: Callable[[], datetime],
    ) -> None:
        self._photos = photos
        self._album_photos = album_photos
        self._table = table
        self._now = clock

    def decide(
        self, caller: Member, album_id: str, *, approve: Sequence[str], reject: Sequence[str]
    ) -> list[tuple[str, ModerationStatus | SparksError]]:
        """A result for each photo. BadInput where no photo is named, or one to be both approved and rejected."""
        if not approve and not reject:
            raise BadInput(NOTHING)
        if set(approve) & set(reject):
            raise BadInput(BOTH)
        album = album_for(caller, Action.MODERATE_ALBUM, album_id, at=self._now(), table=self._table).album
        approved = results_of(approve, lambda image_id: self._approve(album.album_id, image_id))
        rejected = results_of(reject, lambda image_id: self._reject(caller, album.album_id, image_id))
        return [*approved, *rejected]

    def _approve(self, album_id: str, image_id: str) -> ModerationStatus:
        """Nothing changes where it is approved already."""
        photo = self._photo(album_id, image_id, waiting=False)
        self._album_photos.write(photo, album_id, lambda: approve_photo(photo, album_id, table=self._table))
        return ModerationStatus.APPROVED

    def _reject(self, caller: Member, album_id: str, image_id: str) -> ModerationStatus:
        """Trashes a guest's upload, and removes it from the queue. Any other photo stays with its owner."""
        photo = self._photo(album_id, image_id, waiting=True)
        if photo.state is PhotoState.RESERVED:
            raise Conflict(NOT_UPLOADED)
        if photo.guest_id is not None and photo.owner == caller.email:
            self._photos.trash(caller, image_id)

        def write() -> bool:
            with suppress(NotFound):  # removed meanwhile
                remove_photo(photo, album_id, table=self._table)
            return True

        self._album_photos.write(photo, album_id, write)
        return ModerationStatus.REJECTED

    def _photo(self, album_id: str, image_id: str, *, waiting: bool) -> Photo:
        found = self._album_photos.find(album_id, image_id)
        if found is None or (waiting and found[0].approved):
            raise NotFound(NOT_WAITING)
        return found[1]
