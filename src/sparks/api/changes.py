"""What owners do with a photo: edit it, tag it, try it again, throw it away, take it back, delete it for good.

Each is one write to the photo's own row, which is durable before anybody is answered; all that follows from it is a
job. Only what the community, or an album, is not to see any more leaves its months before the answer.

[Note: the net] Where a photo's lists follow, the job is sent before the write too, for a minute later: should Sparks be
killed right after the write, no list keeps showing what was hidden. A photo that waits or is being deleted needs no
such net: it is found by its state.
"""

import logging
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Final

from sparks import logs
from sparks.journey import Journey, Stores
from sparks.library.access import photo_for
from sparks.library.erasure import begin_deletion
from sparks.library.live import announce_while_there, scopes_showing
from sparks.library.months import settle_months
from sparks.library.photos import (
    Adjustment,
    Edit,
    adjust_photo,
    edit_photo,
    restore_photo,
    retry_processing,
    trash_photo,
)
from sparks.model.access import Action
from sparks.model.caller import Who
from sparks.model.errors import Busy, Conflict, SparksError
from sparks.model.events import PhotoChanged, PhotoDeleting, Uploaded
from sparks.model.photo import Photo, PhotoState
from sparks.model.scope import Scope, scope_of_owner

NET: Final = 60  # seconds
TRIES: Final = 20

log = logging.getLogger(__name__)


class Changes:
    """Each raises NotFound for a photo that is not there or not to be seen, and NotAllowed for somebody else's."""

    def __init__(self, *, stores: Stores, journey: Journey, clock: Callable[[], datetime]) -> None:
        self._table = stores.table
        self._blobs = stores.blobs
        self._jobs = stores.jobs
        self._keyring = stores.keyring
        self._journey = journey
        self._now = clock

    def edit(self, who: Who, image_id: str, edit: Edit, *, version: int) -> Photo:
        """The photo as it is now. VersionMismatch where it is of another version than the editor saw."""
        photo = self._photo(who, Action.EDIT_PHOTO, image_id)
        return self._changed(photo, lambda: edit_photo(photo, edit, version=version, at=self._now(), table=self._table))

    def adjust(self, who: Who, image_id: str, adjustment: Adjustment) -> tuple[Photo, Photo]:
        """The photo as it was right before, and as it is now. BadInput where it would have too many tags."""
        photo = before = self._photo(who, Action.EDIT_PHOTO, image_id)

        def change() -> Photo:
            nonlocal before
            before, after = adjust_photo(photo, adjustment, at=self._now(), table=self._table)
            return after

        after = self._changed(photo, change)
        return before, after

    def retry(self, who: Who, image_id: str) -> Photo:
        """The photo as it is now, on its way again. Conflict unless it has failed, or waits already."""
        photo = self._photo(who, Action.EDIT_PHOTO, image_id)
        waiting = retry_processing(photo, at=self._now(), table=self._table)
        self._send(Uploaded(photo.image_id, photo.owner))
        return waiting

    def trash(self, who: Who, image_id: str) -> Photo:
        """The photo as it is now. Conflict while its bytes are on their way."""
        photo = self._photo(who, Action.TRASH_PHOTO, image_id)
        return self._changed(photo, lambda: trash_photo(photo, at=self._now(), table=self._table))

    def restore(self, who: Who, image_id: str) -> Photo:
        """The photo as it is now: one that was thrown away before it was finished is on its way again."""
        photo = self._photo(who, Action.TRASH_PHOTO, image_id)
        restored = self._changed(photo, lambda: restore_photo(photo, at=self._now(), table=self._table))
        if restored.state is PhotoState.PENDING:
            self._send(Uploaded(photo.image_id, photo.owner))
        return restored

    def delete(self, who: Who, image_id: str) -> Photo:
        """The photo as it was. Whatever becomes of it meanwhile, it goes: one that is completed or restored this very
        moment is looked at again.
        """
        for _ in range(TRIES):
            photo = self._photo(who, Action.DELETE_PHOTO, image_id)
            if self.delete_as_seen(photo):
                return photo
        raise Busy("this photo is being changed by many at once: try again later")

    def delete_as_seen(self, photo: Photo) -> bool:
        """Whether it is deleted now; not so where it was reserved or in the trash, and is so no more."""
        try:
            begin_deletion(photo, table=self._table)
        except Conflict:
            return False
        self._hide(photo, _seen_by_others(photo))
        self._send(PhotoDeleting(photo.image_id, photo.owner))
        return True

    def _photo(self, who: Who, action: Action, image_id: str) -> Photo:
        return photo_for(who, action, image_id, at=self._now(), table=self._table)

    def _changed(self, photo: Photo, change: Callable[[], Photo]) -> Photo:
        """The photo as it is now; its lists follow."""
        event = PhotoChanged(photo.image_id, photo.owner)
        self._send(event, delay=NET)
        changed = change()
        self._hide(photo, _seen_by_others(photo) - _seen_by_others(changed))
        self._send(event)
        return changed

    def _hide(self, photo: Photo, scopes: Collection[Scope]) -> None:
        """Nobody finds it in a month of the community, or an album, any more, and open pages hear that it is gone: once
        it has left those months, nothing tells the job that others saw it. Where that fails, the change is made all the
        same, and the job tries again. Nothing happens where it is gone from nowhere.
        """
        if not scopes:
            return
        try:
            settle_months(photo.image_id, photo.owner, table=self._table, blobs=self._blobs, keyring=self._keyring)
            announce_while_there(scopes, photo, at=self._now(), table=self._table, keyring=self._keyring)
        except SparksError as error:
            log.warning("a photo that was hidden leaves its months later: %s", error)

    def _send(self, event: PhotoChanged | PhotoDeleting | Uploaded, *, delay: float = 0) -> None:
        self._journey.send_after(event, jobs=self._jobs, request_id=logs.REQUEST_ID.get(), delay=delay)


def _seen_by_others(photo: Photo) -> set[Scope]:
    return scopes_showing(photo) - {scope_of_owner(photo.owner)}
