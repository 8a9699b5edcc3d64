"""The folders between the store's own folder and a blob.

[Note: fan-out] The blob `originals/01980a2b-...jpg` is the file `originals/~0198/~0a/01980a2b-...jpg`: below the
folders of its key come two more, named after the first four and the next two characters of its name. The names of
photos begin with their time, so a folder holds the photos of four or five hours: about as many as a disk likes, next to
those that are asked for together. No segment of a key has a `~`, so these folders cannot be taken for those of a key.

As names that begin alike stay together, walking the folders in the order of their names gives the keys in the order of
theirs. A page of a list costs what the folders on the way to it and those that it shows hold, however many blobs there
are in others.

Folders are opened one by one, each without following a link, so that nothing but a folder inside the store's own is
ever reached.
"""

import errno
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from heapq import merge
from typing import Final, NamedTuple

from sparks.blobs.filesystem.descriptors import FOLDER, FOLDER_MODE, names_in
from sparks.blobs.filesystem.failures import NOT_OURS
from sparks.blobs.port import is_key

FIRST: Final = 4
SECOND: Final = 6
IN_USE: Final = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.EBUSY})
LOST_AND_FOUND: Final = "lost+found"


class Place(NamedTuple):
    folders: tuple[str, ...]
    name: str


class Found(NamedTuple):
    """A key, and where its file is; `folder` is open until the next one is asked for."""

    key: str
    folder: int
    name: str


def place_of(key: str) -> Place:
    *above, name = key.split("/")
    return Place((*above, f"~{name[:FIRST]}", f"~{name[FIRST:SECOND]}"), name)


class Tree:
    def __init__(self, root: int) -> None:
        self._root = root
        self._durable: set[tuple[str, ...]] = set()

    @contextmanager
    def folder(self, folders: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
        """The open folder. FileNotFoundError where there is none, unless it is to be made; then it is durable."""
        known = folders in self._durable
        folder = os.dup(self._root)
        try:
            for name in folders:
                below = self._make(folder, name, known=known) if make else os.open(name, FOLDER, dir_fd=folder)
                os.close(folder)
                folder = below
            if make:
                self._durable.add(folders)
            yield folder
        finally:
            os.close(folder)

    def _make(self, above: int, name: str, *, known: bool) -> int:
        try:
            folder = os.open(name, FOLDER, dir_fd=above)
        except FileNotFoundError:
            with suppress(FileExistsError):  # another one was faster
                os.mkdir(name, FOLDER_MODE, dir_fd=above)
            folder = os.open(name, FOLDER, dir_fd=above)
            known = False
        if not known:  # another process may have made it a moment ago, and not yet have made it durable
            os.fsync(above)
        return folder

    def prune(self, folders: tuple[str, ...]) -> None:
        """Removes the folder and those above it that are empty now."""
        while folders:
            self._durable.discard(folders)
            try:
                with self.folder(folders[:-1]) as above:
                    os.rmdir(folders[-1], dir_fd=above)
            except OSError as error:
                if error.errno in IN_USE:
                    return
                raise
            folders = folders[:-1]

    def walk(self, prefix: str, after: str) -> Generator[Found, None, None]:
        """What lies under keys that begin with `prefix` and come after `after`, in the order of the keys."""
        span = _Span(prefix, after)
        with self.folder(()) as root:
            yield from _walk(root, "", span)


class _Span(NamedTuple):
    prefix: str
    after: str

    def has(self, key: str) -> bool:
        return key.startswith(self.prefix) and key > self.after

    def may_have(self, beginning: str) -> bool:
        """Whether a key that begins so may be among them."""
        wanted = beginning.startswith(self.prefix) or self.prefix.startswith(beginning)
        return wanted and (beginning > self.after or self.after.startswith(beginning))


def _walk(folder: int, base: str, span: _Span) -> Iterator[Found]:
    """A blob `a` comes before the blobs in the folder `a`, and `a-b` between them: so the two kinds are merged."""
    names = names_in(folder)
    fans = sorted(name[1:] for name in names if name[0] == "~")
    folders = sorted(f"{name}/" for name in names if name[0] not in "~." and base + name != LOST_AND_FOUND)
    return merge(_walk_fans(folder, base, fans, span), _walk_folders(folder, base, folders, span))


def _walk_folders(folder: int, base: str, names: list[str], span: _Span) -> Iterator[Found]:
    for name in names:
        if span.may_have(base + name):
            for below in _opened(folder, name.removesuffix("/")):
                yield from _walk(below, base + name, span)


def _walk_fans(folder: int, base: str, firsts: list[str], span: _Span) -> Iterator[Found]:
    for first in firsts:
        if span.may_have(base + first):
            for fan in _opened(folder, f"~{first}"):
                yield from _walk_fan(fan, base, first, span)


def _walk_fan(fan: int, base: str, first: str, span: _Span) -> Iterator[Found]:
    for second in sorted(name[1:] for name in names_in(fan) if name[0] == "~"):
        if span.may_have(base + first + second):
            for folder in _opened(fan, f"~{second}"):
                yield from _walk_files(folder, base, first + second, span)


def _walk_files(folder: int, base: str, beginning: str, span: _Span) -> Iterator[Found]:
    """Only what could have been found there by its key: a file that somebody else put there is not listed."""
    for name in sorted(name for name in names_in(folder) if span.has(base + name)):
        if name[:SECOND] == beginning and is_key(base + name):
            yield Found(base + name, folder, name)


def _opened(above: int, name: str) -> Iterator[int]:
    """The folder, open; nothing where it is gone by now, or where something else stands that Sparks did not make."""
    try:
        folder = os.open(name, FOLDER, dir_fd=above)
    except OSError as error:
        if error.errno in NOT_OURS or error.errno == errno.ENOENT:
            return
        raise
    try:
        yield folder
    finally:
        os.close(folder)
