"""Location parsed from EXIF, XMP or ISO 6709; implausible ones are dropped.

A location with one coordinate, outside the valid range, or at exactly 0,0 is dropped.
"""

import math
import re
from collections.abc import Sequence
from typing import Final

from sparks.model.photo import Location

DIGITS: Final = 7  # of a degree; about a centimeter
LOWEST, HIGHEST = -12_000.0, 100_000.0  # meters

_XMP_DEGREES: Final = re.compile(r"(\d{1,3})(?:,(\d{1,2}))?(?:[.,](\d{1,9}))?([NSEW])", re.ASCII)
_ISO_6709: Final = re.compile(
    r"([+-]\d{2,3}(?:\.\d{1,9})?)([+-]\d{2,3}(?:\.\d{1,9})?)([+-]\d{1,6}(?:\.\d{1,9})?)?.*", re.ASCII
)


def location_of(latitude: float | None, longitude: float | None, altitude: float | None = None) -> Location | None:
    if latitude is None or longitude is None or not math.isfinite(latitude) or not math.isfinite(longitude):
        return None
    if abs(latitude) > 90 or abs(longitude) > 180 or latitude == 0 == longitude:
        return None
    high = None if altitude is None or not LOWEST <= altitude <= HIGHEST else _rounded(altitude, 2)
    return Location(latitude=_rounded(latitude, DIGITS), longitude=_rounded(longitude, DIGITS), altitude=high)


def _rounded(number: float, digits: int) -> float:
    """Rounds; adding 0.0 turns -0.0 into 0.0."""
    return round(number, digits) + 0.0


def decimal_degrees(parts: Sequence[float | None], reference: str | None) -> float | None:
    """Converts degrees, minutes and seconds; the last two may be missing or 0/0. `S` and `W` are negative."""
    if not 1 <= len(parts) <= 3 or parts[0] is None:
        return None
    value = sum((part or 0.0) / (1.0, 60.0, 3600.0)[power] for power, part in enumerate(parts))
    return -value if reference in ("S", "W") else value


def xmp_degrees(text: str | None) -> float | None:
    """Reads `37,46.494N` or `37,46,29N`, as in XMP."""
    match = _XMP_DEGREES.fullmatch(text or "")
    if match is None:
        return None
    whole, minutes, rest, reference = match.groups()
    comma = text is not None and text.count(",") == 2
    parts = [float(whole), float(minutes or 0) if comma else float(f"{minutes or 0}.{rest or 0}")]
    return decimal_degrees([*parts, float(rest or 0)] if comma else parts, reference)


def iso_6709(text: str | None) -> Location | None:
    """Reads `+37.7749-122.4194+010.000/`, as in videos."""
    match = _ISO_6709.fullmatch((text or "")[:64])
    if match is None:
        return None
    return location_of(float(match[1]), float(match[2]), float(match[3]) if match[3] else None)
