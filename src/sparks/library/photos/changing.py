"""What people do to a photo: edit it, throw it away, take it back. Each moves its `version`."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library.photos.adjustment import Adjustment
from sparks.library.photos.albums import VERSION, albums_holding, with_albums
from sparks.library.photos.edit import Edit
from sparks.library.photos.words import renamed_tag
from sparks.library.photos.writing import NO_PHOTO, change_photo
from sparks.model.errors import Conflict, NotFound, VersionMismatch
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.model.times import has_passed
from sparks.table.port import Table

_STATE: Final = {
    ProcessingStatus.PENDING: PhotoState.PENDING,
    ProcessingStatus.PROCESSING: PhotoState.PENDING,
    ProcessingStatus.COMPLETED: PhotoState.READY,
    ProcessingStatus.FAILED: PhotoState.FAILED,
}


def edit_photo(photo: Photo, edit: Edit, *, version: int, at: datetime, table: Table) -> Photo:
    """The photo as it is now. VersionMismatch where it is of another version than the editor saw, NotFound where it is
    gone.
    """

    def plan(photo: Photo) -> Photo:
        if photo.version != version:
            raise VersionMismatch(
                f"this photo was changed meanwhile, it is at version {photo.version} now: look again, and edit that",
                current_version=photo.version,
            )
        return _touched(_seen_anew(photo, edit.applied_to(photo), table), at)

    return change_photo(_there(photo, at), plan, watching=(VERSION,), table=table)


def adjust_photo(photo: Photo, adjustment: Adjustment, *, at: datetime, table: Table) -> tuple[Photo, Photo]:
    """The photo as it was right before, and as it is now: the same where there was nothing to change. NotFound where it
    is gone, BadInput where it would have too many tags.
    """
    before = photo

    def plan(photo: Photo) -> Photo:
        nonlocal before
        before, adjusted = photo, _seen_anew(photo, adjustment.applied_to(photo), table)
        return photo if adjusted == photo else _touched(adjusted, at)

    after = change_photo(_there(photo, at), plan, watching=(VERSION,), table=table)
    return before, after


def retag_photo(photo: Photo, tag: str, name: str, *, at: datetime, table: Table) -> Photo:
    """The photo with another name for one of its tags, which is told as lists call it; where it has both, with one.
    Whatever its version: a tag's name means the same whatever else was changed meanwhile. NotFound where it is gone.
    """

    def plan(photo: Photo) -> Photo:
        renamed = renamed_tag(photo.tags, tag, name)
        return photo if renamed == photo.tags else _touched(replace(photo, tags=renamed), at)

    return change_photo(photo, plan, table=table)


def trash_photo(photo: Photo, *, at: datetime, table: Table) -> Photo:
    """Out of every list but the trash of its owner. One that is there already stays as it is. Conflict while its bytes
    are on their way, NotFound where it is gone.

    [Note: what it was] is told by `processingStatus`, which the pipeline moves on meanwhile: whoever restores the photo
    finds it as far as it has come.
    """

    def plan(photo: Photo) -> Photo:
        if photo.state is PhotoState.TRASHED:
            return photo
        if photo.state is PhotoState.RESERVED:
            raise Conflict("the bytes of this photo are still on their way: give up its upload instead")
        finished = photo.state is PhotoState.READY  # one from elsewhere may not say so
        status = ProcessingStatus.COMPLETED if finished else photo.processing_status
        trashed = replace(photo, state=PhotoState.TRASHED, trashed_at=at, processing_status=status)
        return _touched(trashed, at)

    return change_photo(_there(photo, at), plan, table=table)


def restore_photo(photo: Photo, *, at: datetime, table: Table) -> Photo:
    """Out of the trash, and as far as the pipeline has come with it. One that is not there stays as it is. NotFound
    where it is gone.

    Whoever restores a photo that becomes PENDING sends it on its way again.
    """

    def plan(photo: Photo) -> Photo:
        if photo.state is not PhotoState.TRASHED:
            return photo
        return _touched(replace(photo, state=_STATE[photo.processing_status], trashed_at=None), at)

    return change_photo(_there(photo, at), plan, table=table)


def _seen_anew(before: Photo, after: Photo, table: Table) -> Photo:
    """Where others see it than before, in those albums whose members may: see `AlbumPhoto`."""
    if before.visibility is after.visibility:
        return after
    shown = with_albums(after, albums_holding(after.image_id, table=table))
    return after if shown.albums == after.albums else shown


def _touched(photo: Photo, at: datetime) -> Photo:
    return replace(photo, version=photo.version + 1, updated_at=at, last_modified=at)


def _there(photo: Photo, at: datetime) -> Photo:
    if has_passed(photo.expires_at, at=at):
        raise NotFound(NO_PHOTO)
    return photo
