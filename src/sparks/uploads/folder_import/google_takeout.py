"""Google Takeout's metadata files: find by name, and parse.

As seen in archives, the metadata of `IMG.jpg` is in `IMG.jpg.json` or `IMG.jpg.supplemental-metadata.json`. The name
before `.json` is cut to 46 characters, so any part of `.supplemental-metadata`, or of the photo's name, may be missing.
The number of a second `IMG.jpg`, which is called `IMG(1).jpg`, comes last and is never cut: `IMG.jpg(1).json` or
`IMG.jpg.supplemental-metadata(1).json`. An edited copy is called `IMG-edited.jpg`, in the language of the account, and
has no file of its own. Neither has the clip of a live photo, `IMG.mp4` beside `IMG.heic`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from sparks.media.metadata import clean_text
from sparks.media.metadata.location import location_of
from sparks.model.photo import Location

MAX_TAKEOUT_BYTES: Final = 1 << 20
EARLIEST: Final = -4_544_208_000  # 1826, the first photograph
LATEST: Final = 7_258_118_400  # 2200
SUFFIX: Final = ".supplemental-metadata"
MIN_CUT_LENGTH: Final = 40  # characters; a name that was cut has more

TakeoutFiles = Mapping[str, str]  # the names of the metadata files, by `takeout_key`

_NUMBERED: Final = re.compile(r"(.*)(\(\d{1,5}\))", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeoutMetadata:
    """None for what the file does not say. `title` is the photo's name before Google cut it. `taken_at` comes without a
    time zone, so the local time is not known.
    """

    title: str | None = None
    description: str | None = None
    taken_at: datetime | None = None
    location: Location | None = None
    is_trashed: bool = False


def parse_takeout_metadata(raw: bytes) -> TakeoutMetadata | None:
    """None unless the file describes a photo."""
    fields = _decoded(raw)
    if "photoTakenTime" not in fields:
        return None
    return TakeoutMetadata(
        title=clean_text.clean_title(_text(fields.get("title"))),
        description=clean_text.clean_paragraph(_text(fields.get("description"))),
        taken_at=_time(fields["photoTakenTime"]),
        location=_location(fields.get("geoData")) or _location(fields.get("geoDataExif")),
        is_trashed=fields.get("trashed") is True,
    )


def parse_takeout_album(raw: bytes) -> str | None:
    """The title of the album that the file describes, if any."""
    fields = _decoded(raw)
    if "photoTakenTime" in fields:
        return None
    old = fields.get("albumData")
    return clean_text.clean_title(_text((old if isinstance(old, dict) else fields).get("title")))


def _decoded(raw: bytes) -> dict[str, Any]:
    try:
        decoded = msgspec.json.decode(raw) if len(raw) <= MAX_TAKEOUT_BYTES else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return decoded if isinstance(decoded, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _time(value: object) -> datetime | None:
    """From `{"timestamp": "1546300800", ..}`; zero stands for an unknown time."""
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


def is_takeout_file(name: str) -> bool:
    return name.lower().endswith(".json")


def takeout_key(name: str) -> str:
    """The key of a metadata file for `find_takeout_metadata`: its name in lower case, without `.json`."""
    return name[: -len(".json")].lower()


def find_takeout_metadata(name: str, files: TakeoutFiles) -> str | None:
    """The name of the metadata file of this photo, if there is one."""
    for photo in _originals(name):
        for key in _keys(photo.lower()):
            if key in files:
                return files[key]
    return _of_still(name, files)


def _originals(name: str) -> Iterator[str]:
    """The photo itself, and the photo of which it may be an edited copy."""
    yield name
    stem, dot, extension = name.rpartition(".")
    stem, number = _copy_number(stem)
    original, dash, _ = stem.rpartition("-")
    if original and dash:
        yield f"{original}{number}{dot}{extension}"


def _keys(name: str) -> Iterator[str]:
    """Possible keys, the least cut first. The number may also stay inside the photo's name: some tools repair archives
    that way.
    """
    stem, dot, extension = name.rpartition(".")
    stem, number = _copy_number(stem)
    plain = f"{stem}{dot}{extension}"
    for full, end in ((plain, number), (name, "")) if number else ((plain, ""),):
        whole = full + SUFFIX
        for length in range(len(whole), min(len(full), MIN_CUT_LENGTH) - 1, -1):
            yield whole[:length] + end


def _of_still(name: str, files: TakeoutFiles) -> str | None:
    """The metadata of the still picture of the same name, for the clip of a live photo."""
    stem, _, extension = name.lower().rpartition(".")
    if extension not in ("mp4", "mov", "mp"):
        return None
    stills = (key for still in ("heic", "jpg", "jpeg", "png", "webp") for key in _keys(f"{stem}.{still}"))
    return next((files[key] for key in stills if key in files), None)


def _copy_number(stem: str) -> tuple[str, str]:
    match = _NUMBERED.fullmatch(stem)
    return (match[1], match[2]) if match is not None else (stem, "")
