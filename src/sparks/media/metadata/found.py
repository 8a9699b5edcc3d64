"""What one block of metadata tells; absent when absent."""

from dataclasses import dataclass
from datetime import datetime

from sparks.media.metadata.taken import Taken
from sparks.model.photo import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """`satellites` is the time of the GPS fix, in UTC."""

    taken: Taken | None = None
    satellites: datetime | None = None
    make: str | None = None
    model: str | None = None
    lens: str | None = None
    iso: int | None = None
    exposure_time: float | None = None  # seconds
    f_number: float | None = None
    focal_length: float | None = None  # millimetres
    focal_length_35mm: int | None = None
    exposure_bias: float | None = None
    flash: bool | None = None
    location: Location | None = None
    rating: int | None = None
    title: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] = ()
