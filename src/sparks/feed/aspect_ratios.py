"""Binary format of all aspect ratios of a timeline, one byte a photo.

A byte `b` stands for the aspect ratio (width by height) 2 ** ((b - 128) / 36): from 1:11.6 to 11.5:1, in steps of two
per cent that meet 3:2, 4:3 and 16:9 to a fifth of a per cent. A photo of unknown size counts as a square.

A strip holds one piece for each month, newest first: a header of 20 bytes, big-endian, then a byte for each photo,
newest first. The header is the month (`2025-08`), a zero, the version of the month (8 bytes; 0 while it is changing)
and the number of its photos (4 bytes).
"""

import math
import struct
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

STEPS: Final = 36  # for a factor of two
SQUARE: Final = 128
HEADER: Final = struct.Struct(">7sxQI")


class MonthRatios(NamedTuple):
    """The encoded aspect ratios of a month at one version."""

    month: str
    version: int
    shapes: bytes


def ratio_byte(ratio: float) -> int:
    if ratio <= 0:
        return SQUARE
    return min(255, max(0, SQUARE + round(STEPS * math.log2(ratio))))


def ratio_bytes(ratios: Iterable[float]) -> bytes:
    return bytes(map(ratio_byte, ratios))


def join_ratios(pieces: Iterable[MonthRatios]) -> bytes:
    return b"".join(
        part
        for month, version, shapes in pieces
        for part in (HEADER.pack(month.encode(), version, len(shapes)), shapes)
    )


def split_ratios(strip: bytes) -> Mapping[str, MonthRatios]:
    """The pieces of a strip, by month. Of a truncated strip, the complete pieces."""
    pieces: dict[str, MonthRatios] = {}
    end = 0
    while end + HEADER.size <= len(strip):
        month, version, count = HEADER.unpack_from(strip, end)
        end += HEADER.size + count
        if end <= len(strip):
            pieces[month.decode("latin-1")] = MonthRatios(month.decode("latin-1"), version, strip[end - count : end])
    return pieces
