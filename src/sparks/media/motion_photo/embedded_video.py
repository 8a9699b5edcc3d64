"""Video embedded in a picture file: located by its boxes, and opened as a file."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from sparks.media.containers.blocks import read_uint
from sparks.media.containers.isobmff import find_box

MAX_SECONDS: Final = 30.0  # phones write three to six; a longer one may be a hidden video
MAX_BOXES: Final = 1000
VIDEO_BOXES: Final = frozenset({b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"meta", b"udta", b"uuid"})
REQUIRED_BOXES: Final = frozenset({b"moov", b"mdat"})


@dataclass(frozen=True, slots=True)
class EmbeddedVideo:
    """`start` and `length` are in bytes of the picture file."""

    start: int
    length: int
    seconds: float


def video_at(view: memoryview, start: int) -> EmbeddedVideo | None:
    """The video at this offset; None where there is none, where a part is missing, or where it is too long."""
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
    seconds = _seconds(inside[:length]) if kinds >= REQUIRED_BOXES else None
    return None if seconds is None or not 0 < seconds <= MAX_SECONDS else EmbeddedVideo(start, length, seconds)


def _boxes(view: memoryview) -> Iterator[tuple[bytes, int]]:
    """The kind and the end of each box, up to the first that is no video box: phones append other data."""
    at = 0
    for _ in range(MAX_BOXES):
        size, kind, header = read_uint(view, at, 4), bytes(view[at + 4 : at + 8]), 8
        if size == 1:
            size, header = read_uint(view, at + 8, 8), 16
        if size < header or kind not in VIDEO_BOXES:
            return
        at += size
        yield kind, at


def _seconds(view: memoryview) -> float | None:
    """The duration that the header declares; None where it declares none."""
    head = find_box(view, b"moov", b"mvhd")
    if head is None:
        return None
    is_long = read_uint(head, 0, 1) == 1
    at, size = (20, 8) if is_long else (12, 4)
    clock, ticks = read_uint(head, at, 4), read_uint(head, at + 4, size)
    return round(ticks / clock, 3) if clock else None


def opened_part(view: memoryview, video: EmbeddedVideo) -> BinaryIO:
    """The video as a file for reading, without a copy of its bytes."""
    return io.BufferedReader(_FilePart(view[video.start : video.start + video.length]))


class _FilePart(io.RawIOBase):
    def __init__(self, view: memoryview) -> None:
        self._view = view
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        taken = self._view[self._at : self._at + len(buffer)]
        buffer[: len(taken)] = taken
        self._at += len(taken)
        return len(taken)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._view)}[whence]
        self._at = max(0, start + offset)
        return self._at
