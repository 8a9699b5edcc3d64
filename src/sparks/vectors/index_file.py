"""File of the saved index: locked, checksummed and replaced whole.

A file has a fixed prefix (magic, edition, time of saving, length of the head), a head in MessagePack, the matrix of
half floats, the graph, and a checksum of all these. The edition is random, so that a process recognizes the file that
it wrote. Several processes may use the file: a process that reads or replaces it holds the lock.
"""

import errno
import fcntl
import os
import secrets
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np

from sparks.model.errors import Damaged, StorageFull, Unavailable
from sparks.vectors.ann_index import IndexSnapshot

PREFIX: Final = struct.Struct("<8s16sdQ")
CHECKSUM: Final = struct.Struct("<I")
MAGIC: Final = b"SPKSVEC1"
HALF_FLOAT: Final = np.dtype("<f2")


class FileStamp(NamedTuple):
    """The random edition of a file, and the time of its saving."""

    edition: bytes
    saved_at: datetime


class _Head(msgspec.Struct, frozen=True):
    dimensions: int
    names: list[str]
    position: datetime | None


class IndexFile:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._temp_path = path.with_name(f"{path.name}.new")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Locks out other processes, and removes the temporary file of a killed one."""
        with self._translated():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(self._path.with_name(f"{self._path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self._temp_path.unlink(missing_ok=True)
                yield
            finally:
                os.close(lock)

    def stamp(self) -> FileStamp | None:
        """None where there is no file, or one of another program."""
        try:
            with self._path.open("rb") as file:
                magic, edition, saved_at, _ = PREFIX.unpack(file.read(PREFIX.size))
        except (FileNotFoundError, struct.error):
            return None
        return FileStamp(edition, datetime.fromtimestamp(saved_at, UTC)) if magic == MAGIC else None

    def read(self) -> IndexSnapshot:
        """The saved index; Damaged where the checksum does not match. The file must exist."""
        content = memoryview(self._path.read_bytes())
        end = len(content) - CHECKSUM.size
        if end < PREFIX.size or content[end:] != CHECKSUM.pack(zlib.crc32(content[:end])):
            raise Damaged(f"{self._path} does not match its checksum")
        *_, head_size = PREFIX.unpack(content[: PREFIX.size])
        body = content[PREFIX.size : end]
        head = msgspec.msgpack.decode(body[:head_size], type=_Head)
        numbers = len(head.names) * head.dimensions
        matrix = np.frombuffer(body, HALF_FLOAT, numbers, head_size).reshape(len(head.names), head.dimensions)
        return IndexSnapshot(head.names, matrix, body[head_size + matrix.nbytes :], head.position)

    def write(self, snapshot: IndexSnapshot, *, at: datetime) -> FileStamp:
        """Replaces the file; durable when it returns."""
        head = msgspec.msgpack.encode(_Head(snapshot.matrix.shape[1], list(snapshot.names), snapshot.position))
        matrix = np.ascontiguousarray(snapshot.matrix, HALF_FLOAT).reshape(-1).view(np.uint8).data
        edition = secrets.token_bytes(16)
        prefix = PREFIX.pack(MAGIC, edition, at.timestamp(), len(head))
        self._replace([prefix, head, matrix, snapshot.graph])
        return FileStamp(edition, at)

    def discard(self) -> None:
        self._path.unlink(missing_ok=True)

    def _replace(self, parts: list[bytes | memoryview]) -> None:
        descriptor = os.open(self._temp_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb", buffering=0):  # noqa: PTH123  a descriptor, made with its mode
            checksum = 0
            for part in parts:
                checksum = zlib.crc32(part, checksum)
                _write_all(descriptor, part)
            _write_all(descriptor, CHECKSUM.pack(checksum))
            os.fsync(descriptor)
        self._temp_path.replace(self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StorageFull(f"no room left on the disk of {self._path}: free some and try again") from error
            raise Unavailable(f"{self._path} cannot be used: {error.strerror or error}") from error


def _write_all(descriptor: int, part: bytes | memoryview) -> None:
    left = memoryview(part)
    while len(left):
        left = left[os.write(descriptor, left) :]
