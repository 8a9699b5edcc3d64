"""The bytes of an archive, from here to there: made while they are read, and the same whoever asks for them.

An entry whose turn comes and that is gone is so from then on (see `findings`), and its slot holds filler. One that was
there for somebody, and is gone when it is needed again, makes the archive another file: ArchiveChanged.
"""

from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator
from typing import Final

from sparks.model.archive import Archive
from sparks.model.keyring import Keyring
from sparks.sharing.archive import form
from sparks.sharing.archive.findings import ArchiveChanged, Findings
from sparks.sharing.archive.keeping import parts_of, renew_archive
from sparks.sharing.archive.missing import missing_file
from sparks.sharing.archive.part import Part, Sources
from sparks.table.port import Table

GIVEN_AT_ONCE: Final = 256 * 1024


class Reader:
    def __init__(self, archive: Archive, *, sources: Sources, table: Table, keyring: Keyring) -> None:
        self._archive = archive
        self._sources = sources
        self._table = table
        self._keyring = keyring

    def read(self, start: int, end: int) -> Generator[bytes, None, None]:
        """From `start` up to, not including, `end`. Some pieces may be empty, while others are worked out."""
        for piece in _joined(self._read(start, end)):
            self._sources.guard.check()
            yield piece

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        slots_end = self._archive.slots_end
        try:
            if start < slots_end:
                yield from self._slots(start, min(end, slots_end))
            if end > slots_end:
                yield from _cut(self._behind(), start - slots_end, end - slots_end)
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
                part.findings.save()

    def _behind(self) -> Iterator[bytes]:
        """`_missing.txt`, the list and the end.

        [Note: all at once] Where the list begins depends on how many entries are gone. So each is looked at before the
        first byte is given, unless somebody has already.
        """
        archive, gone, size, count = self._archive, list[str](), 0, 0
        for part in self._parts():
            yield from part.find_out()
            gone += part.gone()
            records = part.records()
            size, count = size + sum(map(len, records)), count + len(records)
        missing = missing_file(gone, at=archive.created_at, offset=archive.slots_end)
        slot, record = (b"", b"") if missing is None else (missing.slot, missing.record)
        wide = form.needs_wide_end(archive.photo_count, archive.slots_end, archive.central_bytes)
        list_start = archive.byte_count - form.end_size(wide=wide) - size - len(record)
        yield slot
        yield bytes(list_start - archive.slots_end - len(slot))
        for part in self._parts():
            yield b"".join(part.records())
        yield record
        yield form.end(count + bool(record), list_start, size + len(record), wide=wide)

    def _parts(self, first: int = 0) -> Iterator[Part]:
        archive = self._archive
        parts = parts_of(archive, first=first, table=self._table, keyring=self._keyring)
        for number, entries in enumerate(parts, first):
            findings = Findings(archive, number, len(entries), table=self._table)
            yield Part(entries, archive.part_starts[number], findings, self._sources)


def _cut(pieces: Iterable[bytes], start: int, end: int) -> Iterator[bytes]:
    """Those bytes of all of them together."""
    at = 0
    for piece in pieces:
        yield piece[max(start - at, 0) : max(end - at, 0)]
        at += len(piece)
        if at >= end:
            return


def _joined(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Fewer and larger ones: each costs a trip to another thread. An empty one is passed on, where nothing waits."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= GIVEN_AT_ONCE or not size:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)
