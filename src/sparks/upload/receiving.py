"""A file that comes through Sparks itself, piece by piece, and goes straight to its place: never held in memory.

What it is, is told from its first bytes: what Sparks does not take is refused before more is read.
"""

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from typing import Final

from sparks.blobs.local_file import room_for_scratch
from sparks.blobs.port import LARGEST_CHUNK, BlobInfo, Blobs
from sparks.blobs.served import Incoming, ServedBlobs
from sparks.library import objects
from sparks.media.kinds import Kind
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.model.errors import Damaged
from sparks.model.photo import Photo
from sparks.upload.recording import Original
from sparks.upload.wish import Takes, anything

IN_MEMORY: Final = 1024 * 1024  # of a file that is on its way to a store elsewhere; the rest waits on disk


class Spool:
    """Bytes for a store that takes them whole: they wait in a file of nobody's sight, so that a slow uploader holds
    neither a thread nor memory.
    """

    def __init__(self, key: str, kind: Kind, *, blobs: Blobs) -> None:
        self._key = key
        self._kind = kind
        self._blobs = blobs
        self._sha256 = hashlib.sha256()
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  `drop` closes it

    def write(self, chunk: bytes) -> None:
        self._sha256.update(chunk)
        with room_for_scratch():
            self._file.write(chunk)

    def commit(self) -> BlobInfo:
        size, digest = self._file.tell(), self._sha256.hexdigest()
        return self._blobs.put(self._key, self._chunks(), size=size, sha256=digest, content_type=self._kind.mime)

    def drop(self) -> None:
        self._file.close()

    def _chunks(self) -> Iterator[bytes]:
        with room_for_scratch():
            self._file.seek(0)  # which writes what was held back
        while chunk := self._file.read(LARGEST_CHUNK):
            yield chunk


class Arrival:
    """The bytes of a reserved photo on their way; nobody sees them before `commit`. The photo's size, where it is not
    0, is how many must come, and `check` raises where so many are too many; `takes`, where such a file is not taken.
    """

    def __init__(
        self,
        photo: Photo,
        *,
        check: Callable[[int], None],
        takes: Takes = anything,
        blobs: Blobs,
        served: ServedBlobs | None,
    ) -> None:
        self._photo = photo
        self._check = check
        self._takes = takes
        self._blobs = blobs
        self._served = served
        self._head = b""
        self._size = 0
        self._sha1 = hashlib.sha1(usedforsecurity=False)
        self._target: tuple[str, Kind, Incoming[BlobInfo]] | None = None

    def write(self, piece: bytes) -> None:
        """What `check` raises; UnsupportedType as soon as the first bytes tell."""
        self._size += len(piece)
        self._check(self._size)
        self._sha1.update(piece)
        if self._target is not None:
            self._target[2].write(piece)
            return
        self._head += piece
        if len(self._head) >= HEAD_BYTES:
            self._open()

    def commit(self) -> Original:
        """Stores them; durable when it returns. UnsupportedType where what came is nothing that Sparks takes, Damaged
        where it is less or more than was announced.
        """
        announced = self._photo.file_size
        if announced and announced != self._size:
            raise Damaged(f"{self._size:,} bytes came, and {announced:,} were announced: send the file again")
        key, kind, incoming = self._target or self._open()
        info = incoming.commit()
        return Original(key, kind, self._size, info.sha256, self._sha1.hexdigest())

    def drop(self) -> None:
        """Forgets them. After `commit`, nothing happens."""
        if self._target is not None:
            self._target[2].drop()

    def _open(self) -> tuple[str, Kind, Incoming[BlobInfo]]:
        kind = sniff(self._head[:HEAD_BYTES], size=self._size)
        self._takes(kind)
        key = objects.original(self._photo.image_id, kind.extension)
        self._target = key, kind, self._incoming(key, kind)
        self._target[2].write(self._head)
        self._head = b""
        return self._target

    def _incoming(self, key: str, kind: Kind) -> Incoming[BlobInfo]:
        if self._served is None:
            return Spool(key, kind, blobs=self._blobs)
        return self._served.receive(key, size=None, sha256=None, content_type=kind.mime, if_absent=False)
