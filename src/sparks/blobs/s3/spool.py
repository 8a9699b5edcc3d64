"""Spool of an incoming blob: its bytes wait in a temporary file until all of them have arrived.

S3 takes a blob or a part in one request. Meanwhile a slow client holds neither a thread nor much memory.
"""

import hashlib
from collections.abc import Callable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, Final, Generic, TypeVar

from sparks.blobs.checks import check_arrived
from sparks.blobs.local_file import room_for_scratch
from sparks.blobs.port import MAX_CHUNK

T = TypeVar("T")
MAX_MEMORY: Final = 1024 * 1024


class SpooledBlob(Generic[T]):
    """`store` gets the file, at its start, with its size and its sha256, which is only computed with `hashed`.

    A file of up to `max_memory` bytes stays in memory.
    """

    def __init__(
        self,
        store: Callable[[IO[bytes], int, str | None], T],
        *,
        size: int | None,
        sha256: str | None = None,
        hashed: bool = True,
        max_memory: int = MAX_MEMORY,
    ) -> None:
        self._store = store
        self._announced = size, sha256
        self._size = 0
        self._hash = hashlib.sha256() if hashed else None
        self._file = SpooledTemporaryFile(max_size=max_memory)  # noqa: SIM115  `drop` closes it

    def write(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._hash is not None:
            self._hash.update(chunk)
        with room_for_scratch():
            self._file.write(chunk)

    def commit(self) -> T:
        size, sha256 = self._announced
        found = None if self._hash is None else self._hash.hexdigest()
        check_arrived(size=self._size, announced_size=size, sha256=found, announced_sha256=sha256)
        with room_for_scratch():
            self._file.seek(0)  # writes what was buffered
        return self._store(self._file, self._size, found)

    def drop(self) -> None:
        self._file.close()


def chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(MAX_CHUNK):
        yield chunk
