"""A file that came by signed addresses: looked at, put in its place and recorded.

[Note: bytes that stay] An address for a whole file takes it only while nothing is there, so what has arrived does not
change under the eyes of whoever completes it; and the hashes are those of the original, which nobody has an address of.
"""

from contextlib import suppress
from datetime import datetime
from typing import Final

from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.library import objects
from sparks.library.photos import get_photo
from sparks.media.kinds import Kind
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import ConditionFailed, Conflict, Damaged, NotFound, UnsupportedType
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Table
from sparks.upload.addresses import arrived_parts, has_arrived, sizes_of
from sparks.upload.digests import digests_of
from sparks.upload.recording import Also, Original, Recorded, nothing_else, record_upload
from sparks.upload.tickets import give_up_upload
from sparks.upload.wish import Takes, anything

NOT_ARRIVED: Final = "not all bytes of this upload have arrived: ask what is missing, send that, then complete it"


def complete_upload(
    photo: Photo,
    *,
    takes: Takes = anything,
    at: datetime,
    table: Table,
    blobs: Blobs,
    served: ServedBlobs | None,
    also: Also = nothing_else,
) -> Recorded:
    """Makes the photo of a reservation whose bytes have arrived; what is a photo already stays as it is.

    Conflict while bytes are missing. UnsupportedType and Damaged where they are nothing that it `takes`, or not those
    that were announced: the reservation is given back then. NotFound where it was given up or is over. ConditionFailed
    where one of `also` fails.
    """
    try:
        original = _stored(photo, takes, table=table, blobs=blobs, hashes=served is not None)
        recorded = record_upload(photo, original, at=at, table=table, blobs=blobs, also=also)
    except ConditionFailed:
        raise
    except Conflict:
        return _completed_meanwhile(photo, at=at, table=table)
    blobs.delete(objects.upload(photo.image_id))
    return recorded


def _stored(photo: Photo, takes: Takes, *, table: Table, blobs: Blobs, hashes: bool) -> Original:
    try:
        return _in_its_place(photo, takes, blobs=blobs, hashes=hashes)
    except (UnsupportedType, Damaged):
        give_up_upload(photo, table=table, blobs=blobs)
        raise


def _in_its_place(photo: Photo, takes: Takes, *, blobs: Blobs, hashes: bool) -> Original:
    """The file among the originals; Conflict unless all of it has arrived."""
    _join(photo, blobs)
    if not has_arrived(photo, blobs=blobs):
        raise Conflict(NOT_ARRIVED)
    source = objects.upload(photo.image_id)
    try:
        kind = _kind(source, photo, blobs)
        takes(kind)
        key = objects.original(photo.image_id, kind.extension)
        size = blobs.copy(source, key).size
    except NotFound as error:
        raise Conflict(NOT_ARRIVED) from error
    if not hashes:
        return Original(key, kind, size)
    digests = digests_of(blobs.open(key))
    if photo.sha256 not in (None, digests.sha256):
        blobs.delete(key)
        raise Damaged("the bytes that came have another sha256 than the one announced: upload the file again")
    return Original(key, kind, size, digests.sha256, digests.sha1)


def _join(photo: Photo, blobs: Blobs) -> None:
    """Nothing happens unless it comes in parts that are not joined yet."""
    parts = None if photo.upload_id is None else arrived_parts(photo, blobs=blobs)
    if photo.upload_id is None or parts is None:
        return
    if len(parts) < len(sizes_of(photo)):
        raise Conflict(NOT_ARRIVED)
    with suppress(NotFound):  # somebody else was faster
        blobs.complete_upload(objects.upload(photo.image_id), photo.upload_id, parts)


def _kind(key: str, photo: Photo, blobs: Blobs) -> Kind:
    return sniff(b"".join(blobs.open(key, end=HEAD_BYTES)), size=photo.file_size)


def _completed_meanwhile(photo: Photo, *, at: datetime, table: Table) -> Recorded:
    """Another call was faster, or else there is nothing to complete yet."""
    there = get_photo(photo.image_id, at=at, table=table)
    if there.state is PhotoState.RESERVED:
        raise Conflict(NOT_ARRIVED)
    return Recorded(there, duplicate=False, follows=None)
