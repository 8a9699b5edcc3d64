"""Folder tree that spreads blobs by the first characters of their names.

The blob `originals/01980a2b-...jpg` is the file `originals/~0198/~0a/01980a2b-...jpg`: below the folders of its key are
two more, named after the first four and the next two characters of its name. The names of photos begin with their time,
so a folder holds the photos of four or five hours: few enough for any disk, and next to those that are read together.
No segment of a key contains `~`, so these folders cannot be confused with those of a key.

Names with the same beginning stay together, so walking the folders in order gives the keys in order. The cost of a page
depends on the folders that lead to it and those that it lists, not on the number of other blobs.

Folders are opened one by one without following symbolic links, so nothing outside the store is ever reached.
"""

import errno
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from heapq import merge
from typing import Final, NamedTuple

from sparks.blobs.filesystem.dir_fd import FOLDER, FOLDER_MODE, names_in
from sparks.blobs.filesystem.error_mapping import WRONG_FILE_TYPE
from sparks.blobs.port import is_key

FIRST_LEVEL: Final = 4
SECOND_LEVEL: Final = 6
IN_USE: Final = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.EBUSY})
LOST_AND_FOUND: Final = "lost+found"


class BlobPath(NamedTuple):
    folders: tuple[str, ...]
    name: str


class FoundBlob(NamedTuple):
    """A key and its file; the descriptor `folder` is open until the iterator moves on."""

    key: str
    folder: int
    name: str


def path_of(key: str) -> BlobPath:
    *parent, name = key.split("/")
    return BlobPath((*parent, f"~{name[:FIRST_LEVEL]}", f"~{name[FIRST_LEVEL:SECOND_LEVEL]}"), name)


class FolderTree:
    def __init__(self, root: int) -> None:
        self._root = root
        self._durable: set[tuple[str, ...]] = set()

    @contextmanager
    def folder(self, folders: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
        """The open folder. With `make`, it is created durably; otherwise FileNotFoundError where it is missing."""
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

    def _make(self, parent: int, name: str, *, known: bool) -> int:
        try:
            folder = os.open(name, FOLDER, dir_fd=parent)
        except FileNotFoundError:
            with suppress(FileExistsError):  # another writer created it
                os.mkdir(name, FOLDER_MODE, dir_fd=parent)
            folder = os.open(name, FOLDER, dir_fd=parent)
            known = False
        if not known:  # another process may have created it without syncing it yet
            os.fsync(parent)
        return folder

    def prune(self, folders: tuple[str, ...]) -> None:
        """Removes the folder and its parents as far as they are empty."""
        while folders:
            self._durable.discard(folders)
            try:
                with self.folder(folders[:-1]) as parent:
                    os.rmdir(folders[-1], dir_fd=parent)
            except OSError as error:
                if error.errno in IN_USE:
                    return
                raise
            folders = folders[:-1]

    def walk(self, prefix: str, after: str) -> Generator[FoundBlob, None, None]:
        """The blobs whose keys begin with `prefix` and come after `after`, in the order of their keys."""
        span = _Span(prefix, after)
        with self.folder(()) as root:
            yield from _walk(root, "", span)


class _Span(NamedTuple):
    prefix: str
    after: str

    def has(self, key: str) -> bool:
        return key.startswith(self.prefix) and key > self.after

    def may_have(self, beginning: str) -> bool:
        """Whether a key with this beginning may be in the span."""
        wanted = beginning.startswith(self.prefix) or self.prefix.startswith(beginning)
        return wanted and (beginning > self.after or self.after.startswith(beginning))


def _walk(folder: int, base: str, span: _Span) -> Iterator[FoundBlob]:
    """Merges files and folders: `a` sorts before the blobs in the folder `a`, and `a-b` between the two."""
    names = names_in(folder)
    groups = sorted(name[1:] for name in names if name[0] == "~")
    folders = sorted(f"{name}/" for name in names if name[0] not in "~." and base + name != LOST_AND_FOUND)
    return merge(_walk_groups(folder, base, groups, span), _walk_folders(folder, base, folders, span))


def _walk_folders(folder: int, base: str, names: list[str], span: _Span) -> Iterator[FoundBlob]:
    for name in names:
        if span.may_have(base + name):
            for below in _opened(folder, name.removesuffix("/")):
                yield from _walk(below, base + name, span)


def _walk_groups(folder: int, base: str, firsts: list[str], span: _Span) -> Iterator[FoundBlob]:
    for first in firsts:
        if span.may_have(base + first):
            for group in _opened(folder, f"~{first}"):
                yield from _walk_group(group, base, first, span)


def _walk_group(group: int, base: str, first: str, span: _Span) -> Iterator[FoundBlob]:
    for second in sorted(name[1:] for name in names_in(group) if name[0] == "~"):
        if span.may_have(base + first + second):
            for folder in _opened(group, f"~{second}"):
                yield from _walk_files(folder, base, first + second, span)


def _walk_files(folder: int, base: str, beginning: str, span: _Span) -> Iterator[FoundBlob]:
    """Lists only files that are found by their key; a file of another program is not listed."""
    for name in sorted(name for name in names_in(folder) if span.has(base + name)):
        if name[:SECOND_LEVEL] == beginning and is_key(base + name):
            yield FoundBlob(base + name, folder, name)


def _opened(parent: int, name: str) -> Iterator[int]:
    """The open folder; nothing where it was removed, or is not a folder."""
    try:
        folder = os.open(name, FOLDER, dir_fd=parent)
    except OSError as error:
        if error.errno in WRONG_FILE_TYPE or error.errno == errno.ENOENT:
            return
        raise
    try:
        yield folder
    finally:
        os.close(folder)
