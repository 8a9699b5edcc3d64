"""Metadata of one block, before blocks are combined."""

from dataclasses import dataclass
from datetime import datetime

from sparks.media.metadata.capture_time import CaptureTime
from sparks.model.photo import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialMetadata:
    """`gps_time` is the time of the GPS fix, in UTC."""

    taken: CaptureTime | None = None
    gps_time: datetime | None = None
    make: str | None = None
    model: str | None = None
    lens: str | None = None
    iso: int | None = None
    exposure_time: float | None = None  # seconds
    f_number: float | None = None
    focal_length: float | None = None  # millimeters
    focal_length_35mm: int | None = None
    exposure_bias: float | None = None
    flash: bool | None = None
    location: Location | None = None
    rating: int | None = None
    title: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] = ()
