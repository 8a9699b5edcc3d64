"""What programs wrote: XMP's properties as values."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from sparks.media.metadata import words
from sparks.media.metadata.exif import written
from sparks.media.metadata.found import Found
from sparks.media.metadata.packet import Values, parse_packet
from sparks.media.metadata.place import location_of, xmp_degrees
from sparks.media.metadata.taken import Taken, TakenFrom, read_time
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


def read_xmp(raw: bytes) -> Found:
    values = parse_packet(raw)
    rating = _first(values, _XMP + "Rating")
    return Found(
        taken=_taken(values),
        satellites=_satellites(values),
        make=words.name(_first(values, _TIFF + "Make")),
        model=words.name(_first(values, _TIFF + "Model")),
        lens=words.name(_first(values, _EXIF_EX + "LensModel") or _first(values, _AUX + "Lens")),
        location=_location(values),
        rating=int(rating) if rating in ("1", "2", "3", "4", "5") else None,
        title=words.name(_first(values, _DC + "title"), words.MOST_TITLE),
        description=written(words.passage(_first(values, _DC + "description"))),
        keywords=words.names(_keywords(values)),
    )


def _first(values: Values, name: str) -> str | None:
    return next(iter(values.get(name, ())), None)


def _taken(values: Values) -> Taken | None:
    times = (read_time(_first(values, name), TakenFrom.XMP) for name in TIMES)
    return next((time for time in times if time is not None), None)


def _satellites(values: Values) -> datetime | None:
    time = read_time(_first(values, _EXIF + "GPSTimeStamp"), TakenFrom.GPS, offset="Z")
    return None if time is None else time.at


def _location(values: Values) -> Location | None:
    latitude, longitude = (xmp_degrees(_first(values, _EXIF + name)) for name in ("GPSLatitude", "GPSLongitude"))
    return location_of(latitude, longitude)


def _keywords(values: Values) -> Iterator[str]:
    """The flat ones, then the last step of `Places|Europe|France`: the others are shelves, such as `Other Keywords`."""
    yield from values.get(_DC + "subject", ())
    for name, separator in HIERARCHIES.items():
        for path in values.get(name, ()):
            yield path.rpartition(separator)[2]
