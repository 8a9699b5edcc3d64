"""Files of an export: written under another name, synced, and renamed."""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from sparks.model.errors import StorageFull, Unavailable

PART: Final = ".sparks-part"  # suffix of unfinished files; those of a killed export are overwritten
CHUNK_SIZE: Final = 1024 * 1024


class WrittenFile(NamedTuple):
    size: int
    sha256: str


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Raises StorageFull or Unavailable where a write to the folder fails."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(f"there is no space left in {folder}: free some, and run the export again") from error
        raise Unavailable(f"{error.filename or folder} cannot be written: {error.strerror}") from error


@contextmanager
def atomic_write(path: Path, chunks: Iterable[bytes]) -> Iterator[WrittenFile]:
    """Writes the chunks to a temporary file beside `path`, renamed at the end of the block unless that raises."""
    temporary = path.with_name(f".{path.name}{PART}")
    digest, size = sha256(), 0
    try:
        with temporary.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
                digest.update(chunk)
                size += len(chunk)
            file.flush()
            os.fsync(file.fileno())
        yield WrittenFile(size, digest.hexdigest())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> WrittenFile:
    with atomic_write(path, [data]) as written:
        return written


def make_folder(path: Path) -> None:
    """Creates the folder and its parents durably."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def digest_of(path: Path) -> WrittenFile | None:
    """The size and hash of the file; None where there is none."""
    digest, size = sha256(), 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_SIZE):
                digest.update(chunk)
                size += len(chunk)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    return WrittenFile(size, digest.hexdigest())
