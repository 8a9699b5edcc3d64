"""Files to upload, each its own; accounts and stores to upload them to."""

import hashlib
import secrets
from typing import Any, Final

from sparks.blobs.port import Blobs
from sparks.library import objects
from sparks.media import kinds
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.table.port import Table
from sparks.upload.recording import Original, Recorded, record_upload
from sparks.upload.tickets import reserve_upload
from sparks.upload.wish import Wish
from tests.factories import NOON

KEYRING: Final = Keyring("test", {"test": b"t" * 32})


def a_jpeg(size: int = 1000) -> bytes:
    """So many bytes that begin as a JPEG, and are those of no other file."""
    start = b"\xff\xd8\xff\xe0" + secrets.token_bytes(16)
    return start + bytes(max(0, size - len(start)))


def a_wish(owner: str, data: bytes, **more: Any) -> Wish:
    return Wish(**{"filename": "sea.jpg", "size": len(data), "owner": owner, **more})


def stored(photo: Photo, data: bytes, blobs: Blobs) -> Original:
    """The bytes in their place, as whoever receives them leaves them."""
    key = objects.original(photo.image_id, "jpg")
    blobs.put(key, [data])
    return Original(
        key,
        kinds.JPEG,
        len(data),
        hashlib.sha256(data).hexdigest(),
        hashlib.sha1(data, usedforsecurity=False).hexdigest(),
    )


def upload(owner: str, data: bytes, *, table: Table, blobs: Blobs, **more: Any) -> Recorded:
    """From the wish to the record."""
    photo = reserve_upload(a_wish(owner, data, **more), at=NOON, table=table)
    return record_upload(photo, stored(photo, data, blobs), at=NOON, table=table, blobs=blobs)


def keys_in(blobs: Blobs) -> list[str]:
    return [blob.key for blob in blobs.list().blobs]
