"""File operations relative to an open folder, never following links."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
REPLACE: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
FILE_MODE: Final = 0o640
FOLDER_MODE: Final = 0o750
MAX_SMALL_FILE: Final = 8192


@contextmanager
def opened(name: str, flags: int, *, parent: int) -> Iterator[int]:
    descriptor = os.open(name, flags, FILE_MODE, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def names_in(folder: int) -> list[str]:
    """All names, each once, also while other threads list the same folder.

    A descriptor and its duplicates share one read position in the folder: two threads that read through them at once
    would get a part of the names each, or some twice. So each call opens a descriptor of its own.
    """
    with opened(".", FOLDER, parent=folder) as own:
        return os.listdir(own)  # noqa: PTH208  a path could lead to another folder by now


def inode_of(name: str, *, parent: int) -> int | None:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False).st_ino
    except FileNotFoundError:
        return None


def read_small(name: str, *, parent: int) -> bytes:
    with opened(name, READ, parent=parent) as file:
        return os.read(file, MAX_SMALL_FILE)


def write_small(content: bytes, name: str, *, parent: int, flags: int = CREATE) -> None:
    """Writes the file and syncs its content; the caller syncs the folder."""
    with opened(name, flags, parent=parent) as file:
        os.write(file, content)
        os.fsync(file)


def remove(name: str, *, parent: int) -> None:
    """Removes a file, or a folder that holds only files."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=parent)
        return
    with opened(name, FOLDER, parent=parent) as folder:
        for file in names_in(folder):
            os.unlink(file, dir_fd=folder)
    os.rmdir(name, dir_fd=parent)
