"""Reservations of uploads: create, cancel, and clear abandoned multipart uploads."""

import logging
from datetime import datetime, timedelta
from typing import Final

from sparks.blobs.port import DEFAULT_TYPE, Blobs
from sparks.library import blob_keys
from sparks.library.albums.album_lookup import NO_ALBUM
from sparks.library.albums.album_photos import AlbumPlacement, placement_changes
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.sharing.guest_uploads import reserve_for_guest
from sparks.library.upload_limits.photo_usage import reserve_photo
from sparks.model.caller import GuestCaller
from sparks.model.errors import ConditionFailed, NotFound, SparksError
from sparks.model.events import UpkeepDue
from sparks.model.ids import new_image_id
from sparks.model.photo import Photo
from sparks.table.port import Table
from sparks.uploads.upload_request import UploadRequest
from sparks.uploads.upload_urls import part_size

ABANDONED_AFTER: Final = timedelta(hours=48)

log = logging.getLogger(__name__)


def reserve_upload(
    request: UploadRequest,
    *,
    into: AlbumPlacement | None = None,
    guest: GuestCaller | None = None,
    at: datetime,
    table: Table,
    blobs: Blobs | None = None,
    image_id: str | None = None,
) -> Photo:
    """Reserves one photo and its bytes from the owner's limit for a day; a repeat with the same `image_id` reserves
    nothing more. The reservation is in the album `into` from the beginning.

    UploadLimitReached where not enough is left. NotFound where the album was deleted, or the uploader may not add to it
    any more. A `guest` upload also counts against the caps of their link: LinkFull where these are reached.

    With `blobs`, the bytes are sent to signed URLs: a large file in parts, for which a multipart upload is begun. One
    that never gets its row is dropped with the abandoned uploads.
    """
    image_id = image_id or new_image_id()
    if blobs is None or part_size(request.size) is None:
        return _reserve(request.reservation(image_id, at=at), into, guest, table)
    key = blob_keys.upload(image_id)
    upload_id = blobs.create_upload(key, content_type=request.mime_type or DEFAULT_TYPE)
    try:
        return _reserve(request.reservation(image_id, at=at, upload_id=upload_id), into, guest, table)
    except SparksError:
        blobs.abort_upload(key, upload_id)
        raise


def cancel_upload(photo: Photo, *keys_of_blobs: str, table: Table, blobs: Blobs) -> None:
    """Cancels a reservation and deletes its bytes and these blobs. Nothing happens where that is done.

    Conflict where the upload was completed meanwhile: the blobs are those of the photo then, and stay.
    """
    delete_rows_and_blobs(photo, blob_keys.upload(photo.image_id), *keys_of_blobs, table=table, blobs=blobs)


def _reserve(photo: Photo, into: AlbumPlacement | None, guest: GuestCaller | None, table: Table) -> Photo:
    placed, others = (photo, ()) if into is None else placement_changes(photo, into)
    try:
        if guest is None:
            reserve_photo(placed, *others, table=table)
        else:
            reserve_for_guest(placed, guest, *others, table=table)
    except ConditionFailed as failed:
        raise NotFound(NO_ALBUM) from failed
    return placed


def clear_abandoned_uploads(event: UpkeepDue, *, blobs: Blobs) -> None:
    """Aborts the multipart uploads that were not finished within two days."""
    for upload in blobs.list_uploads(started_before=event.at - ABANDONED_AFTER):
        blobs.abort_upload(upload.key, upload.upload_id)
        log.info("dropped an abandoned upload", extra={"key": upload.key, "started": upload.started.isoformat()})
