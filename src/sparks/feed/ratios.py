"""The shapes of all photos of a timeline, one byte each: enough to lay out every month before any of them is asked for.

A byte `b` stands for the aspect ratio (width by height) 2 ** ((b - 128) / 36): from 1:11.6 to 11.5:1, in steps of two
per cent that meet 3:2, 4:3 and 16:9 to a fifth of a per cent. What nobody knows is a square.

A strip is one piece a month, newest first: 20 bytes, big-endian, then a byte a photo, newest first. The 20 bytes are
the month (`2025-08`), a zero, the version of the month (8 bytes; 0 while it is changing) and the number of its photos
(4 bytes).
"""

import math
import struct
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

STEPS: Final = 36  # an octave
SQUARE: Final = 128
HEAD: Final = struct.Struct(">7sxQI")


class Piece(NamedTuple):
    """The shapes of a month at one version."""

    month: str
    version: int
    shapes: bytes


def shape_byte(ratio: float) -> int:
    if ratio <= 0:
        return SQUARE
    return min(255, max(0, SQUARE + round(STEPS * math.log2(ratio))))


def shape_bytes(ratios: Iterable[float]) -> bytes:
    return bytes(map(shape_byte, ratios))


def joined(pieces: Iterable[Piece]) -> bytes:
    return b"".join(
        part for month, version, shapes in pieces for part in (HEAD.pack(month.encode(), version, len(shapes)), shapes)
    )


def pieces_in(strip: bytes) -> Mapping[str, Piece]:
    """The pieces of a strip, by month. Of one that is cut off, those that are whole."""
    pieces: dict[str, Piece] = {}
    at = 0
    while at + HEAD.size <= len(strip):
        month, version, count = HEAD.unpack_from(strip, at)
        at += HEAD.size + count
        if at <= len(strip):
            pieces[month.decode("latin-1")] = Piece(month.decode("latin-1"), version, strip[at - count : at])
    return pieces
