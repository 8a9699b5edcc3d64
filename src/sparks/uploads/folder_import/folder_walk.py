"""Walk through folders: lists each file once, in order of names, and opens files read-only."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sparks.media.digests import chunks_of
from sparks.model.errors import BadInput
from sparks.uploads.folder_import.import_result import ImportResult, ImportStatus

# System folders of memory cards, network drives and archives, in lower case.
SKIPPED_FOLDERS: Final = frozenset(
    {"@eadir", "#recycle", "#snapshot", "$recycle.bin", "lost+found", "system volume information", "__macosx"}
)

InodeKey = tuple[int, int]  # device and inode
_NO_ACCESS_TIME: Final = getattr(os, "O_NOATIME", 0)
_OPEN_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe that took the file's place must not hold us up


@dataclass(frozen=True, slots=True)
class FolderListing:
    """The regular files of one folder by name, and those of them to import; None stands for all."""

    folder: Path
    names: tuple[str, ...]
    selected: frozenset[str] | None = None


def walk(paths: Iterable[Path], *, avoid: Path | None = None) -> Iterator[FolderListing | ImportResult]:
    """Skips hidden files. A folder that several links lead to is entered once, and `avoid` never.

    BadInput, before anything is listed, where one of the paths does not exist.
    """
    starts = [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100  a Path would resolve the links
    for path in starts:
        if not path.exists():
            raise BadInput(f"there is no file or folder {path}")
    seen = {_inode_of(avoid.stat())} if avoid is not None and avoid.exists() else set()
    for folder, selected in _by_folder(starts):
        yield from _walk_folder(folder, seen) if selected is None else _named_files(folder, selected)


def _by_folder(starts: Iterable[Path]) -> Iterator[tuple[Path, frozenset[str] | None]]:
    """Groups files that were named one by one by their folder, where their sidecars are found."""
    single: dict[Path, set[str]] = {}
    for path in starts:
        if path.is_dir():
            yield path, None
        else:
            single.setdefault(path.parent, set()).add(path.name)
    for folder, names in single.items():
        yield folder, frozenset(names)


def _named_files(folder: Path, selected: frozenset[str]) -> Iterator[FolderListing | ImportResult]:
    for each in _list(folder):
        if isinstance(each, FolderListing):
            yield FolderListing(folder, tuple(sorted({*each.names, *selected})), selected)


def _walk_folder(start: Path, seen: set[InodeKey]) -> Iterator[FolderListing | ImportResult]:
    """Without recursion, since folders may be deeper than Python's stack."""
    waiting = [start]
    while waiting:
        folder = waiting.pop()
        try:
            inode = _inode_of(folder.stat())
        except OSError as error:
            yield _unreadable(folder, error)
            continue
        if inode not in seen:
            seen.add(inode)
            inside: list[Path] = []
            for each in _list(folder):
                if isinstance(each, Path):
                    inside.append(each)
                else:
                    yield each
            waiting.extend(reversed(inside))


def _list(folder: Path) -> Iterator[FolderListing | ImportResult | Path]:
    """Yields the listing of the folder, a result for each entry that cannot be imported, and the folders in it."""
    try:
        with os.scandir(folder) as entries:
            found = sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda each: each.name)
    except OSError as error:
        yield _unreadable(folder, error)
        return
    names: list[str] = []
    for entry in found:
        try:
            mode = entry.stat().st_mode
        except OSError as error:
            yield _unreadable(folder / entry.name, error)
            continue
        if stat.S_ISREG(mode):
            names.append(entry.name)
        elif not stat.S_ISDIR(mode):
            yield ImportResult(folder / entry.name, ImportStatus.SKIPPED, "it is not a regular file")
        elif entry.name.lower() not in SKIPPED_FOLDERS:
            yield folder / entry.name
    yield FolderListing(folder, tuple(names))


def _inode_of(found: os.stat_result) -> InodeKey:
    return found.st_dev, found.st_ino


def _unreadable(path: Path, error: OSError) -> ImportResult:
    return ImportResult(path, ImportStatus.FAILED, f"it cannot be read ({error.strerror})")


@contextmanager
def open_read_only(path: Path) -> Iterator[int]:
    """Yields a file descriptor. The access time stays unchanged if this process owns the file."""
    try:
        file = os.open(path, _OPEN_FLAGS | _NO_ACCESS_TIME)
    except PermissionError:
        file = os.open(path, _OPEN_FLAGS)
    try:
        yield file
    finally:
        os.close(file)


def read_small(path: Path, *, most: int) -> bytes:
    """The content of a sidecar; empty where it is larger or cannot be read, so that its photo is imported anyway."""
    try:
        with open_read_only(path) as file:
            return b"" if os.fstat(file).st_size > most else b"".join(chunks_of(file))
    except OSError:
        return b""
