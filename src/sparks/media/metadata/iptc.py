"""IPTC captions, keywords and dates."""

from collections.abc import Iterator
from typing import Final

from sparks.media.metadata import clean_text
from sparks.media.metadata.capture_time import CaptureTime, TakenFrom, read_time
from sparks.media.metadata.exif import real_description
from sparks.media.metadata.partial_metadata import PartialMetadata

MAX_DATA_SETS: Final = 1000

_TITLE, _KEYWORD, _DAY, _TIME, _HEADLINE, _CAPTION = (2, 5), (2, 25), (2, 55), (2, 60), (2, 105), (2, 120)


def read_iptc(block: bytes) -> PartialMetadata:
    keywords: list[bytes] = []
    first: dict[tuple[int, int], bytes] = {}
    for key, value in data_sets(block):
        first.setdefault(key, value)
        if key == _KEYWORD:
            keywords.append(value)
    return PartialMetadata(
        taken=_taken(first),
        title=clean_text.clean_title(first.get(_TITLE) or first.get(_HEADLINE)),
        description=real_description(clean_text.clean_paragraph(first.get(_CAPTION))),
        keywords=clean_text.clean_keywords(keywords),
    )


def data_sets(block: bytes) -> Iterator[tuple[tuple[int, int], bytes]]:
    at = 0
    for _ in range(MAX_DATA_SETS):
        if block[at : at + 1] != b"\x1c" or at + 5 > len(block):
            return
        length = int.from_bytes(block[at + 3 : at + 5], "big")
        if length & 0x8000:  # an extended one, for values that no caption needs
            return
        yield (block[at + 1], block[at + 2]), block[at + 5 : at + 5 + length]
        at += 5 + length


def _taken(first: dict[tuple[int, int], bytes]) -> CaptureTime | None:
    """`20210627` and, if there, `182307+0200`."""
    day, time = clean_text.decode(first.get(_DAY, b"")), clean_text.decode(first.get(_TIME, b""))
    if len(day) != 8:
        return None
    clock = f"T{time[:2]}:{time[2:4]}:{time[4:6]}{time[6:]}" if len(time) >= 6 else ""
    return read_time(f"{day[:4]}-{day[4:6]}-{day[6:]}{clock}", TakenFrom.IPTC)
