"""Writing an export: what is there already stays as it is, and only what has changed is written.

A photo stays where it was first written, whatever is said of its time later. What is no longer in the library is left
where it is: an export takes nothing away.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from sparks.blobs.port import Blobs
from sparks.model.errors import Damaged, NotFound
from sparks.model.filename import Names, portable_name, split_name
from sparks.model.photo import Photo
from sparks.model.times import unix
from sparks.sharing.export.manifest import Exported, Manifest
from sparks.sharing.export.sidecar import json_of
from sparks.sharing.export.telling import Teller
from sparks.sharing.export.writing import digest_of, draft, make_folder, writable, write
from sparks.sharing.export.xmp import xmp_of
from sparks.table.port import Table

XMP: Final = ".xmp"
JSON: Final = ".sparks.json"
UNDATED: Final = "undated"


class Fate(StrEnum):
    WRITTEN = "written"
    UPDATED = "updated"  # its sidecars alone
    THERE = "there"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    image_id: str
    fate: Fate
    path: str | None = None
    reason: str | None = None
    size: int = 0


class Original(NamedTuple):
    """Where it is, and what it holds."""

    path: str
    size: int
    sha256: str


class Exporter:
    def __init__(self, folder: Path, manifest: Manifest, *, table: Table, blobs: Blobs) -> None:
        self._folder = folder
        self._manifest = manifest
        self._teller = Teller(table)
        self._blobs = blobs
        self._names: defaultdict[str, Names] = defaultdict(Names)
        for exported in manifest:
            place = PurePosixPath(exported.path)
            self._names[str(place.parent)].take(place.name)

    def export(self, photos: Iterable[Photo]) -> Iterator[Outcome]:
        """What became of each. StorageFull or Unavailable where nothing more can be written."""
        for photo in photos:
            try:
                with writable(self._folder):
                    yield self._export(photo)
            except (Damaged, NotFound) as error:
                yield Outcome(photo.image_id, Fate.FAILED, reason=str(error))

    def _export(self, photo: Photo) -> Outcome:
        known = self._manifest.get(photo.image_id)
        told = self._teller.tell(photo)
        xmp, json = xmp_of(told), json_of(told)
        kept = known if known is not None and self._has(known, photo) else None
        file = self._write(photo, known) if kept is None else Original(kept.path, kept.size, kept.sha256)
        changed = self._write_sidecar(file.path + XMP, xmp, None if known is None else known.xmp)
        changed |= self._write_sidecar(file.path + JSON, json, None if known is None else known.json)
        exported = Exported(image_id=photo.image_id, xmp=_hash(xmp), json=_hash(json), **file._asdict())
        if exported != known:
            self._manifest.add(exported)
        fate = Fate.WRITTEN if kept is None else Fate.UPDATED if changed else Fate.THERE
        return Outcome(photo.image_id, fate, file.path, size=file.size)

    def _has(self, known: Exported, photo: Photo) -> bool:
        """By its length: `--verify` reads all of it."""
        try:
            size = (self._folder / known.path).stat().st_size
        except FileNotFoundError:
            return False
        return size == known.size and photo.sha256 in (None, known.sha256)

    # -- Originals

    def _write(self, photo: Photo, known: Exported | None) -> "Original":
        path = known.path if known is not None else self._free_place(photo)
        target = self._folder / path
        make_folder(target.parent)
        if known is None and (there := digest_of(target)) is not None:
            return Original(path, *there)
        with draft(target, self._blobs.open(photo.original_key or "")) as written:
            if photo.sha256 not in (None, written.sha256):
                raise Damaged("its stored bytes are not those that were uploaded")
        if (taken := photo.taken_at or photo.file_time) is not None:
            os.utime(target, (unix(taken), unix(taken)))
        return Original(path, *written)

    def _free_place(self, photo: Photo) -> str:
        """`2025/05/IMG_1.jpg`: a name that no other photo has, and no file that somebody else has put there.

        [Note: found again] A file with just these bytes, which no line tells of, was written by an export that was
        killed before it could say so.
        """
        folder = (photo.month or UNDATED).replace("-", "/")
        ending = split_name((photo.original_key or "").rpartition("/")[2])[1]
        name = portable_name(photo.original_filename or "") or photo.image_id + ending
        while True:
            path = f"{folder}/{self._names[folder].take(name)}"
            there = self._folder / path
            if not os.path.lexists(there) or self._is_ours(there, photo):
                return path

    def _is_ours(self, path: Path, photo: Photo) -> bool:
        if photo.sha256 is None or path.is_symlink() or not path.is_file():
            return False
        found = digest_of(path)
        return found is not None and found.sha256 == photo.sha256

    # -- Sidecars

    def _write_sidecar(self, path: str, content: bytes, known: str | None) -> bool:
        target = self._folder / path
        if known == _hash(content) and target.is_file():
            return False
        write(target, content)
        return True


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()
