"""Receiver of an upload's body, streamed into the store.

The first bytes tell the file type: an unsupported file is refused before more is read.
"""

import hashlib
from collections.abc import Callable

from sparks.blobs.port import BlobInfo, Blobs, IncomingBlob
from sparks.library import blob_keys
from sparks.media.file_types import FileType
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import Damaged
from sparks.model.photo import Photo
from sparks.uploads.finalize import StoredOriginal
from sparks.uploads.upload_request import AcceptType, accept_any


class IncomingOriginal:
    """The original of a reserved photo while it is received; it is not visible before `commit`.

    A reservation with a size expects exactly so many bytes. `check` raises where the bytes received so far are too
    many, `accept` where the file type is not accepted.
    """

    def __init__(
        self,
        photo: Photo,
        *,
        check: Callable[[int], None],
        accept: AcceptType = accept_any,
        blobs: Blobs,
    ) -> None:
        self._photo = photo
        self._check = check
        self._accept = accept
        self._blobs = blobs
        self._head = b""
        self._size = 0
        self._sha1 = hashlib.sha1(usedforsecurity=False)
        self._target: tuple[str, FileType, IncomingBlob[BlobInfo]] | None = None

    def write(self, piece: bytes) -> None:
        """Raises what `check` raises, and UnsupportedType as soon as the first bytes tell it."""
        self._size += len(piece)
        self._check(self._size)
        self._sha1.update(piece)
        if self._target is not None:
            self._target[2].write(piece)
            return
        self._head += piece
        if len(self._head) >= HEAD_BYTES:
            self._open()

    def commit(self) -> StoredOriginal:
        """Stores the file, durable when this returns. UnsupportedType where the file type is not supported, Damaged
        where the size is not the announced one.
        """
        announced = self._photo.file_size
        if announced and announced != self._size:
            raise Damaged(f"received {self._size:,} bytes instead of the announced {announced:,}: send the file again")
        key, kind, incoming = self._target or self._open()
        info = incoming.commit()
        return StoredOriginal(key, kind, self._size, info.sha256, self._sha1.hexdigest())

    def drop(self) -> None:
        """Discards the bytes. Does nothing after `commit`."""
        if self._target is not None:
            self._target[2].drop()

    def _open(self) -> tuple[str, FileType, IncomingBlob[BlobInfo]]:
        kind = sniff(self._head[:HEAD_BYTES], size=self._size)
        self._accept(kind)
        key = blob_keys.original(self._photo.image_id, kind.extension)
        incoming = self._blobs.receive(key, size=None, sha256=None, content_type=kind.mime, if_absent=False)
        self._target = key, kind, incoming
        self._target[2].write(self._head)
        self._head = b""
        return self._target
