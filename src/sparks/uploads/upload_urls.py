"""Signed upload URLs of a reservation, whole or in parts."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from sparks.blobs.port import DEFAULT_TYPE, MAX_PARTS, Blobs, SignedUrl, UploadPart
from sparks.library import blob_keys
from sparks.library.photos.photo_rows import find_photo
from sparks.library.upload_limits.photo_usage import OVER
from sparks.model.audience import is_kept
from sparks.model.errors import AlreadyThere, BadInput, NotFound
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Table

MAX_SINGLE_SIZE: Final = 16 * 1024 * 1024  # bytes; a larger file is sent in parts
PART_SIZE: Final = 8 * 1024 * 1024
URL_TTL: Final = 3600  # seconds; a slower client asks for new URLs

_MIB: Final = 1024 * 1024


def part_size(size: int) -> int | None:
    """The bytes of every part but the last; None for a file that is sent whole. Parts are larger than usual only where
    there would be too many.
    """
    if size <= MAX_SINGLE_SIZE:
        return None
    least = -(-size // MAX_PARTS)
    return max(PART_SIZE, -(-least // _MIB) * _MIB)


def part_sizes(size: int) -> dict[int, int]:
    """The bytes of each part, by its number; empty for a file that is sent whole."""
    each = part_size(size)
    if each is None:
        return {}
    count = -(-size // each)
    return {number: min(each, size - (number - 1) * each) for number in range(1, count + 1)}


def upload_url(photo: Photo, *, blobs: Blobs) -> SignedUrl | None:
    """None for a file that is sent in parts. The URL accepts the file once; a client that gets 412, since the file is
    there, goes on to complete.
    """
    if photo.upload_id is not None:
        return None
    return blobs.sign_put(
        blob_keys.upload(photo.image_id),
        size=photo.file_size or 0,
        content_type=photo.mime_type or DEFAULT_TYPE,
        expires_in=URL_TTL,
        sha256=photo.sha256,
        if_absent=True,
    )


def part_urls(photo: Photo, numbers: Iterable[int], *, blobs: Blobs) -> dict[int, SignedUrl]:
    """The URL of each of these parts, by its number; BadInput where the upload has no such part."""
    sizes = expected_parts(photo)
    requested = sorted(set(numbers))
    if photo.upload_id is None or not sizes.keys() >= set(requested):
        hint = f"parts are numbered from 1 to {len(sizes):,}" if sizes else "this file is sent whole, not in parts"
        raise BadInput(f"this upload has no such part: {hint}")
    key, upload_id = blob_keys.upload(photo.image_id), photo.upload_id
    return {
        number: blobs.sign_part(key, upload_id, number, size=sizes[number], expires_in=URL_TTL) for number in requested
    }


def expected_parts(photo: Photo) -> Mapping[int, int]:
    """The bytes of each part of this upload, by its number; empty for a file that is sent whole."""
    return {} if photo.upload_id is None else part_sizes(photo.file_size or 0)


def arrived_parts(photo: Photo, *, blobs: Blobs) -> list[UploadPart] | None:
    """The complete parts, by number; None where the parts are joined already."""
    sizes = expected_parts(photo)
    try:
        found = blobs.list_parts(blob_keys.upload(photo.image_id), photo.upload_id or "")
    except NotFound:
        return None
    return [part for part in found if sizes.get(part.number) == part.size]


def has_arrived(photo: Photo, *, blobs: Blobs) -> bool:
    """Whether the whole file is there, sent whole or joined."""
    try:
        return blobs.head(blob_keys.upload(photo.image_id)).size == photo.file_size
    except NotFound:
        return False


def check_expected(key: str, *, at: datetime, table: Table) -> None:
    """Checks that bytes for this key are still expected: a signed URL may outlive its reservation. NotFound where the
    reservation was cancelled or has expired, AlreadyThere where the upload is complete.
    """
    if not key.startswith(blob_keys.UPLOADS):
        return
    photo = find_photo(key.removeprefix(blob_keys.UPLOADS), table=table)
    if photo is None or not is_kept(photo, at):
        raise NotFound(OVER)
    if photo.state is not PhotoState.RESERVED:
        raise AlreadyThere("this upload is complete: it is a photo now")
