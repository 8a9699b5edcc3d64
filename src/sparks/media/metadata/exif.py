"""EXIF tags as values."""

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Final

from sparks.media.containers.blocks import ExifDirectories
from sparks.media.containers.tiff import TiffDirectory
from sparks.media.metadata import clean_text
from sparks.media.metadata.capture_time import CaptureTime, TakenFrom, read_time
from sparks.media.metadata.location import decimal_degrees, location_of
from sparks.media.metadata.partial_metadata import PartialMetadata
from sparks.model.photo import Location

DESCRIPTION, MAKE, MODEL, RATING = 0x010E, 0x010F, 0x0110, 0x4746
XP_TITLE, XP_KEYWORDS = 0x9C9B, 0x9C9E
ORIGINAL, DIGITIZED = 0x9003, 0x9004
OFFSET, OFFSET_ORIGINAL, OFFSET_DIGITIZED = 0x9010, 0x9011, 0x9012
FRACTION_ORIGINAL, FRACTION_DIGITIZED = 0x9291, 0x9292
EXPOSURE, F_NUMBER, ISO, BIAS, FLASH, FOCAL, FOCAL_35MM = 0x829A, 0x829D, 0x8827, 0x9204, 0x9209, 0x920A, 0xA405
RECOMMENDED_INDEX, LENS_MODEL = 0x8832, 0xA434
LATITUDE_REF, LATITUDE, LONGITUDE_REF, LONGITUDE, ALTITUDE_REF, ALTITUDE, TIME, DATE = 1, 2, 3, 4, 5, 6, 7, 29

# Descriptions that cameras write into every picture.
PLACEHOLDERS: Final = re.compile(
    r"((OLYMPUS|MINOLTA|KONICA MINOLTA|SAMSUNG|PENTAX|KODAK|CASIO) )?DIGITAL CAMERA|SONY DSC|EXIF_JPEG_PICTURE|"
    r"JPEG_PICTURE|DEFAULT|SAMSUNG|DCIM\\.*",
    re.IGNORECASE,
)
MAX_SHORT: Final = 65535  # the old ISO tag holds this for every higher sensitivity


def read_exif(exif: ExifDirectories) -> PartialMetadata:
    main, exposure = exif.main, exif.exposure
    return PartialMetadata(
        taken=_taken(main, exposure),
        gps_time=_gps_time(exif.gps),
        make=clean_text.clean_line(main.raw(MAKE)),
        model=clean_text.clean_line(main.raw(MODEL)),
        lens=clean_text.clean_line(exposure.raw(LENS_MODEL)),
        iso=_sensitivity(exposure),
        exposure_time=_between(exposure.number(EXPOSURE), 1e-7, 1e6),
        f_number=_rounded(_between(exposure.number(F_NUMBER), 0.1, 1000)),
        focal_length=_rounded(_between(exposure.number(FOCAL), 0.1, 100_000)),
        focal_length_35mm=_integer(exposure.integer(FOCAL_35MM), 1, 100_000),
        exposure_bias=_rounded(_between(exposure.number(BIAS), -100, 100)),
        flash=_flash(exposure.integer(FLASH)),
        location=_location(exif.gps),
        rating=_integer(main.integer(RATING), 1, 5),
        title=clean_text.clean_title(_windows_text(main, XP_TITLE)),
        description=real_description(clean_text.clean_paragraph(main.raw(DESCRIPTION))),
        keywords=clean_text.clean_keywords((_windows_text(main, XP_KEYWORDS) or "").split(";")),
    )


def real_description(description: str | None) -> str | None:
    """The description, unless it is one that cameras put into every picture."""
    return None if description is None or PLACEHOLDERS.fullmatch(description) else description


def _taken(main: TiffDirectory, exposure: TiffDirectory) -> CaptureTime | None:
    """The original time, else the time of digitization. The modification time is not used."""
    sources = (
        (exposure, ORIGINAL, OFFSET_ORIGINAL, FRACTION_ORIGINAL),
        (main, ORIGINAL, OFFSET_ORIGINAL, FRACTION_ORIGINAL),
        (exposure, DIGITIZED, OFFSET_DIGITIZED, FRACTION_DIGITIZED),
    )
    for directory, tag, offset, fraction in sources:
        zone = _ascii(exposure, offset) or _ascii(exposure, OFFSET)
        text, part = _ascii(directory, tag), _ascii(exposure, fraction)
        taken = read_time(text, TakenFrom.EXIF, offset=zone, fraction=part)
        if taken is not None:
            return taken
    return None


def _sensitivity(exposure: TiffDirectory) -> int | None:
    iso = exposure.integer(ISO)
    return _integer(exposure.integer(RECOMMENDED_INDEX) if iso == MAX_SHORT else iso, 1, 10_000_000)


def _gps_time(gps: TiffDirectory) -> datetime | None:
    """The time of the GPS fix, which is always UTC."""
    day = read_time((_ascii(gps, DATE) or "")[:10], TakenFrom.GPS)
    parts = gps.numbers(TIME)
    if day is None or len(parts) != 3 or None in parts:
        return None
    hours, minutes, seconds = (part if part is not None and math.isfinite(part) else -1.0 for part in parts)
    if not (0 <= hours < 24 and 0 <= minutes < 60 and 0 <= seconds <= 60):
        return None
    return day.at.astimezone(UTC) + timedelta(hours=hours, minutes=minutes, seconds=int(seconds))


def _location(gps: TiffDirectory) -> Location | None:
    below = gps.integer(ALTITUDE_REF) == 1
    altitude = gps.number(ALTITUDE)
    return location_of(
        decimal_degrees(gps.numbers(LATITUDE), _ascii(gps, LATITUDE_REF)),
        decimal_degrees(gps.numbers(LONGITUDE), _ascii(gps, LONGITUDE_REF)),
        -altitude if altitude is not None and below else altitude,
    )


def _flash(bits: int | None) -> bool | None:
    """Whether it fired."""
    return None if bits is None else bool(bits & 1)


def _ascii(directory: TiffDirectory, tag: int) -> str | None:
    return clean_text.clean_line(directory.raw(tag, clean_text.MAX_NAME))


def _windows_text(directory: TiffDirectory, tag: int) -> str | None:
    raw = directory.raw(tag)
    return None if raw is None else raw.decode("utf-16-le", "ignore").partition("\x00")[0]


def _between(number: float | None, lowest: float, highest: float) -> float | None:
    return number if number is not None and lowest <= number <= highest else None


def _integer(number: int | None, lowest: int, highest: int) -> int | None:
    return number if number is not None and lowest <= number <= highest else None


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 2) + 0.0
