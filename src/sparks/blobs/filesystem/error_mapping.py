"""Mapping of disk errors to Sparks errors."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sparks.model.errors import Busy, SparksError, StorageFull, Unavailable

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
BUSY: Final = frozenset({errno.EMFILE, errno.ENFILE})
WRONG_FILE_TYPE: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EISDIR})


@contextmanager
def translated(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise translate(error, folder) from error


def translate(error: OSError, folder: Path) -> SparksError:
    if error.errno in FULL:
        return StorageFull(f"no room left on the disk of {folder}: free some, or give Sparks a larger one")
    if error.errno in BUSY:
        return Busy(f"too many files are open to read or write in {folder}; try again later")
    if error.errno in WRONG_FILE_TYPE:
        return Unavailable(f"{folder} holds a file or link where Sparks keeps a folder, or a folder instead of a blob")
    return Unavailable(f"{folder} cannot be used: {error.strerror or error}")
