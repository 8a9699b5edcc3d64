"""Files and folders by their descriptors: named relative to an open folder, and never through a link."""

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
MOST_READ: Final = 8192


@contextmanager
def opened(name: str, flags: int, *, above: int) -> Iterator[int]:
    descriptor = os.open(name, flags, FILE_MODE, dir_fd=above)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def names_in(folder: int) -> list[str]:
    """All of them, each once, however many threads ask for those of the same folder.

    [Note: one place] A descriptor and its copies share one place in the folder, at which the next name is read: two
    that read through them at once get a part each, or the same twice. So each reads through one that it has opened.
    """
    with opened(".", FOLDER, above=folder) as own:
        return os.listdir(own)  # noqa: PTH208  a path could lead to another folder by now


def inode_of(name: str, *, above: int) -> int | None:
    try:
        return os.stat(name, dir_fd=above, follow_symlinks=False).st_ino
    except FileNotFoundError:
        return None


def read_small(name: str, *, above: int) -> bytes:
    with opened(name, READ, above=above) as file:
        return os.read(file, MOST_READ)


def write_small(content: bytes, name: str, *, above: int, flags: int = CREATE) -> None:
    """Durably, but for its name: that is for whoever syncs the folder."""
    with opened(name, flags, above=above) as file:
        os.write(file, content)
        os.fsync(file)


def remove(name: str, *, above: int) -> None:
    """A file, or a folder of files."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=above)
        return
    with opened(name, FOLDER, above=above) as folder:
        for file in names_in(folder):
            os.unlink(file, dir_fd=folder)
    os.rmdir(name, dir_fd=above)
