"""Times: aware datetimes, ISO 8601 in UTC, Unix seconds and zone offsets.

ISO 8601 with milliseconds and `Z` (`2025-08-01T09:24:22.159Z`) is always 24 characters, so that it sorts as text. Unix
seconds are whole. Both drop finer parts.

A photo's `takenOffset` is the offset that EXIF writes beside the time: `+02:00`. It is absent where the camera did not
write it; the time is the camera's clock read as UTC then, which still gives the right month.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, TypeGuard

from sparks.model.errors import BadInput

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_ISO: Final = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z", re.ASCII
)
_OFFSET: Final = re.compile(r"([+-])([01]\d|2[0-3]):([0-5]\d)", re.ASCII)
_SECOND: Final = timedelta(seconds=1)


def now() -> datetime:
    """The time, no finer than a row holds it."""
    time = datetime.now(UTC)
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def utc(time: datetime) -> datetime:
    """The same moment in UTC; BadInput for a time without a zone."""
    if time.tzinfo is UTC:
        return time
    if time.utcoffset() is None:
        raise BadInput(f"a time without a zone: {time}")
    try:
        return time.astimezone(UTC)
    except OverflowError as error:
        raise BadInput(f"out of the calendar: {time}") from error


def iso(time: datetime) -> str:
    return utc(time).isoformat(timespec="milliseconds")[:23] + "Z"


def from_iso(text: str) -> datetime:
    """The opposite of `iso`; BadInput for any other form, even of a valid time."""
    if _ISO.fullmatch(text) is None:
        raise BadInput(f"not a time like 2025-08-01T09:24:22.159Z: {text[:40]!r}")
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInput(f"no such day or time: {text}") from error


def is_iso(text: object) -> TypeGuard[str]:
    """Whether it has the form that `from_iso` reads; the day may be missing in its month."""
    return isinstance(text, str) and _ISO.fullmatch(text) is not None


def unix(time: datetime) -> int:
    return (utc(time) - EPOCH) // _SECOND


def from_unix(seconds: int) -> datetime:
    try:
        return EPOCH + timedelta(seconds=int(seconds))
    except OverflowError as error:
        raise BadInput(f"no calendar reaches {seconds} seconds from 1970") from error


def day_of(time: datetime) -> str:
    """`yyyy-mm-dd`, in UTC."""
    return iso(time)[:10]


def month_of(time: datetime, offset: str | None = None) -> str:
    """`yyyy-mm`, by a clock that is `offset` ahead of UTC."""
    try:
        local = utc(time).astimezone(zone(offset))
    except OverflowError:
        local = time  # within a day of the calendar's end, where only a broken camera takes pictures
    return f"{local.year:04}-{local.month:02}"


def zone(offset: str | None) -> timezone:
    """The zone that is `offset` (`+02:00`, or None for none) ahead of UTC; BadInput for any other form."""
    if offset is None:
        return UTC
    match = _OFFSET.fullmatch(offset)
    if match is None:
        raise BadInput(f"not an offset like +02:00: {offset[:40]!r}")
    ahead = timedelta(hours=int(match[2]), minutes=int(match[3]))
    return timezone(ahead if match[1] == "+" else -ahead)


def storable(time: datetime | None) -> datetime | None:
    """The time in UTC, no finer than a row holds it."""
    return None if time is None else from_iso(iso(time))


def has_passed(time: datetime | None, *, at: datetime) -> bool:
    """Whether `time` has come; None never does."""
    return time is not None and time <= at
