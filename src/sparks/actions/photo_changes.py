"""Actions that change photos: edit, retry, trash, restore and delete.

Each is one write to the photo's own row, durable before the request is answered. Lists, counters and files follow in a
job. Only a photo that others may no longer see leaves their months before the answer.
"""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks.actions.mark_favorite import mark_favorite
from sparks.actions.outbox import Outbox
from sparks.actions.parallel import parallel_map
from sparks.blobs.port import Blobs
from sparks.library.authorized_reads import photo_for
from sparks.library.live_events import announce_while_there
from sparks.library.people.face_rows import retry_indexing
from sparks.library.photo_deletion import begin_deletion
from sparks.library.photos.edit_and_trash import bulk_edit_photo, edit_photo, restore_photo, trash_photo
from sparks.library.photos.photo_edit import BulkPhotoEdit, PhotoEdit
from sparks.library.photos.photo_lists import trashed_photos
from sparks.library.photos.processing_state import retry_processing
from sparks.library.timeline_blobs import settle_months
from sparks.model.access import Action
from sparks.model.audience import audience_of
from sparks.model.caller import Caller, Member
from sparks.model.errors import Busy, Conflict, Migrating, SparksError
from sparks.model.events import FacesWanted, PhotoChanged, PhotoDeletionBegun, Uploaded
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, PhotoState
from sparks.model.scope import Scope, scope_of_owner
from sparks.table.port import Table

TRIES: Final = 20

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChangedPhoto:
    """A photo before and after a change. `was_favorite` is None where the caller's mark was not changed."""

    before: Photo
    after: Photo
    was_favorite: bool | None = None


