"""Manifest `sparks-export.jsonl`: the files of each exported photo.

A line is added when all files of the photo are durable. So a killed export can be resumed, and a photo keeps its path.
An incomplete line is ignored, and its photo is exported again; the last line of a photo counts.
"""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from sparks.model.errors import BadInput, Busy

NAME: Final = "sparks-export.jsonl"
SYNC_EVERY: Final = 100  # lines; the files of lines that a power failure loses are found again by their bytes


class ManifestLine(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`path` is relative to the folder, with slashes. `xmp` and `json` are the SHA-256 hashes of the sidecars."""

    image_id: str
    path: str
    size: int
    sha256: str
    xmp: str
    json: str


class Manifest:
    """A context manager that locks the folder against other exports. Without `write`, nothing is locked or changed."""

    def __init__(self, folder: Path, *, write: bool = True) -> None:
        self._path = folder / NAME
        if not write and not self._path.is_file():
            raise BadInput(f"there is no export in {folder}: it has no {NAME}")
        self._write = write
        self._known: dict[str, ManifestLine] = {}
        self._unsynced = 0

    def __enter__(self) -> Self:
        self._file = self._path.open("a+b" if self._write else "rb")
        try:
            if self._write:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read()
        except BlockingIOError as error:
            self._file.close()
            raise Busy(f"another export writes to {self._path.parent}: wait until it has finished") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._write:
            self._sync()
        self._file.close()

    def __iter__(self) -> Iterator[ManifestLine]:
        return iter(self._known.values())

    def get(self, image_id: str) -> ManifestLine | None:
        return self._known.get(image_id)

    def add(self, exported: ManifestLine) -> None:
        self._known[exported.image_id] = exported
        self._file.write(msgspec.json.encode(exported) + b"\n")
        self._unsynced += 1
        if self._unsynced >= SYNC_EVERY:
            self._sync()

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._unsynced = 0

    def _read(self) -> None:
        self._file.seek(0)
        line = b"\n"
        for line in self._file:
            try:
                exported = msgspec.json.decode(line, type=ManifestLine)
            except msgspec.DecodeError:
                continue
            self._known[exported.image_id] = exported
        if self._write and not line.endswith(b"\n"):
            self._file.write(b"\n")
