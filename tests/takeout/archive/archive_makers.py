"""Archives of small photos, and a guard that lets a test choose the photos that may be sent."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import Blobs
from sparks.model.archive import Archive
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from sparks.takeout.archive.archive_reader import ArchiveReader
from sparks.takeout.archive.file_choice import ArchiveChoice, plan_entries
from sparks.takeout.archive.part_reader import ArchiveStores
from sparks.takeout.archive.plan_archive import ArchivePurpose, plan_archive
from sparks.takeout.archive.plan_store import PlannedEntry, find_archive
from tests.factories import ANN, NOON, a_photo

RING: Final = Keyring("test", {"test": b"t" * 32})


@dataclass
class ArchiveLibrary:
    """`hidden` are the ids of photos that may not be given any more."""

    table: Table = field(default_factory=MemoryTable)
    blobs: Blobs = field(default_factory=lambda: MemoryBlobs(keyring=RING))
    hidden: set[str] = field(default_factory=set)

    def add_photo(self, data: bytes = b"a picture", name: str = "sea.jpg", **more: Any) -> Photo:
        photo = a_photo(original_filename=name, file_size=len(data), **more)
        assert photo.original_key is not None
        self.blobs.put(photo.original_key, [data])
        return photo

    def delete_original(self, photo: Photo) -> None:
        assert photo.original_key is not None
        self.blobs.delete(photo.original_key)

    def plan(self, photos: Sequence[Photo], wanted: ArchiveChoice | None = None, *, what: str = "album 1") -> Archive:
        purpose = ArchivePurpose(ANN, what, wanted or ArchiveChoice(), "Summer")
        entries = plan_entries(photos, purpose.wanted, blobs=self.blobs)
        return plan_archive(entries, purpose, at=NOON, table=self.table, keyring=RING)

    def again(self, archive: Archive) -> Archive:
        """As the next request finds it."""
        return find_archive(archive.archive_id, at=NOON, table=self.table)

    def reader(self, archive: Archive) -> ArchiveReader:
        return ArchiveReader(archive, stores=ArchiveStores(self, self.blobs), table=self.table, keyring=RING)

    def read(self, archive: Archive, start: int = 0, end: int | None = None) -> bytes:
        return b"".join(self.reader(archive).read(start, archive.byte_count if end is None else end))

    # -- As the guard of a download

    def check(self) -> None:
        """Refuses no caller."""

    def given(self, entries: Sequence[PlannedEntry]) -> set[str]:
        return {entry.image_id for entry in entries} - self.hidden


def unzipped(archive: bytes) -> dict[str, bytes]:
    """All that is in it, once it is sure that it is sound."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}
