"""Files that are there whole or not at all: written under another name, made durable, and renamed into their place."""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from sparks.model.errors import StorageFull, Unavailable

PART: Final = ".sparks-part"  # what is left of an export that was killed has this ending, and is written over
READ_AT_ONCE: Final = 1024 * 1024


class Written(NamedTuple):
    size: int
    sha256: str


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """StorageFull or Unavailable where the folder does not take what is written."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(f"there is no room left in {folder}: make some, and run the export again") from error
        raise Unavailable(f"{error.filename or folder} cannot be written: {error.strerror}") from error


@contextmanager
def draft(path: Path, chunks: Iterable[bytes]) -> Iterator[Written]:
    """The file as it was written beside its place. It goes there with the end of the block, unless that raises."""
    aside = path.with_name(f".{path.name}{PART}")
    digest, size = sha256(), 0
    try:
        with aside.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
                digest.update(chunk)
                size += len(chunk)
            file.flush()
            os.fsync(file.fileno())
        yield Written(size, digest.hexdigest())
        aside.replace(path)
        sync_folder(path.parent)
    finally:
        aside.unlink(missing_ok=True)


def write(path: Path, data: bytes) -> Written:
    with draft(path, [data]) as written:
        return written


def make_folder(path: Path) -> None:
    """With those above it, each durable."""
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


def digest_of(path: Path) -> Written | None:
    """What the file holds; None where there is none."""
    digest, size = sha256(), 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(READ_AT_ONCE):
                digest.update(chunk)
                size += len(chunk)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    return Written(size, digest.hexdigest())
