"""Plans and writes a large archive in a process of its own, and prints how much memory it took.

All entries are one blob of zeros, which is on no disk; what is written has holes where they are.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import STREAM_CHUNK, BlobInfo, OpenBlob
from sparks.model.archive import Archive
from sparks.model.photo import Photo
from sparks.sqlitefile import SqliteFile
from sparks.table.sqlite import SqliteTable
from sparks.takeout.archive.archive_reader import ArchiveReader
from sparks.takeout.archive.file_choice import ArchiveChoice, plan_entries
from sparks.takeout.archive.part_reader import ArchiveStores
from sparks.takeout.archive.plan_archive import ArchivePurpose, plan_archive
from sparks.takeout.archive.plan_store import PlannedEntry
from tests.factories import ANN, NOON, a_photo
from tests.takeout.archive.archive_makers import RING


@dataclass(frozen=True)
class Zeros:
    """A blob of nothing else."""

    info: BlobInfo

    def read(self, start: int, end: int) -> bytes:
        return bytes(end - start)

    def chunks(self, start: int, end: int) -> Iterator[bytes]:
        return (self.read(at, min(at + STREAM_CHUNK, end)) for at in range(start, end, STREAM_CHUNK))

    def fileno(self) -> None:
        """None, because the bytes are in no file."""

    def close(self) -> None:
        """Closes nothing."""


class ZeroBlobs(MemoryBlobs):
    """Every key is there, with so many zeros."""

    def __init__(self, size: int) -> None:
        super().__init__(keyring=RING)
        self._size = size

    def open_blob(self, key: str) -> OpenBlob:  # type: ignore[override]
        return Zeros(BlobInfo(key, self._size, "zeros", NOON))


class OpenGuard:
    """A guard that allows everything."""

    def check(self) -> None:
        """Refuses no caller."""

    def given(self, entries: Sequence[PlannedEntry]) -> set[str]:
        return {entry.image_id for entry in entries}


def photos(number: int, size: int) -> Iterator[Photo]:
    return (a_photo(original_filename=f"IMG_{n % 1000}.jpg", file_size=size) for n in range(number))


def write(archive: Archive, reader: ArchiveReader, out: Path) -> None:
    with out.open("wb") as file:
        for piece in reader.read(0, archive.byte_count):
            if piece.count(0) == len(piece):
                file.seek(len(piece), 1)
            else:
                file.write(piece)
        file.truncate(archive.byte_count)


def most_memory() -> float:
    """Of this process in megabytes. What getrusage tells begins with what its parent had."""
    told = Path("/proc/self/status").read_text().split("VmHWM:")[1]
    return int(told.split()[0]) / 1024


def main(number: int, size: int, folder: Path) -> None:
    blobs, file = ZeroBlobs(size), SqliteFile(folder / "archive.db")
    table, purpose = SqliteTable(file), ArchivePurpose(ANN, "album 1", ArchiveChoice(), "Large")
    entries = plan_entries(photos(number, size), purpose.wanted, blobs=blobs)
    archive = plan_archive(entries, purpose, at=NOON, table=table, keyring=RING)
    reader = ArchiveReader(archive, stores=ArchiveStores(OpenGuard(), blobs), table=table, keyring=RING)
    write(archive, reader, folder / "archive.zip")
    file.close()
    print(json.dumps({"rss_mb": most_memory(), "bytes": archive.byte_count}))  # noqa: T201  what it is started for


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
