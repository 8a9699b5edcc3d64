"""Reading an export back, and comparing it with the library."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from sparks.model.photo import Photo
from sparks.sharing.export.exporting import JSON, XMP
from sparks.sharing.export.manifest import Exported, Manifest
from sparks.sharing.export.sidecar import json_of
from sparks.sharing.export.telling import Teller
from sparks.sharing.export.writing import digest_of
from sparks.sharing.export.xmp import xmp_of
from sparks.table.port import Table


class Difference(StrEnum):
    MISSING = "missing"  # a photo that was never exported
    LOST = "lost"  # a file that was exported, and is not there
    DAMAGED = "damaged"  # it is there, and not what the library has
    STALE = "stale"  # the library says something else by now: export again
    GONE = "gone"  # it is there, and no longer in the library

    @property
    def is_fault(self) -> bool:
        """An export keeps what was deleted since: that is told, and is no fault."""
        return self is not Difference.GONE


@dataclass(frozen=True, slots=True)
class Finding:
    """`difference` is None where all is as it should be."""

    image_id: str
    path: str | None = None
    difference: Difference | None = None


class Verifier:
    def __init__(self, folder: Path, manifest: Manifest, *, table: Table) -> None:
        self._folder = folder
        self._manifest = manifest
        self._teller = Teller(table)

    def verify(self, photos: Iterable[Photo], *, all_of_them: bool) -> Iterator[Finding]:
        """What was found of each file. `all_of_them`: these are all photos of the library, so others are gone."""
        seen: set[str] = set()
        for photo in photos:
            seen.add(photo.image_id)
            exported = self._manifest.get(photo.image_id)
            if exported is None:
                yield Finding(photo.image_id, difference=Difference.MISSING)
            else:
                yield from self._compare(photo, exported)
        if all_of_them:
            gone = (exported for exported in self._manifest if exported.image_id not in seen)
            yield from (Finding(each.image_id, each.path, Difference.GONE) for each in gone)

    def _compare(self, photo: Photo, exported: Exported) -> Iterator[Finding]:
        told = self._teller.tell(photo)
        now = {"": photo.sha256 or exported.sha256, XMP: _hash(xmp_of(told)), JSON: _hash(json_of(told))}
        then = {"": exported.sha256, XMP: exported.xmp, JSON: exported.json}
        for ending, hashed in now.items():
            path = exported.path + ending
            found = digest_of(self._folder / path)
            is_as_written = found is not None and found.sha256 == then[ending]
            if found is None:
                difference: Difference | None = Difference.LOST
            elif found.sha256 == hashed:
                difference = None
            else:
                difference = Difference.STALE if is_as_written and ending else Difference.DAMAGED
            yield Finding(photo.image_id, path, difference)


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()
