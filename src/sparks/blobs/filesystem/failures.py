"""What the errors of a disk mean to Sparks."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sparks.model.errors import Busy, SparksError, StorageFull, Unavailable

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
BUSY: Final = frozenset({errno.EMFILE, errno.ENFILE})
NOT_OURS: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EISDIR})


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
    if error.errno in NOT_OURS:
        return Unavailable(f"something stands in {folder} where Sparks keeps a folder or a blob, and it is neither")
    return Unavailable(f"{folder} cannot be used: {error.strerror or error}")
