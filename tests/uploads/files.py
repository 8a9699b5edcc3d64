"""Files to upload, each with different bytes, and the steps of an upload."""

import hashlib
import secrets
from typing import Any, Final

from sparks.blobs.port import Blobs
from sparks.library import blob_keys
from sparks.media import file_types
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.table.port import Table
from sparks.uploads.finalize import FinalizedUpload, StoredOriginal, finalize_upload
from sparks.uploads.reservations import reserve_upload
from sparks.uploads.upload_request import UploadRequest
from tests.factories import NOON

KEYRING: Final = Keyring("test", {"test": b"t" * 32})


def a_jpeg(size: int = 1000) -> bytes:
    """So many bytes that begin as a JPEG, different for each call."""
    start = b"\xff\xd8\xff\xe0" + secrets.token_bytes(16)
    return start + bytes(max(0, size - len(start)))


def an_upload_request(owner: str, data: bytes, **more: Any) -> UploadRequest:
    return UploadRequest(**{"filename": "sea.jpg", "size": len(data), "owner": owner, **more})


def stored(photo: Photo, data: bytes, blobs: Blobs) -> StoredOriginal:
    """Stores the bytes as an original, as a received upload is stored."""
    key = blob_keys.original(photo.image_id, "jpg")
    blobs.put(key, [data])
    return StoredOriginal(
        key,
        file_types.JPEG,
        len(data),
        hashlib.sha256(data).hexdigest(),
        hashlib.sha1(data, usedforsecurity=False).hexdigest(),
    )


def upload(owner: str, data: bytes, *, table: Table, blobs: Blobs, **more: Any) -> FinalizedUpload:
    """Reserves, stores and finalizes an upload."""
    photo = reserve_upload(an_upload_request(owner, data, **more), at=NOON, table=table)
    return finalize_upload(photo, stored(photo, data, blobs), at=NOON, table=table, blobs=blobs)


def keys_in(blobs: Blobs) -> list[str]:
    return [blob.key for blob in blobs.list().blobs]
