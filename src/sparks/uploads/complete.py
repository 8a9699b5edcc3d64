"""Completion of an upload by signed URLs: check, move, finalize.

A signed URL for a whole file accepts it only while no file is there, so the file does not change while it is completed.
The hashes are computed from the copy among the originals, for which no upload URL exists.
"""

from contextlib import suppress
from datetime import datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.library.photos.photo_rows import get_photo
from sparks.media.digests import digests_of
from sparks.media.file_types import FileType
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import ConditionFailed, Conflict, Damaged, Migrating, NotFound, UnsupportedType
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Table
from sparks.uploads.finalize import ExtraChanges, FinalizedUpload, StoredOriginal, finalize_upload, no_extra_changes
from sparks.uploads.reservations import cancel_upload
from sparks.uploads.upload_request import AcceptType, accept_any
from sparks.uploads.upload_urls import arrived_parts, expected_parts, has_arrived

NOT_ARRIVED: Final = (
    "not all bytes of this upload have arrived: read its state, send the missing parts, then complete it"
)


def complete_upload(
    photo: Photo,
    *,
    accept: AcceptType = accept_any,
    at: datetime,
    table: Table,
    blobs: Blobs,
    also: ExtraChanges = no_extra_changes,
) -> FinalizedUpload:
    """Turns a reservation whose bytes have arrived into a photo; a photo that is complete already stays as it is.

    Conflict while bytes are missing. UnsupportedType where the file is not one to `accept`, Damaged where its hash is
    not the announced one: the reservation is cancelled then. NotFound where it was cancelled or has expired.
    ConditionFailed where one of `also` fails.
    """
    try:
        original = _stored(photo, accept, table=table, blobs=blobs)
        finalized = finalize_upload(photo, original, at=at, table=table, blobs=blobs, also=also)
    except (ConditionFailed, Migrating):
        raise
    except Conflict:
        return _completed_meanwhile(photo, at=at, table=table)
    blobs.delete(blob_keys.upload(photo.image_id))
    return finalized


def _stored(photo: Photo, accept: AcceptType, *, table: Table, blobs: Blobs) -> StoredOriginal:
    try:
        return _in_its_place(photo, accept, blobs=blobs)
    except (UnsupportedType, Damaged):
        cancel_upload(photo, table=table, blobs=blobs)
        raise


def _in_its_place(photo: Photo, accept: AcceptType, *, blobs: Blobs) -> StoredOriginal:
    """Copies the file to the originals; Conflict unless all of it has arrived."""
    _join(photo, blobs)
    if not has_arrived(photo, blobs=blobs):
        raise Conflict(NOT_ARRIVED)
    source = blob_keys.upload(photo.image_id)
    try:
        kind = _kind(source, photo, blobs)
        accept(kind)
        key = blob_keys.original(photo.image_id, kind.extension)
        size = blobs.copy(source, key).size
    except NotFound as error:
        raise Conflict(NOT_ARRIVED) from error
    if not blobs.is_local:  # a job hashes the original later
        return StoredOriginal(key, kind, size)
    digests = digests_of(blobs.open(key))
    if photo.sha256 not in (None, digests.sha256):
        blobs.delete(key)
        raise Damaged("the sha256 of the received bytes is not the announced one: upload the file again")
    return StoredOriginal(key, kind, size, digests.sha256, digests.sha1)


def _join(photo: Photo, blobs: Blobs) -> None:
    """Joins the parts of a multipart upload, unless that is done."""
    parts = None if photo.upload_id is None else arrived_parts(photo, blobs=blobs)
    if photo.upload_id is None or parts is None:
        return
    if len(parts) < len(expected_parts(photo)):
        raise Conflict(NOT_ARRIVED)
    with suppress(NotFound):  # another request has joined them
        blobs.complete_upload(blob_keys.upload(photo.image_id), photo.upload_id, parts)


def _kind(key: str, photo: Photo, blobs: Blobs) -> FileType:
    return sniff(b"".join(blobs.open(key, end=HEAD_BYTES)), size=photo.file_size)


def _completed_meanwhile(photo: Photo, *, at: datetime, table: Table) -> FinalizedUpload:
    """The photo, if another request has completed it; Conflict otherwise."""
    current = get_photo(photo.image_id, at=at, table=table)
    if current.state is PhotoState.RESERVED:
        raise Conflict(NOT_ARRIVED)
    return FinalizedUpload(current, duplicate=False, follows=None)
