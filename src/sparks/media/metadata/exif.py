"""What the camera wrote: EXIF's tags as values."""

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Final

from sparks.media.containers.blocks import Exif
from sparks.media.containers.tiff import Directory
from sparks.media.metadata import words
from sparks.media.metadata.found import Found
from sparks.media.metadata.place import degrees, location_of
from sparks.media.metadata.taken import Taken, TakenFrom, read_time
from sparks.model.photo import Location

DESCRIPTION, MAKE, MODEL, RATING = 0x010E, 0x010F, 0x0110, 0x4746
XP_TITLE, XP_KEYWORDS = 0x9C9B, 0x9C9E
ORIGINAL, DIGITIZED = 0x9003, 0x9004
OFFSET, OFFSET_ORIGINAL, OFFSET_DIGITIZED = 0x9010, 0x9011, 0x9012
FRACTION_ORIGINAL, FRACTION_DIGITIZED = 0x9291, 0x9292
EXPOSURE, F_NUMBER, ISO, BIAS, FLASH, FOCAL, FOCAL_35MM = 0x829A, 0x829D, 0x8827, 0x9204, 0x9209, 0x920A, 0xA405
RECOMMENDED_INDEX, LENS_MODEL = 0x8832, 0xA434
LATITUDE_REF, LATITUDE, LONGITUDE_REF, LONGITUDE, ALTITUDE_REF, ALTITUDE, TIME, DATE = 1, 2, 3, 4, 5, 6, 7, 29

# Descriptions that nobody wrote: cameras put them into every picture.
PLACEHOLDERS: Final = re.compile(
    r"((OLYMPUS|MINOLTA|KONICA MINOLTA|SAMSUNG|PENTAX|KODAK|CASIO) )?DIGITAL CAMERA|SONY DSC|EXIF_JPEG_PICTURE|"
    r"JPEG_PICTURE|DEFAULT|SAMSUNG|DCIM\\.*",
    re.IGNORECASE,
)
MOST_SHORT: Final = 65535  # what EXIF's old tag says of every sensitivity beyond it


def read_exif(exif: Exif) -> Found:
    main, exposure = exif.main, exif.exposure
    return Found(
        taken=_taken(main, exposure),
        satellites=_satellites(exif.place),
        make=words.name(main.raw(MAKE)),
        model=words.name(main.raw(MODEL)),
        lens=words.name(exposure.raw(LENS_MODEL)),
        iso=_sensitivity(exposure),
        exposure_time=_between(exposure.number(EXPOSURE), 1e-7, 1e6),
        f_number=_rounded(_between(exposure.number(F_NUMBER), 0.1, 1000)),
        focal_length=_rounded(_between(exposure.number(FOCAL), 0.1, 100_000)),
        focal_length_35mm=_whole(exposure.whole(FOCAL_35MM), 1, 100_000),
        exposure_bias=_rounded(_between(exposure.number(BIAS), -100, 100)),
        flash=_flash(exposure.whole(FLASH)),
        location=_location(exif.place),
        rating=_whole(main.whole(RATING), 1, 5),
        title=words.name(_windows_text(main, XP_TITLE), words.MOST_TITLE),
        description=written(words.passage(main.raw(DESCRIPTION))),
        keywords=words.names((_windows_text(main, XP_KEYWORDS) or "").split(";")),
    )


def written(description: str | None) -> str | None:
    """The description, unless it is one that cameras put into every picture."""
    return None if description is None or PLACEHOLDERS.fullmatch(description) else description


def _taken(main: Directory, exposure: Directory) -> Taken | None:
    """When it was taken; else when it was digitized. When the file was changed last tells nothing."""
    tries = (
        (exposure, ORIGINAL, OFFSET_ORIGINAL, FRACTION_ORIGINAL),
        (main, ORIGINAL, OFFSET_ORIGINAL, FRACTION_ORIGINAL),
        (exposure, DIGITIZED, OFFSET_DIGITIZED, FRACTION_DIGITIZED),
    )
    for directory, tag, offset, fraction in tries:
        zone = _ascii(exposure, offset) or _ascii(exposure, OFFSET)
        text, part = _ascii(directory, tag), _ascii(exposure, fraction)
        taken = read_time(text, TakenFrom.EXIF, offset=zone, fraction=part)
        if taken is not None:
            return taken
    return None


def _sensitivity(exposure: Directory) -> int | None:
    told = exposure.whole(ISO)
    return _whole(exposure.whole(RECOMMENDED_INDEX) if told == MOST_SHORT else told, 1, 10_000_000)


def _satellites(place: Directory) -> datetime | None:
    """The time of the fix, which is always UTC."""
    day = read_time((_ascii(place, DATE) or "")[:10], TakenFrom.GPS)
    parts = place.numbers(TIME)
    if day is None or len(parts) != 3 or None in parts:
        return None
    hours, minutes, seconds = (part if part is not None and math.isfinite(part) else -1.0 for part in parts)
    if not (0 <= hours < 24 and 0 <= minutes < 60 and 0 <= seconds <= 60):
        return None
    return day.at.astimezone(UTC) + timedelta(hours=hours, minutes=minutes, seconds=int(seconds))


def _location(place: Directory) -> Location | None:
    below = place.whole(ALTITUDE_REF) == 1
    altitude = place.number(ALTITUDE)
    return location_of(
        degrees(place.numbers(LATITUDE), _ascii(place, LATITUDE_REF)),
        degrees(place.numbers(LONGITUDE), _ascii(place, LONGITUDE_REF)),
        -altitude if altitude is not None and below else altitude,
    )


def _flash(bits: int | None) -> bool | None:
    """Whether it fired."""
    return None if bits is None else bool(bits & 1)


def _ascii(directory: Directory, tag: int) -> str | None:
    return words.name(directory.raw(tag, words.MOST_NAME))


def _windows_text(directory: Directory, tag: int) -> str | None:
    raw = directory.raw(tag)
    return None if raw is None else raw.decode("utf-16-le", "ignore").partition("\x00")[0]


def _between(number: float | None, least: float, most: float) -> float | None:
    return number if number is not None and least <= number <= most else None


def _whole(number: int | None, least: int, most: int) -> int | None:
    return number if number is not None and least <= number <= most else None


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 2) + 0.0
