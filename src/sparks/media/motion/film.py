"""A film inside of another file: where it ends and how long it runs, by its own boxes, before a decoder sees it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sparks.media.containers.boxes import find_box
from sparks.media.containers.view import whole

MOST_SECONDS: Final = 30.0  # phones write three to six; more is a video that somebody hid
MOST_BOXES: Final = 1000
KNOWN: Final = frozenset({b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"meta", b"udta", b"uuid"})
NEEDED: Final = frozenset({b"moov", b"mdat"})


@dataclass(frozen=True, slots=True)
class Film:
    """`start` and `length` are bytes of the file that it is in."""

    start: int
    length: int
    seconds: float


def film_at(view: memoryview, start: int) -> Film | None:
    """The film that starts there; None where there is none, a part of it is missing, or it is no short one."""
    if not 0 < start < len(view):
        return None
    inside = view[start:]
    kinds, length = set[bytes](), 0
    for kind, end in _boxes(inside):
        if not kinds and kind != b"ftyp":
            return None
        if end > len(inside):
            return None
        kinds.add(kind)
        length = end
    seconds = _seconds(inside[:length]) if kinds >= NEEDED else None
    return None if seconds is None or not 0 < seconds <= MOST_SECONDS else Film(start, length, seconds)


def _boxes(view: memoryview) -> Iterator[tuple[bytes, int]]:
    """The kind and the end of each box, up to the first that is none of a film's: phones write more behind it."""
    at = 0
    for _ in range(MOST_BOXES):
        size, kind, header = whole(view, at, 4), bytes(view[at + 4 : at + 8]), 8
        if size == 1:
            size, header = whole(view, at + 8, 8), 16
        if size < header or kind not in KNOWN:
            return
        at += size
        yield kind, at


def _seconds(view: memoryview) -> float | None:
    """What its header says; None where it says nothing."""
    head = find_box(view, b"moov", b"mvhd")
    if head is None:
        return None
    is_long = whole(head, 0, 1) == 1
    at, size = (20, 8) if is_long else (12, 4)
    clock, ticks = whole(head, at, 4), whole(head, at + 4, size)
    return round(ticks / clock, 3) if clock else None
