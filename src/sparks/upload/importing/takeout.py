"""What Google Takeout tells of a photo or of an album, in a JSON file beside it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from sparks.media.metadata import words
from sparks.media.metadata.place import location_of
from sparks.model.photo import Location

MOST_BYTES: Final = 1 << 20
EARLIEST: Final = -4_544_208_000  # 1826, the first photograph
LATEST: Final = 7_258_118_400  # 2200


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Absent when absent. `title` is the name of the file before Google cut it. `taken_at` is told without a zone: what
    the clock on the wall said is not known.
    """

    title: str | None = None
    description: str | None = None
    taken_at: datetime | None = None
    location: Location | None = None
    is_trashed: bool = False


def read_note(raw: bytes) -> Note | None:
    """None unless this is about a photo."""
    told = _decoded(raw)
    if "photoTakenTime" not in told:
        return None
    return Note(
        title=words.name(_text(told.get("title")), words.MOST_TITLE),
        description=words.passage(_text(told.get("description"))),
        taken_at=_time(told["photoTakenTime"]),
        location=_location(told.get("geoData")) or _location(told.get("geoDataExif")),
        is_trashed=told.get("trashed") is True,
    )


def read_album(raw: bytes) -> str | None:
    """The title of the album that this is about, if it is about one that has a title."""
    told = _decoded(raw)
    if "photoTakenTime" in told:
        return None
    old = told.get("albumData")
    return words.name(_text((old if isinstance(old, dict) else told).get("title")), words.MOST_TITLE)


def _decoded(raw: bytes) -> dict[str, Any]:
    try:
        told = msgspec.json.decode(raw) if len(raw) <= MOST_BYTES else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _time(value: object) -> datetime | None:
    """From `{"timestamp": "1546300800", ..}`. Zero is what is told where nobody knows."""
    stamp = value.get("timestamp") if isinstance(value, dict) else None
    try:
        seconds = int(stamp) if isinstance(stamp, str | int) and len(str(stamp)) <= 15 else 0
    except ValueError:
        return None
    return datetime.fromtimestamp(seconds, UTC) if seconds and EARLIEST <= seconds < LATEST else None


def _location(value: object) -> Location | None:
    if not isinstance(value, dict):
        return None
    latitude, longitude, altitude = (_number(value.get(name)) for name in ("latitude", "longitude", "altitude"))
    return location_of(latitude, longitude, altitude or None)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
