"""Candidates for import: each photo with its sidecar files."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sparks.uploads.folder_import.folder_walk import FolderListing, read_small
from sparks.uploads.folder_import.google_takeout import (
    MAX_TAKEOUT_BYTES,
    find_takeout_metadata,
    is_takeout_file,
    parse_takeout_album,
    parse_takeout_metadata,
    takeout_key,
)
from sparks.uploads.folder_import.import_result import ImportResult, ImportStatus

NO_PHOTO_FOR_SIDECAR: Final = "it is a sidecar file without a photo in the same folder"


@dataclass(frozen=True, slots=True)
class ImportCandidate:
    """A file that may be a photo, its sidecars, and the title of the album that its folder is."""

    path: Path
    xmp: Path | None = None
    takeout: Path | None = None
    album: str | None = None


def candidates_in(listing: FolderListing) -> Iterator[ImportCandidate | ImportResult]:
    """Yields each file that is not a sidecar, with its sidecars; then a result for each sidecar without a photo."""
    xmp_files = {name.lower(): name for name in listing.names if name.lower().endswith(".xmp")}
    takeout_files = {takeout_key(name): name for name in listing.names if is_takeout_file(name)}
    photos = [name for name in listing.names if name.lower() not in xmp_files and not is_takeout_file(name)]
    pairs = [(name, _xmp_of(name, xmp_files), find_takeout_metadata(name, takeout_files)) for name in photos]
    used = {sidecar for _, *sidecars in pairs for sidecar in sidecars}
    has_takeout = any(takeout is not None for *_, takeout in pairs)
    unmatched = _UnmatchedTakeoutFiles(listing.folder, [name for name in takeout_files.values() if name not in used])
    for name, xmp, takeout in pairs:
        if listing.selected is None or name in listing.selected:
            yield ImportCandidate(
                listing.folder / name,
                xmp=_path(listing, xmp),
                takeout=_path(listing, takeout or unmatched.by_title.pop(name, None)),
                album=unmatched.album if has_takeout else None,
            )
    if listing.selected is None:
        unused_xmp = (name for name in xmp_files.values() if name not in used)
        for name in (*unused_xmp, *unmatched.by_title.values(), *unmatched.others):
            yield ImportResult(listing.folder / name, ImportStatus.SKIPPED, NO_PHOTO_FOR_SIDECAR)


class _UnmatchedTakeoutFiles:
    """JSON files that match no photo by name: one may describe the album, others name their photo in their title."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.album: str | None = None
        self.by_title: dict[str, str] = {}
        self.others: list[str] = []
        for name in names:
            raw = read_small(folder / name, most=MAX_TAKEOUT_BYTES)
            metadata, album = parse_takeout_metadata(raw), parse_takeout_album(raw)
            if metadata is not None and metadata.title is not None:
                self.by_title.setdefault(metadata.title, name)
            elif album is not None and self.album is None:
                self.album = album
            else:
                self.others.append(name)


def _xmp_of(name: str, xmp_files: dict[str, str]) -> str | None:
    lower = name.lower()
    return xmp_files.get(f"{lower}.xmp") or xmp_files.get(f"{lower.rpartition('.')[0]}.xmp")


def _path(listing: FolderListing, name: str | None) -> Path | None:
    return None if name is None else listing.folder / name
