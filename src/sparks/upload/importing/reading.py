"""Files of somebody else's folder, opened for reading so that not even their access time changes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sparks.upload.digests import chunks_of

_QUIETLY: Final = getattr(os, "O_NOATIME", 0)
_WAYS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe that took the file's place must not hold us up


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A descriptor. Only who owns a file may leave its access time alone."""
    try:
        file = os.open(path, _WAYS | _QUIETLY)
    except PermissionError:
        file = os.open(path, _WAYS)
    try:
        yield file
    finally:
        os.close(file)


def read_small(path: Path, *, most: int) -> bytes:
    """All of it, or nothing where it is larger or cannot be read: whatever it says is not worth a photo."""
    try:
        with opened(path) as file:
            return b"" if os.fstat(file).st_size > most else b"".join(chunks_of(file))
    except OSError:
        return b""
