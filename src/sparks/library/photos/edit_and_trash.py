"""Edits, retags, trashes and restores a photo for its owner; each raises `version`."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from sparks.library.photos.album_membership import VERSION, albums_holding, with_albums
from sparks.library.photos.photo_edit import BulkPhotoEdit, PhotoEdit
from sparks.library.photos.photo_rows import NO_PHOTO, update_photo
from sparks.model.errors import Conflict, NotFound, VersionMismatch
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.model.text_validation import renamed_tag
from sparks.model.times import has_passed
from sparks.table.port import Table

_STATE: Final = {
    ProcessingStatus.PENDING: PhotoState.PENDING,
    ProcessingStatus.PROCESSING: PhotoState.PENDING,
    ProcessingStatus.COMPLETED: PhotoState.READY,
    ProcessingStatus.FAILED: PhotoState.FAILED,
}


def edit_photo(photo: Photo, edit: PhotoEdit, *, version: int, at: datetime, table: Table) -> Photo:
    """The photo as it is now. VersionMismatch where the editor saw another version, NotFound where it is deleted."""

    def plan(photo: Photo) -> Photo:
        if photo.version != version:
            raise VersionMismatch(
                f"this photo was changed meanwhile and is at version {photo.version} now: reload and edit that version",
                current_version=photo.version,
            )
        return _touched(_seen_anew(photo, edit.applied_to(photo), table), at)

    return update_photo(_there(photo, at), plan, watching=(VERSION,), table=table)


def bulk_edit_photo(photo: Photo, adjustment: BulkPhotoEdit, *, at: datetime, table: Table) -> tuple[Photo, Photo]:
    """The photo right before and after: the same where nothing was to be changed. NotFound where it is deleted,
    BadInput where it would have too many tags.
    """
    before = photo

    def plan(photo: Photo) -> Photo:
        nonlocal before
        before, adjusted = photo, _seen_anew(photo, adjustment.applied_to(photo), table)
        return photo if adjusted == photo else _touched(adjusted, at)

    after = update_photo(_there(photo, at), plan, watching=(VERSION,), table=table)
    return before, after


def retag_photo(photo: Photo, tag: str, name: str, *, at: datetime, table: Table) -> Photo:
    """The photo with another name for the tag of this key; where it has both, with one. It needs no version, since the
    name of a tag does not depend on other changes. NotFound where it is deleted.
    """

    def plan(photo: Photo) -> Photo:
        renamed = renamed_tag(photo.tags, tag, name)
        return photo if renamed == photo.tags else _touched(replace(photo, tags=renamed), at)

    return update_photo(photo, plan, table=table)


def trash_photo(photo: Photo, *, at: datetime, table: Table) -> Photo:
    """Moves the photo from all lists into the trash of its owner; one in the trash stays as it is. Conflict while its
    bytes are being uploaded, NotFound where it is deleted.

    `processingStatus` holds the former state, and the pipeline goes on meanwhile: a restored photo is as far as the
    pipeline has come.
    """

    def plan(photo: Photo) -> Photo:
        if photo.state is PhotoState.TRASHED:
            return photo
        if photo.state is PhotoState.RESERVED:
            raise Conflict("this photo is still being uploaded: cancel the upload instead")
        finished = photo.state is PhotoState.READY  # the status of an imported photo may lag
        status = ProcessingStatus.COMPLETED if finished else photo.processing_status
        trashed = replace(photo, state=PhotoState.TRASHED, trashed_at=at, processing_status=status)
        return _touched(trashed, at)

    return update_photo(_there(photo, at), plan, table=table)


def restore_photo(photo: Photo, *, at: datetime, table: Table) -> Photo:
    """Moves the photo out of the trash, as far as the pipeline has come; one that is not in the trash stays as it is.
    NotFound where it is deleted.

    The caller sends a photo that becomes PENDING to be processed again.
    """

    def plan(photo: Photo) -> Photo:
        if photo.state is not PhotoState.TRASHED:
            return photo
        return _touched(replace(photo, state=_STATE[photo.processing_status], trashed_at=None), at)

    return update_photo(_there(photo, at), plan, table=table)


def _seen_anew(before: Photo, after: Photo, table: Table) -> Photo:
    """The photo with the albums that show it after a change of its visibility: see [Note: photos of others]."""
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