class PhotoChanges:
    """Each raises NotFound for a photo that the caller does not see, and NotAllowed for one of another owner."""

    def __init__(
        self, *, table: Table, blobs: Blobs, keyring: Keyring, outbox: Outbox, clock: Callable[[], datetime]
    ) -> None:
        self._table = table
        self._blobs = blobs
        self._keyring = keyring
        self._outbox = outbox
        self._now = clock

    def edit(self, caller: Caller, image_id: str, edit: PhotoEdit, *, version: int) -> Photo:
        """The edited photo. VersionMismatch unless it still has the version that the caller edited."""
        photo = self._photo(caller, Action.EDIT_PHOTO, image_id)
        return self._write(photo, lambda: edit_photo(photo, edit, version=version, at=self._now(), table=self._table))

    def bulk_edit(
        self, caller: Caller, image_id: str, edit: BulkPhotoEdit, *, favorite: bool | None = None
    ) -> ChangedPhoto:
        """Changes tags and visibility, which only the owner may, and then the caller's favorite mark. BadInput where
        the photo would have too many tags.
        """
        if edit.is_empty:
            photo, was_favorite = self._mark(caller, image_id, favorite)
            return ChangedPhoto(photo, photo, was_favorite)
        before, after = self._bulk_edit(self._photo(caller, Action.EDIT_PHOTO, image_id), edit)
        was_favorite = None if favorite is None else self._mark(caller, image_id, favorite)[1]
        return ChangedPhoto(before, after, was_favorite)

    def retry(self, caller: Caller, image_id: str) -> Photo:
        """The photo, which is processed again. Conflict unless its processing failed or is still pending."""
        photo = self._photo(caller, Action.EDIT_PHOTO, image_id)
        pending = retry_processing(photo, at=self._now(), table=self._table)
        self._outbox.send(Uploaded(photo.image_id, photo.owner))
        return pending

    def retry_faces(self, caller: Caller, image_id: str) -> Photo:
        """The photo, which is searched for faces again. Conflict where that was done with success."""
        photo = self._photo(caller, Action.EDIT_PHOTO, image_id)
        waiting = retry_indexing(photo, table=self._table)
        self._outbox.send(FacesWanted(photo.image_id, photo.owner))
        return waiting

    def trash(self, caller: Caller, image_id: str) -> Photo:
        """The trashed photo. Conflict while it is being uploaded."""
        photo = self._photo(caller, Action.TRASH_PHOTO, image_id)
        return self._write(photo, lambda: trash_photo(photo, at=self._now(), table=self._table))

    def restore(self, caller: Caller, image_id: str) -> Photo:
        """The restored photo. One that was trashed before it was processed is processed now."""
        photo = self._photo(caller, Action.TRASH_PHOTO, image_id)
        restored = self._write(photo, lambda: restore_photo(photo, at=self._now(), table=self._table))
        if restored.state is PhotoState.PENDING:
            self._outbox.send(Uploaded(photo.image_id, photo.owner))
        return restored

    def delete(self, caller: Caller, image_id: str) -> Photo:
        """The deleted photo as it was. Where its upload is completed or it is restored at the same moment, the new
        state is read and the photo is deleted all the same.
        """
        for _ in range(TRIES):
            photo = self._photo(caller, Action.DELETE_PHOTO, image_id)
            if self.delete_unless_changed(photo):
                return photo
        raise Busy("this photo is being changed by many requests at once: try again later")

    def delete_unless_changed(self, photo: Photo) -> bool:
        """Whether it is deleted now: False for a reservation or a trashed photo that has changed meanwhile. It checks
        no caller. The outbox need not recheck it: an interrupted deletion is found by the photo's state.
        """
        try:
            begin_deletion(photo, table=self._table)
        except Migrating:
            raise
        except Conflict:
            return False
        self._hide(photo, _seen_by_others(photo))
        self._outbox.send(PhotoDeletionBegun(photo.image_id, photo.owner))
        return True

    def empty_trash(self, caller: Member) -> int:
        """The number of deleted photos. A photo that is restored meanwhile stays."""
        return sum(parallel_map(self.delete_unless_changed, trashed_photos(caller.email, table=self._table)))

    def _photo(self, caller: Caller, action: Action, image_id: str) -> Photo:
        return photo_for(caller, action, image_id, at=self._now(), table=self._table)

    def _bulk_edit(self, photo: Photo, edit: BulkPhotoEdit) -> tuple[Photo, Photo]:
        """The photo right before the write, and after it."""
        before = photo

        def write() -> Photo:
            nonlocal before
            before, after = bulk_edit_photo(photo, edit, at=self._now(), table=self._table)
            return after

        after = self._write(photo, write)
        return before, after

    def _mark(self, caller: Caller, image_id: str, favorite: bool | None) -> tuple[Photo, bool | None]:
        """The photo, and what its mark was before; None where that did not change."""
        marked = bool(favorite)
        photo, is_changed = mark_favorite(caller, image_id, favorite=marked, at=self._now(), table=self._table)
        return photo, not marked if is_changed else None

    def _write(self, photo: Photo, write: Callable[[], Photo]) -> Photo:
        """The photo after the write; its lists follow."""

        def write_and_hide() -> Photo:
            after = write()
            self._hide(photo, _seen_by_others(photo) - _seen_by_others(after))
            return after

        return self._outbox.send_around(PhotoChanged(photo.image_id, photo.owner), write_and_hide)

    def _hide(self, photo: Photo, scopes: Collection[Scope]) -> None:
        """Removes the photo from the months of these scopes and notifies their open pages.

        That cannot wait for the job: once the photo has left those months, no row says that others saw it. Where it
        fails, the change stands and the job tries again.
        """
        if not scopes:
            return
        try:
            settle_months(photo.image_id, photo.owner, table=self._table, blobs=self._blobs, keyring=self._keyring)
            announce_while_there(scopes, photo, at=self._now(), table=self._table, keyring=self._keyring)
        except SparksError as error:
            log.warning("a hidden photo leaves its months later: %s", error)


def _seen_by_others(photo: Photo) -> frozenset[Scope]:
    return audience_of(photo) - {scope_of_owner(photo.owner)}
