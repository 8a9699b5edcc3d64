"""When a picture was taken.

A time comes with the offset of its zone or without: then `at` is the camera's clock read as UTC, as `model.times` says,
and months are right all the same.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from sparks.model.times import zone


class TakenFrom(StrEnum):
    """Who says so, the most trusted first. FILE is for callers who find no other: the file's own time."""

    EXIF = "exif"
    XMP = "xmp"
    IPTC = "iptc"
    QUICKTIME = "quicktime"
    GPS = "gps"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Taken:
    at: datetime
    offset: str | None
    source: TakenFrom


EARLIEST: Final = 1826  # the first photograph
LATEST: Final = 2200
NEVER: Final = frozenset({datetime(1904, 1, 1), datetime(1970, 1, 1)})  # noqa: DTZ001  clocks that were never set
MOST_TEXT: Final = 64
NEAR: Final = timedelta(seconds=90)  # how far a camera's clock may be from the satellites'

_TIME: Final = re.compile(
    r"\s*(\d{4})[:\-/.](\d\d?)[:\-/.](\d\d?)"
    r"(?:[T\s]+(\d\d?):(\d\d?)(?::(\d\d?)(?:[.,](\d{1,9}))?)?)?"
    r"\s*(Z|[+-]\d\d(?::?\d\d)?)?\s*",
    re.ASCII,
)
_OFFSET: Final = re.compile(r"([+-])(\d\d?)(?::?(\d\d))?", re.ASCII)
_DIGITS: Final = re.compile(r"\d{1,9}", re.ASCII)
_ODD_OFFSETS: Final = (-570, -210, 210, 270, 330, 345, 390, 525, 570, 630, 765)  # minutes; those on the map
_OFFSETS: Final = tuple(sorted({*range(-720, 841, 60), *_ODD_OFFSETS}))


def read_time(
    text: str | None, source: TakenFrom, *, offset: str | None = None, fraction: str | None = None
) -> Taken | None:
    """From `2021:04:10 11:44:00` as EXIF has it, or from ISO 8601. An offset within the text beats the other."""
    match = _TIME.fullmatch((text or "")[:MOST_TEXT])
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    try:
        clock = datetime(year, month, day, hour, minute, min(second, 59), _microseconds(match[7] or fraction))  # noqa: DTZ001
    except ValueError:
        return None
    return _taken(clock, read_offset(match[8] or offset), source)


def _taken(clock: datetime, offset: str | None, source: TakenFrom) -> Taken | None:
    """By a clock on the wall, which is `offset` ahead of UTC."""
    if not EARLIEST <= clock.year < LATEST or clock.replace(microsecond=0) in NEVER:
        return None
    return Taken(clock.replace(tzinfo=zone(offset)).astimezone(UTC), offset, source)


def read_offset(text: str | None) -> str | None:
    """In the form `+02:00`; None where this is no offset that a zone could have."""
    if text in ("Z", "z"):
        return "+00:00"
    match = _OFFSET.fullmatch((text or "").strip()[:MOST_TEXT])
    if match is None:
        return None
    hours, minutes = int(match[2]), int(match[3] or 0)
    return f"{match[1]}{hours:02}:{minutes:02}" if hours <= 14 and minutes < 60 else None


def with_offset_from(taken: Taken, satellites: datetime | None) -> Taken:
    """The same with its offset, where the satellites' time tells it and the camera did not.

    The two clocks differ by the zone's offset, give or take some seconds. Where they differ by anything else the fix
    was an old one, and tells nothing.
    """
    if taken.offset is not None or satellites is None:
        return taken
    ahead = taken.at - satellites
    for minutes in _OFFSETS:
        if abs(ahead - timedelta(minutes=minutes)) <= NEAR:
            sign, size = "-" if minutes < 0 else "+", abs(minutes)
            return Taken(taken.at - timedelta(minutes=minutes), f"{sign}{size // 60:02}:{size % 60:02}", taken.source)
    return taken


def _microseconds(fraction: str | None) -> int:
    match = _DIGITS.match((fraction or "").strip())
    return int(match[0].ljust(6, "0")[:6]) // 1000 * 1000 if match is not None else 0
