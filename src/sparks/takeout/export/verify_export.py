"""Verifier that compares an export with the library."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from sparks.model.photo import Photo
from sparks.table.port import Table
from sparks.takeout.export.export_files import digest_of
from sparks.takeout.export.exporter import JSON, XMP
from sparks.takeout.export.manifest import Manifest, ManifestLine
from sparks.takeout.export.photo_details import PhotoDetailsReader
from sparks.takeout.export.sidecars import json_sidecar, xmp_sidecar


class DifferenceKind(StrEnum):
    MISSING = "missing"  # a photo that was never exported
    LOST = "lost"  # an exported file that is not there
    DAMAGED = "damaged"  # the file differs from the library
    STALE = "stale"  # the photo was edited since: export again
    GONE = "gone"  # the photo is no longer in the library

    @property
    def is_fault(self) -> bool:
        """False for GONE: an export keeps deleted photos, which is reported but no fault."""
        return self is not DifferenceKind.GONE


@dataclass(frozen=True, slots=True)
class ExportDifference:
    """`difference` is None where the file is as it should be."""

    image_id: str
    path: str | None = None
    difference: DifferenceKind | None = None


class ExportVerifier:
    def __init__(self, folder: Path, manifest: Manifest, *, table: Table) -> None:
        self._folder = folder
        self._manifest = manifest
        self._reader = PhotoDetailsReader(table)

    def verify(self, photos: Iterable[Photo], *, all_of_them: bool) -> Iterator[ExportDifference]:
        """The result for each file. `all_of_them`: these are all photos of the library, so exported others are gone."""
        verified: set[str] = set()
        for photo in photos:
            verified.add(photo.image_id)
            exported = self._manifest.get(photo.image_id)
            if exported is None:
                yield ExportDifference(photo.image_id, difference=DifferenceKind.MISSING)
            else:
                yield from self._compare(photo, exported)
        if all_of_them:
            gone = (exported for exported in self._manifest if exported.image_id not in verified)
            yield from (ExportDifference(each.image_id, each.path, DifferenceKind.GONE) for each in gone)

    def _compare(self, photo: Photo, exported: ManifestLine) -> Iterator[ExportDifference]:
        details = self._reader.read(photo)
        now = {
            "": photo.sha256 or exported.sha256,
            XMP: _hash(xmp_sidecar(details)),
            JSON: _hash(json_sidecar(details)),
        }
        then = {"": exported.sha256, XMP: exported.xmp, JSON: exported.json}
        for ending, hashed in now.items():
            path = exported.path + ending
            found = digest_of(self._folder / path)
            is_as_written = found is not None and found.sha256 == then[ending]
            if found is None:
                difference: DifferenceKind | None = DifferenceKind.LOST
            elif found.sha256 == hashed:
                difference = None
            else:
                difference = DifferenceKind.STALE if is_as_written and ending else DifferenceKind.DAMAGED
            yield ExportDifference(photo.image_id, path, difference)


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()
