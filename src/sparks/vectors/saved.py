"""The file that vectors are kept in: for its owner's eyes only, replaced whole, and thrown away where it is damaged.

A file has a fixed prefix (magic, edition, when it was saved, length of the head), a head in msgpack, the matrix of half
floats, the graph, and at its end the checksum of all that. The edition is drawn anew each time, so that a process knows
whether what is there is what it wrote. Several processes may use the file: whoever reads or replaces it holds the lock.
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
from sparks.vectors.crowd import Frozen

PREFIX: Final = struct.Struct("<8s16sdQ")
CHECKSUM: Final = struct.Struct("<I")
MAGIC: Final = b"SPKSVEC1"
HALF: Final = np.dtype("<f2")


class Stamp(NamedTuple):
    """Which file that is, and when it was written."""

    edition: bytes
    saved_at: datetime


class _Head(msgspec.Struct, frozen=True):
    dimensions: int
    names: list[str]
    position: datetime | None


class VectorFile:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._draft = path.with_name(f"{path.name}.new")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else reads or writes meanwhile. What somebody who was killed left half-written goes first."""
        with self._translated():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(self._path.with_name(f"{self._path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self._draft.unlink(missing_ok=True)
                yield
            finally:
                os.close(lock)

    def stamp(self) -> Stamp | None:
        """None where there is no file, or none of ours."""
        try:
            with self._path.open("rb") as file:
                magic, edition, saved_at, _ = PREFIX.unpack(file.read(PREFIX.size))
        except (FileNotFoundError, struct.error):
            return None
        return Stamp(edition, datetime.fromtimestamp(saved_at, UTC)) if magic == MAGIC else None

    def read(self) -> Frozen:
        """What was written; Damaged where it is anything else. There is a file."""
        content = memoryview(self._path.read_bytes())
        end = len(content) - CHECKSUM.size
        if end < PREFIX.size or content[end:] != CHECKSUM.pack(zlib.crc32(content[:end])):
            raise Damaged(f"{self._path} is not what was written there")
        *_, head_size = PREFIX.unpack(content[: PREFIX.size])
        body = content[PREFIX.size : end]
        head = msgspec.msgpack.decode(body[:head_size], type=_Head)
        numbers = len(head.names) * head.dimensions
        matrix = np.frombuffer(body, HALF, numbers, head_size).reshape(len(head.names), head.dimensions)
        return Frozen(head.names, matrix, body[head_size + matrix.nbytes :], head.position)

    def write(self, frozen: Frozen, *, at: datetime) -> Stamp:
        """Durable when it returns, and nothing of what stood there is left."""
        head = msgspec.msgpack.encode(_Head(frozen.matrix.shape[1], list(frozen.names), frozen.position))
        matrix = np.ascontiguousarray(frozen.matrix, HALF).reshape(-1).view(np.uint8).data
        edition = secrets.token_bytes(16)
        prefix = PREFIX.pack(MAGIC, edition, at.timestamp(), len(head))
        self._replace([prefix, head, matrix, frozen.graph])
        return Stamp(edition, at)

    def discard(self) -> None:
        self._path.unlink(missing_ok=True)

    def _replace(self, parts: list[bytes | memoryview]) -> None:
        descriptor = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb", buffering=0):  # noqa: PTH123  a descriptor, made with its mode
            checksum = 0
            for part in parts:
                checksum = zlib.crc32(part, checksum)
                _write_all(descriptor, part)
            _write_all(descriptor, CHECKSUM.pack(checksum))
            os.fsync(descriptor)
        self._draft.replace(self._path)
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
