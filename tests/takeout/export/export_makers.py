"""A small library to be exported."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from sparks.blobs.memory import MemoryBlobs
from sparks.library.records import to_item
from sparks.model.photo import Photo
from sparks.model.stored import Stored
from sparks.table.memory import MemoryTable
from sparks.table.port import Put, Table
from sparks.takeout.export.exporter import Exporter, ExportResult
from sparks.takeout.export.manifest import Manifest
from sparks.takeout.export.photo_details import all_photos
from sparks.takeout.export.verify_export import ExportDifference, ExportVerifier
from tests.factories import NOON, a_photo
from tests.takeout.archive.archive_makers import RING


@dataclass
class ExportLibrary:
    folder: Path
    table: Table = field(default_factory=MemoryTable)
    blobs: MemoryBlobs = field(default_factory=lambda: MemoryBlobs(keyring=RING))

    def add_photo(self, data: bytes = b"a picture", **more: Any) -> Photo:
        told = {"taken_at": NOON, "file_size": len(data), "sha256": sha256(data).hexdigest(), **more}
        photo = a_photo(**told)
        self.blobs.put(photo.original_key or "", [data])
        self.keep(photo)
        return photo

    def keep(self, *rows: Stored) -> None:
        self.table.write(*(Put(to_item(row)) for row in rows))

    def export(self) -> list[ExportResult]:
        self.folder.mkdir(exist_ok=True)
        with Manifest(self.folder) as manifest:
            exporter = Exporter(self.folder, manifest, table=self.table, blobs=self.blobs)
            return list(exporter.export(all_photos(table=self.table)))

    def verify(self) -> list[ExportDifference]:
        """Differences between the library and the export."""
        with Manifest(self.folder, write=False) as manifest:
            found = ExportVerifier(self.folder, manifest, table=self.table).verify(
                all_photos(table=self.table), all_of_them=True
            )
            return [finding for finding in found if finding.difference is not None]

    def files(self) -> dict[str, bytes]:
        """Originals and sidecars, by their paths."""
        found = (path for path in self.folder.rglob("*") if path.is_file() and path.parent != self.folder)
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in found}
