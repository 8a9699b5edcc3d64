"""XMP properties as values."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from sparks.media.metadata import clean_text
from sparks.media.metadata.capture_time import CaptureTime, TakenFrom, read_time
from sparks.media.metadata.exif import real_description
from sparks.media.metadata.location import location_of, xmp_degrees
from sparks.media.metadata.partial_metadata import PartialMetadata
from sparks.media.metadata.xmp_packet import Values, parse_packet
from sparks.model.photo import Location

_DC: Final = "http://purl.org/dc/elements/1.1/ "
_XMP: Final = "http://ns.adobe.com/xap/1.0/ "
_EXIF: Final = "http://ns.adobe.com/exif/1.0/ "
_EXIF_EX: Final = "http://cipa.jp/exif/1.0/ "
_AUX: Final = "http://ns.adobe.com/exif/1.0/aux/ "
_TIFF: Final = "http://ns.adobe.com/tiff/1.0/ "
_PHOTOSHOP: Final = "http://ns.adobe.com/photoshop/1.0/ "

TIMES: Final = (
    _EXIF + "DateTimeOriginal",
    _PHOTOSHOP + "DateCreated",
    _XMP + "CreateDate",
    _EXIF + "DateTimeDigitized",
)
HIERARCHIES: Final = {
    "http://ns.adobe.com/lightroom/1.0/ hierarchicalSubject": "|",
    "http://www.digikam.org/ns/1.0/ TagsList": "/",
}


def read_xmp(raw: bytes) -> PartialMetadata:
    values = parse_packet(raw)
    rating = _first(values, _XMP + "Rating")
    return PartialMetadata(
        taken=_taken(values),
        gps_time=_gps_time(values),
        make=clean_text.clean_line(_first(values, _TIFF + "Make")),
        model=clean_text.clean_line(_first(values, _TIFF + "Model")),
        lens=clean_text.clean_line(_first(values, _EXIF_EX + "LensModel") or _first(values, _AUX + "Lens")),
        location=_location(values),
        rating=int(rating) if rating in ("1", "2", "3", "4", "5") else None,
        title=clean_text.clean_title(_first(values, _DC + "title")),
        description=real_description(clean_text.clean_paragraph(_first(values, _DC + "description"))),
        keywords=clean_text.clean_keywords(_keywords(values)),
    )


def _first(values: Values, name: str) -> str | None:
    return next(iter(values.get(name, ())), None)


def _taken(values: Values) -> CaptureTime | None:
    times = (read_time(_first(values, name), TakenFrom.XMP) for name in TIMES)
    return next((time for time in times if time is not None), None)


def _gps_time(values: Values) -> datetime | None:
    time = read_time(_first(values, _EXIF + "GPSTimeStamp"), TakenFrom.GPS, offset="Z")
    return None if time is None else time.at


def _location(values: Values) -> Location | None:
    latitude, longitude = (xmp_degrees(_first(values, _EXIF + name)) for name in ("GPSLatitude", "GPSLongitude"))
    return location_of(latitude, longitude)


def _keywords(values: Values) -> Iterator[str]:
    """The flat keywords, then the last part of hierarchical ones such as `Places|Europe|France`.

    The parts before it are categories, such as `Other Keywords`.
    """
    yield from values.get(_DC + "subject", ())
    for name, separator in HIERARCHIES.items():
        for path in values.get(name, ()):
            yield path.rpartition(separator)[2]
