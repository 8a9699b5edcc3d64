"""Reader of any byte range of a planned archive.

An entry whose file is gone when it is first read stays gone (see `entry_states`), and its slot holds filler. If a file
disappears after a download has read it, the archive has become another file: ArchiveChanged.
"""

from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zlib import crc32

from sparks.model.archive import Archive
from sparks.model.keyring import Keyring
from sparks.model.times import unix
from sparks.table.port import Table
from sparks.takeout.archive import zip_format
from sparks.takeout.archive.entry_states import ArchiveChanged, EntryStates
from sparks.takeout.archive.file_choice import MISSING_NAME
from sparks.takeout.archive.part_reader import ArchiveStores, PartReader
from sparks.takeout.archive.plan_store import packed_clock, renew_archive, stored_parts

HEADLINE: Final = (
    "These photos are not in here: they were deleted or hidden before they could be sent, or are not ready.\n"
)
MIN_CHUNK: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class MissingFile:
    """The entry `_missing.txt`: its whole slot, and its record in the central directory."""

    slot: bytes
    record: bytes


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    size: int
    clock: int
    time: int


def missing_file(names: Sequence[str], *, at: datetime, offset: int) -> MissingFile | None:
    """The list of the missing files. None where nothing is missing. It fits into the space of their records and the
    reserve.
    """
    if not names:
        return None
    data = (HEADLINE + "".join(f"{name}\n" for name in names)).encode()
    entry = _Entry(MISSING_NAME, len(data), packed_clock(at), unix(at))
    crc = crc32(data)
    return MissingFile(
        zip_format.whole_file(entry, data, crc), zip_format.directory_record(entry, offset, crc, crc_follows=False)
    )


class ArchiveReader:
    def __init__(self, archive: Archive, *, stores: ArchiveStores, table: Table, keyring: Keyring) -> None:
        self._archive = archive
        self._stores = stores
        self._table = table
        self._keyring = keyring

    def read(self, start: int, end: int) -> Generator[bytes, None, None]:
        """The bytes from `start` up to, not including, `end`. Empty chunks come while checksums are computed."""
        for piece in _coalesce(self._read(start, end)):
            self._stores.guard.check()
            yield piece

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        slots_end = self._archive.slots_end
        try:
            if start < slots_end:
                yield from self._slots(start, min(end, slots_end))
            if end > slots_end:
                yield from _slice(self._directory(), start - slots_end, end - slots_end)
        except ArchiveChanged:
            renew_archive(self._archive, table=self._table)
            raise

    def _slots(self, start: int, end: int) -> Iterator[bytes]:
        starts = self._archive.part_starts
        for number, part in enumerate(self._parts(bisect_right(starts, start) - 1), bisect_right(starts, start) - 1):
            if starts[number] >= end:
                return
            try:
                yield from part.slots(start, end)
            finally:
                part.states.save()

    def _directory(self) -> Iterator[bytes]:
        """`_missing.txt`, the central directory and the end record.

        The directory's offset depends on how many entries are gone. So every entry whose state is not stored yet is
        read before the first byte.
        """
        archive, gone, size, count = self._archive, list[str](), 0, 0
        for part in self._parts():
            yield from part.read_unknown()
            gone += part.gone()
            records = part.records()
            size, count = size + sum(map(len, records)), count + len(records)
        missing = missing_file(gone, at=archive.created_at, offset=archive.slots_end)
        slot, record = (b"", b"") if missing is None else (missing.slot, missing.record)
        wide = zip_format.needs_wide_end(archive.photo_count, archive.slots_end, archive.central_bytes)
        directory_start = archive.byte_count - zip_format.end_size(wide=wide) - size - len(record)
        yield slot
        yield bytes(directory_start - archive.slots_end - len(slot))
        for part in self._parts():
            yield b"".join(part.records())
        yield record
        yield zip_format.end(count + bool(record), directory_start, size + len(record), wide=wide)

    def _parts(self, first: int = 0) -> Iterator[PartReader]:
        archive = self._archive
        parts = stored_parts(archive, first=first, table=self._table, keyring=self._keyring)
        for number, entries in enumerate(parts, first):
            states = EntryStates(archive, number, len(entries), table=self._table)
            yield PartReader(entries, archive.part_starts[number], states, self._stores)


def _slice(chunks: Iterable[bytes], start: int, end: int) -> Iterator[bytes]:
    """The bytes from `start` to `end` of all chunks together."""
    offset = 0
    for chunk in chunks:
        yield chunk[max(start - offset, 0) : max(end - offset, 0)]
        offset += len(chunk)
        if offset >= end:
            return


def _coalesce(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Fewer and larger chunks: each costs a switch of threads. An empty chunk is passed on if nothing is buffered."""
    buffered: list[bytes] = []
    size = 0
    for chunk in chunks:
        buffered.append(chunk)
        size += len(chunk)
        if size >= MIN_CHUNK or not size:
            yield b"".join(buffered)
            buffered, size = [], 0
    yield b"".join(buffered)
