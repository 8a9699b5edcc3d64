"""The files of a folder and of all folders in it, each once, in the order of their names."""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sparks.model.errors import BadInput
from sparks.upload.importing.outcome import Fate, Outcome

# What cameras' cards, network drives and archives keep for themselves, in lower case.
NOT_ENTERED: Final = frozenset(
    {"@eadir", "#recycle", "#snapshot", "$recycle.bin", "lost+found", "system volume information", "__macosx"}
)

Place = tuple[int, int]  # device and inode


@dataclass(frozen=True, slots=True)
class Listing:
    """The regular files of one folder by name; `wanted` of them are to be taken in, all of them where it is None."""

    folder: Path
    names: tuple[str, ...]
    wanted: frozenset[str] | None = None


def walk(paths: Iterable[Path], *, avoid: Path | None = None) -> Iterator[Listing | Outcome]:
    """Hidden files are not seen. A folder that links lead to again is entered once, and `avoid` never.

    BadInput, before anything else, where one of the paths does not exist.
    """
    starts = [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100  a Path would resolve the links
    for path in starts:
        if not path.exists():
            raise BadInput(f"there is no file or folder {path}")
    seen = {_place(avoid.stat())} if avoid is not None and avoid.exists() else set()
    for folder, wanted in _together(starts):
        yield from _enter(folder, seen) if wanted is None else _some(folder, wanted)


def _together(starts: Iterable[Path]) -> Iterator[tuple[Path, frozenset[str] | None]]:
    """Files that were named one by one share a listing with those of their folder: sidecars are found there."""
    single: dict[Path, set[str]] = {}
    for path in starts:
        if path.is_dir():
            yield path, None
        else:
            single.setdefault(path.parent, set()).add(path.name)
    for folder, names in single.items():
        yield folder, frozenset(names)


def _some(folder: Path, wanted: frozenset[str]) -> Iterator[Listing | Outcome]:
    for each in _list(folder):
        if isinstance(each, Listing):
            yield Listing(folder, tuple(sorted({*each.names, *wanted})), wanted)


def _enter(start: Path, seen: set[Place]) -> Iterator[Listing | Outcome]:
    """[Note: no recursion] Folders may be deeper than Python's stack."""
    waiting = [start]
    while waiting:
        folder = waiting.pop()
        try:
            place = _place(folder.stat())
        except OSError as error:
            yield _unreadable(folder, error)
            continue
        if place not in seen:
            seen.add(place)
            inside: list[Path] = []
            for each in _list(folder):
                if isinstance(each, Path):
                    inside.append(each)
                else:
                    yield each
            waiting.extend(reversed(inside))


def _list(folder: Path) -> Iterator[Listing | Outcome | Path]:
    """Its files, what cannot be taken for one, and the folders in it."""
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
            yield Outcome(folder / entry.name, Fate.SKIPPED, "it is not a regular file")
        elif entry.name.lower() not in NOT_ENTERED:
            yield folder / entry.name
    yield Listing(folder, tuple(names))


def _place(found: os.stat_result) -> Place:
    return found.st_dev, found.st_ino


def _unreadable(path: Path, error: OSError) -> Outcome:
    return Outcome(path, Fate.FAILED, f"it cannot be read ({error.strerror})")
