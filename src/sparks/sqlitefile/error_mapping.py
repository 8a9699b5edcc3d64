"""Mapping of SQLite errors to Sparks errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from sparks.model.errors import Busy, Damaged, SparksError, StorageFull, Unavailable


@contextmanager
def translated(path: Path) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror}") from error


def translate(error: apsw.Error, path: Path) -> SparksError:
    match error:
        case apsw.FullError():
            return StorageFull(f"no room left on the disk of {path}: free some and try again")
        case apsw.BusyError() | apsw.LockedError():
            return Busy(f"{path.name} is locked by another process: try again")
        case apsw.CorruptError() | apsw.NotADBError():
            return Damaged(f"{path} is damaged ({error}): restore it from a backup")
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError():
            return Unavailable(f"{path}: {error}. Check the owner and the mode of the file and its folder")
        case apsw.IOError():
            return Unavailable(f"{path}: {error}. Check the disk, and the limits of this process (ulimit -a)")
        case _:
            return Unavailable(f"{path}: {error}")
