"""Capture time with its zone offset, and the source that gave it.

Where the offset is unknown, `at` is the camera's clock read as UTC (see `model.times`), so that months are still right.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from sparks.model.times import zone


class TakenFrom(StrEnum):
    """Sources of a time, the most trusted first. Callers use FILE, the file's own time, where there is no other."""

    EXIF = "exif"
    XMP = "xmp"
    IPTC = "iptc"
    QUICKTIME = "quicktime"
    GPS = "gps"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class CaptureTime:
    at: datetime
    offset: str | None
    source: TakenFrom


EARLIEST: Final = 1826  # the first photograph
LATEST: Final = 2200
UNSET: Final = frozenset({datetime(1904, 1, 1), datetime(1970, 1, 1)})  # noqa: DTZ001  clocks that were never set
MAX_TEXT: Final = 64
NEAR: Final = timedelta(seconds=90)  # allowed difference between camera clock and GPS time

_TIME: Final = re.compile(
    r"\s*(\d{4})[:\-/.](\d\d?)[:\-/.](\d\d?)"
    r"(?:[T\s]+(\d\d?):(\d\d?)(?::(\d\d?)(?:[.,](\d{1,9}))?)?)?"
    r"\s*(Z|[+-]\d\d(?::?\d\d)?)?\s*",
    re.ASCII,
)
_OFFSET: Final = re.compile(r"([+-])(\d\d?)(?::?(\d\d))?", re.ASCII)
_DIGITS: Final = re.compile(r"\d{1,9}", re.ASCII)
_ODD_OFFSETS: Final = (-570, -210, 210, 270, 330, 345, 390, 525, 570, 630, 765)  # minutes; in use somewhere
_OFFSETS: Final = tuple(sorted({*range(-720, 841, 60), *_ODD_OFFSETS}))


def read_time(
    text: str | None, source: TakenFrom, *, offset: str | None = None, fraction: str | None = None
) -> CaptureTime | None:
    """Reads `2021:04:10 11:44:00`, as in EXIF, or ISO 8601. An offset in the text takes precedence over `offset`."""
    match = _TIME.fullmatch((text or "")[:MAX_TEXT])
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    try:
        clock = datetime(year, month, day, hour, minute, min(second, 59), _microseconds(match[7] or fraction))  # noqa: DTZ001
    except ValueError:
        return None
    return _taken(clock, read_offset(match[8] or offset), source)


def _taken(clock: datetime, offset: str | None, source: TakenFrom) -> CaptureTime | None:
    """The capture time of a local clock that is `offset` ahead of UTC; None where it is implausible."""
    if not EARLIEST <= clock.year < LATEST or clock.replace(microsecond=0) in UNSET:
        return None
    return CaptureTime(clock.replace(tzinfo=zone(offset)).astimezone(UTC), offset, source)


def read_offset(text: str | None) -> str | None:
    """The offset in the form `+02:00`; None where no time zone could have it."""
    if text in ("Z", "z"):
        return "+00:00"
    match = _OFFSET.fullmatch((text or "").strip()[:MAX_TEXT])
    if match is None:
        return None
    hours, minutes = int(match[2]), int(match[3] or 0)
    return f"{match[1]}{hours:02}:{minutes:02}" if hours <= 14 and minutes < 60 else None


def with_offset_from(taken: CaptureTime, gps_time: datetime | None) -> CaptureTime:
    """The capture time with the offset that follows from the GPS time, where the camera wrote none.

    The two clocks differ by the zone's offset and some seconds. Any other difference means that the GPS fix is old; it
    is then ignored.
    """
    if taken.offset is not None or gps_time is None:
        return taken
    ahead = taken.at - gps_time
    for minutes in _OFFSETS:
        if abs(ahead - timedelta(minutes=minutes)) <= NEAR:
            sign, size = "-" if minutes < 0 else "+", abs(minutes)
            return CaptureTime(
                taken.at - timedelta(minutes=minutes), f"{sign}{size // 60:02}:{size % 60:02}", taken.source
            )
    return taken


def _microseconds(fraction: str | None) -> int:
    match = _DIGITS.match((fraction or "").strip())
    return int(match[0].ljust(6, "0")[:6]) // 1000 * 1000 if match is not None else 0
