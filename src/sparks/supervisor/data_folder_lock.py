"""Lock that allows one `sparks serve` for a data folder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sparks.model.errors import BadSetting

LOCK_FILE: Final = "serve.lock"


def is_data_folder_held(data: Path) -> bool:
    """Whether a `sparks serve` on this machine uses the folder right now."""
    try:
        lock = os.open(data / LOCK_FILE, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


@contextmanager
def hold_data_folder(data: Path) -> Iterator[None]:
    """BadSetting where another process holds the folder. The lock of a killed process ends with it."""
    path = data / LOCK_FILE
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise BadSetting(
            f"the data folder {data} cannot be used ({error.strerror}): name another with --data"
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.read(lock, 20).decode("ascii", "replace").strip() or "unknown"
        os.close(lock)
        raise BadSetting(
            f"another sparks serve (process {holder}) uses {data}: stop it, or name another folder with --data"
        ) from error
    except OSError as error:
        os.close(lock)
        raise BadSetting(
            f"the data folder {data} cannot be locked ({error.strerror}): name one on another disk with --data"
        ) from error
    try:
        os.truncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(lock)
