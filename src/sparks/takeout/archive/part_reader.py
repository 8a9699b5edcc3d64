"""Reader of one part of an archive: bytes and directory records of its entries."""

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol
from zlib import crc32

from sparks.blobs.port import Blobs
from sparks.takeout.archive import zip_format
from sparks.takeout.archive.entry_content import CHUNK_SIZE, EntryContent, open_entry
from sparks.takeout.archive.entry_states import EntryStates
from sparks.takeout.archive.plan_store import PlannedEntry

CHECK_BATCH: Final = 50  # entries


class DownloadGuard(Protocol):
    """Check of the caller's access while an archive is sent, which may take long."""

    def check(self) -> None:
        """Called for every chunk. Raises where the caller may not go on with the download."""

    def given(self, entries: Sequence[PlannedEntry]) -> Collection[str]:
        """The ids of the photos that the caller may still download."""


@dataclass(frozen=True, slots=True)
class ArchiveStores:
    """The blob store of the photos, and the guard of the download."""

    guard: DownloadGuard
    blobs: Blobs


class PartReader:
    def __init__(self, entries: Sequence[PlannedEntry], start: int, states: EntryStates, stores: ArchiveStores) -> None:
        """`start`: the offset of the first slot in the archive."""
        self.states = states
        self._entries = entries
        self._start = start
        self._stores = stores
        self._checked: tuple[int, Collection[str]] = -1, ()

    # -- Slots

    def slots(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes of the archive from `start` up to, not including, `end`, as far as they are in this part."""
        for index, entry, offset in self._with_offsets():
            size = zip_format.slot_size(entry)
            if offset < end and offset + size > start:
                yield from self._slot(index, entry, max(start - offset, 0), min(end - offset, size))

    def _slot(self, index: int, entry: PlannedEntry, start: int, end: int) -> Iterator[bytes]:
        """`start` and `end` are offsets in the slot."""
        header = zip_format.slot_header(entry)
        data_end = len(header) + entry.size
        crc = self.states.crc(index)
        if crc is not None and start >= data_end:
            yield zip_format.slot_descriptor(entry, crc)[start - data_end : end - data_end]
            return
        with self._opened(index) as content:
            if content is None:
                yield from _filler(end - start)
                return
            yield header[start:end]
            yield from self._data(index, content, max(start - len(header), 0), min(end - len(header), entry.size))
            if end > data_end:
                found = yield from self._checksum(index, content)
                yield zip_format.slot_descriptor(entry, found)[max(start - data_end, 0) : end - data_end]

    def _data(self, index: int, content: EntryContent, start: int, end: int) -> Iterator[bytes]:
        crc = 0
        for chunk in content.read(start, max(start, end)):
            crc = crc32(chunk, crc)
            yield chunk
        if (start, end) == (0, self._entries[index].size):
            self.states.set_crc(index, crc)

    # -- Directory

    def read_unknown(self) -> Iterator[bytes]:
        """Reads the entries whose state is not known yet, and yields empty chunks meanwhile."""
        for index in range(len(self._entries)):
            if self.states.crc(index) is None and not self.states.is_gone(index):
                with self._opened(index) as content:
                    if content is not None:
                        yield from self._checksum(index, content)
        self.states.save()

    def gone(self) -> list[str]:
        """The names of the entries that are gone."""
        return [entry.name for index, entry in enumerate(self._entries) if self.states.is_gone(index)]

    def records(self) -> list[bytes]:
        """The directory records of the entries with a checksum. Call `read_unknown` first."""
        found = ((entry, offset, self.states.crc(index)) for index, entry, offset in self._with_offsets())
        return [zip_format.directory_record(entry, offset, crc) for entry, offset, crc in found if crc is not None]

    # -- Entries

    def _with_offsets(self) -> Iterator[tuple[int, PlannedEntry, int]]:
        offset = self._start
        for index, entry in enumerate(self._entries):
            yield index, entry, offset
            offset += zip_format.slot_size(entry)

    @contextmanager
    def _opened(self, index: int) -> Iterator[EntryContent | None]:
        """The content of the entry. None where it is gone, which is stored from then on."""
        entry = self._entries[index]
        if self.states.is_gone(index):
            yield None
        elif not self._is_allowed(index):
            self.states.set_gone(index)
            yield None
        else:
            with open_entry(entry, blobs=self._stores.blobs) as content:
                if content is None:
                    self.states.set_gone(index)
                yield content

    def _is_allowed(self, index: int) -> bool:
        """Whether the caller may still download the photo; checked in batches."""
        first = index - index % CHECK_BATCH
        if self._checked[0] != first:
            self._checked = first, self._stores.guard.given(self._entries[first : first + CHECK_BATCH])
        return self._entries[index].image_id in self._checked[1]

    def _checksum(self, index: int, content: EntryContent) -> Generator[bytes, None, int]:
        """Returns the checksum, known or computed, and yields empty chunks meanwhile."""
        known = self.states.crc(index)
        if known is not None:
            return known
        crc = 0
        for chunk in content.read(0, self._entries[index].size):
            crc = crc32(chunk, crc)
            yield b""
        self.states.set_crc(index, crc)
        return crc


def _filler(size: int) -> Iterator[bytes]:
    for start in range(0, size, CHUNK_SIZE):
        yield bytes(min(CHUNK_SIZE, size - start))
