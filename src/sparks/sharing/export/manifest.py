"""`sparks-export.jsonl`: which photo is which file of an export. A line is added when all its files are durable.

So an export that was killed goes on where it was, and a photo keeps its place whatever else comes. A line that was
written half is of a photo that is exported again; the last line of a photo counts.
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
SYNCED_EVERY: Final = 100  # lines: what is lost with the power is found again by its bytes


class Exported(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`path` is below the folder, with slashes. `xmp` and `json` are the sha256 of the sidecars."""

    image_id: str
    path: str
    size: int
    sha256: str
    xmp: str
    json: str


class Manifest:
    """To be used in a `with`: nobody else exports into the folder meanwhile. Without `write`, nothing is changed."""

    def __init__(self, folder: Path, *, write: bool = True) -> None:
        self._path = folder / NAME
        if not write and not self._path.is_file():
            raise BadInput(f"there is no export in {folder}: it has no {NAME}")
        self._write = write
        self._known: dict[str, Exported] = {}
        self._unsynced = 0

    def __enter__(self) -> Self:
        self._file = self._path.open("a+b" if self._write else "rb")
        try:
            if self._write:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read()
        except BlockingIOError as error:
            self._file.close()
            raise Busy(f"another export writes to {self._path.parent}: wait until it is through") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._write:
            self._sync()
        self._file.close()

    def __iter__(self) -> Iterator[Exported]:
        return iter(self._known.values())

    def get(self, image_id: str) -> Exported | None:
        return self._known.get(image_id)

    def add(self, exported: Exported) -> None:
        self._known[exported.image_id] = exported
        self._file.write(msgspec.json.encode(exported) + b"\n")
        self._unsynced += 1
        if self._unsynced >= SYNCED_EVERY:
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
                exported = msgspec.json.decode(line, type=Exported)
            except msgspec.DecodeError:
                continue
            self._known[exported.image_id] = exported
        if self._write and not line.endswith(b"\n"):
            self._file.write(b"\n")
