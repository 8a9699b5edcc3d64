"""Exporter that writes new and changed photos to a folder.

A photo stays where it was first written, even if its time is edited later. An export deletes nothing: files of photos
that are no longer in the library stay.
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
from sparks.model.filename import UniqueNames, portable_name, split_name
from sparks.model.photo import Photo
from sparks.model.times import unix
from sparks.table.port import Table
from sparks.takeout.export.export_files import atomic_write, digest_of, make_folder, writable, write_bytes
from sparks.takeout.export.manifest import Manifest, ManifestLine
from sparks.takeout.export.photo_details import PhotoDetailsReader
from sparks.takeout.export.sidecars import json_sidecar, xmp_sidecar

XMP: Final = ".xmp"
JSON: Final = ".sparks.json"
UNDATED: Final = "undated"


class ExportStatus(StrEnum):
    WRITTEN = "written"
    UPDATED = "updated"  # only its sidecars
    THERE = "there"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ExportResult:
    image_id: str
    status: ExportStatus
    path: str | None = None
    reason: str | None = None
    size: int = 0


class WrittenOriginal(NamedTuple):
    """The path, size and hash of an exported original."""

    path: str
    size: int
    sha256: str


class Exporter:
    def __init__(self, folder: Path, manifest: Manifest, *, table: Table, blobs: Blobs) -> None:
        self._folder = folder
        self._manifest = manifest
        self._reader = PhotoDetailsReader(table)
        self._blobs = blobs
        self._names: defaultdict[str, UniqueNames] = defaultdict(UniqueNames)
        for exported in manifest:
            place = PurePosixPath(exported.path)
            self._names[str(place.parent)].take(place.name)

    def export(self, photos: Iterable[Photo]) -> Iterator[ExportResult]:
        """The result for each photo. StorageFull or Unavailable where nothing more can be written."""
        for photo in photos:
            try:
                with writable(self._folder):
                    yield self._export(photo)
            except (Damaged, NotFound) as error:
                yield ExportResult(photo.image_id, ExportStatus.FAILED, reason=str(error))

    def _export(self, photo: Photo) -> ExportResult:
        known = self._manifest.get(photo.image_id)
        details = self._reader.read(photo)
        xmp, json = xmp_sidecar(details), json_sidecar(details)
        kept = known if known is not None and self._has(known, photo) else None
        file = self._write(photo, known) if kept is None else WrittenOriginal(kept.path, kept.size, kept.sha256)
        changed = self._write_sidecar(file.path + XMP, xmp, None if known is None else known.xmp)
        changed |= self._write_sidecar(file.path + JSON, json, None if known is None else known.json)
        exported = ManifestLine(image_id=photo.image_id, xmp=_hash(xmp), json=_hash(json), **file._asdict())
        if exported != known:
            self._manifest.add(exported)
        status = ExportStatus.WRITTEN if kept is None else ExportStatus.UPDATED if changed else ExportStatus.THERE
        return ExportResult(photo.image_id, status, file.path, size=file.size)

    def _has(self, known: ManifestLine, photo: Photo) -> bool:
        """Whether the file is there, by its size; `--verify` reads it."""
        try:
            size = (self._folder / known.path).stat().st_size
        except FileNotFoundError:
            return False
        return size == known.size and photo.sha256 in (None, known.sha256)

    # -- Originals

    def _write(self, photo: Photo, known: ManifestLine | None) -> "WrittenOriginal":
        path = known.path if known is not None else self._free_place(photo)
        target = self._folder / path
        make_folder(target.parent)
        if known is None and (there := digest_of(target)) is not None:
            return WrittenOriginal(path, *there)
        with atomic_write(target, self._blobs.open(photo.original_key or "")) as written:
            if photo.sha256 not in (None, written.sha256):
                raise Damaged("its stored bytes are not those that were uploaded")
        if (taken := photo.taken_at or photo.file_time) is not None:
            os.utime(target, (unix(taken), unix(taken)))
        return WrittenOriginal(path, *written)

    def _free_place(self, photo: Photo) -> str:
        """A path such as `2025/05/IMG_1.jpg` that neither another photo nor a foreign file has.

        A file with the same bytes that is not in the manifest is taken over: it was written by an export that was
        killed before it could add its line.
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
        write_bytes(target, content)
        return True


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()
