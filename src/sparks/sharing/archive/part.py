"""Some hundred entries of an archive, one behind the other: their slots, and what the list has of them."""

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol
from zlib import crc32

from sparks.blobs.port import Blobs
from sparks.blobs.served import ServedBlobs
from sparks.sharing.archive import form
from sparks.sharing.archive.entry import PlannedEntry
from sparks.sharing.archive.findings import Findings
from sparks.sharing.archive.opening import READ_AT_ONCE, Content, opened

ASKED_AT_ONCE: Final = 50  # entries


class Guard(Protocol):
    """Whether whoever reads may still do so: much may change while a large archive is sent."""

    def check(self) -> None:
        """Asked with every piece. Raises where they may not go on at all."""

    def given(self, entries: Sequence[PlannedEntry]) -> Collection[str]:
        """The ids of those photos that they may still be given."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the bytes come from, and whether they may still be given."""

    guard: Guard
    blobs: Blobs
    served: ServedBlobs | None


class Part:
    def __init__(self, entries: Sequence[PlannedEntry], start: int, findings: Findings, sources: Sources) -> None:
        """`start`: the byte of the archive that its first slot begins at."""
        self.findings = findings
        self._entries = entries
        self._start = start
        self._sources = sources
        self._asked: tuple[int, Collection[str]] = -1, ()

    # -- Slots

    def slots(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes of the archive from `start` up to, not including, `end`, as far as they are in this part."""
        for index, entry, offset in self._placed():
            size = form.slot_size(entry)
            if offset < end and offset + size > start:
                yield from self._slot(index, entry, max(start - offset, 0), min(end - offset, size))

    def _slot(self, index: int, entry: PlannedEntry, start: int, end: int) -> Iterator[bytes]:
        """`start` and `end` are counted from where the slot begins."""
        header = form.slot_header(entry)
        behind = len(header) + entry.size
        crc = self.findings.crc(index)
        if crc is not None and start >= behind:
            yield form.slot_sum(entry, crc)[start - behind : end - behind]
            return
        with self._opened(index) as content:
            if content is None:
                yield from _filler(end - start)
                return
            yield header[start:end]
            yield from self._data(index, content, max(start - len(header), 0), min(end - len(header), entry.size))
            if end > behind:
                found = yield from self._sum(index, content)
                yield form.slot_sum(entry, found)[max(start - behind, 0) : end - behind]

    def _data(self, index: int, content: Content, start: int, end: int) -> Iterator[bytes]:
        crc = 0
        for chunk in content.read(start, max(start, end)):
            crc = crc32(chunk, crc)
            yield chunk
        if (start, end) == (0, self._entries[index].size):
            self.findings.note(index, crc)

    # -- The list

    def find_out(self) -> Iterator[bytes]:
        """Reads what nobody has read yet; what is given meanwhile is empty."""
        for index in range(len(self._entries)):
            if self.findings.crc(index) is None and not self.findings.is_gone(index):
                with self._opened(index) as content:
                    if content is not None:
                        yield from self._sum(index, content)
        self.findings.save()

    def gone(self) -> list[str]:
        """The names of those that are."""
        return [entry.name for index, entry in enumerate(self._entries) if self.findings.is_gone(index)]

    def records(self) -> list[bytes]:
        """Of all that are there. What is not known is taken for gone: `find_out` comes first."""
        found = ((entry, offset, self.findings.crc(index)) for index, entry, offset in self._placed())
        return [form.record(entry, offset, crc) for entry, offset, crc in found if crc is not None]

    # -- Entries

    def _placed(self) -> Iterator[tuple[int, PlannedEntry, int]]:
        offset = self._start
        for index, entry in enumerate(self._entries):
            yield index, entry, offset
            offset += form.slot_size(entry)

    @contextmanager
    def _opened(self, index: int) -> Iterator[Content | None]:
        """None where it is gone; that is known from then on."""
        entry = self._entries[index]
        if self.findings.is_gone(index):
            yield None
        elif not self._is_given(index):
            self.findings.lose(index)
            yield None
        else:
            with opened(entry, blobs=self._sources.blobs, served=self._sources.served) as content:
                if content is None:
                    self.findings.lose(index)
                yield content

    def _is_given(self, index: int) -> bool:
        """Asked for some at a time."""
        some = index - index % ASKED_AT_ONCE
        if self._asked[0] != some:
            self._asked = some, self._sources.guard.given(self._entries[some : some + ASKED_AT_ONCE])
        return self._entries[index].image_id in self._asked[1]

    def _sum(self, index: int, content: Content) -> Generator[bytes, None, int]:
        """The checksum, which is known or else read; what is given meanwhile is empty."""
        known = self.findings.crc(index)
        if known is not None:
            return known
        crc = 0
        for chunk in content.read(0, self._entries[index].size):
            crc = crc32(chunk, crc)
            yield b""
        self.findings.note(index, crc)
        return crc


def _filler(size: int) -> Iterator[bytes]:
    for start in range(0, size, READ_AT_ONCE):
        yield bytes(min(READ_AT_ONCE, size - start))
