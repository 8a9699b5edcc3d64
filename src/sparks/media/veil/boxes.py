"""Boxes, of which HEIC, AVIF, MP4 and MOV are made: where each lies, and how one becomes free room."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from sparks.media.veil.patches import Patch, Read

MOST_BOXES: Final = 4096  # side by side
FREE: Final = b"free"


class Unknown(Exception):
    """A file that nobody can answer for: something may be in it that was not looked at."""


class Span(NamedTuple):
    """A box: where it begins, and where its body does, and ends."""

    kind: bytes
    start: int
    body: int
    end: int

    def freed(self) -> Iterator[Patch]:
        yield Patch(self.start + 4, self.start + 8, FREE)
        yield Patch(self.body, self.end)


def spans(read: Read, start: int, end: int) -> list[Span]:
    """The boxes that lie side by side, from `start` to just `end`; Unknown where anything else lies among them."""
    found = list[Span]()
    while start < end:
        head = read(start, min(start + 16, end))
        size, body = int.from_bytes(head[:4], "big"), start + 8
        if size == 1:
            size, body = int.from_bytes(head[8:16], "big"), start + 16
        stop = end if size == 0 else start + size
        if not body <= stop <= end or len(found) == MOST_BOXES:
            raise Unknown
        found.append(Span(head[4:8], start, body, stop))
        start = stop
    return found


def spans_in(read: Read, box: Span) -> list[Span]:
    return spans(read, box.body, box.end)


def only(kind: bytes, among: list[Span]) -> Span | None:
    """The box of this kind, if there is one; Unknown where there are several: who reads it may take another one."""
    found = [span for span in among if span.kind == kind]
    if len(found) > 1:
        raise Unknown
    return found[0] if found else None
