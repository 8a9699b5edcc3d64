"""A photo's XMP sidecar: what digiKam, exiftool, Lightroom and others read, and Sparks itself when it imports.

[Note: as stored] A region of a face, as the Metadata Working Group has it, is counted on the pixels as they are stored,
before the turn that EXIF asks for. Boxes of Sparks are counted on the upright picture.
"""

from collections.abc import Iterable
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from sparks.model.face import Box
from sparks.model.times import zone
from sparks.sharing.export.telling import ToldFace, ToldPhoto

_NAMESPACES: Final = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "xmp": "http://ns.adobe.com/xap/1.0/",
    "exif": "http://ns.adobe.com/exif/1.0/",
    "photoshop": "http://ns.adobe.com/photoshop/1.0/",
    "Iptc4xmpExt": "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
    "mwg-rs": "http://www.metadataworkinggroup.com/schemas/regions/",
    "stDim": "http://ns.adobe.com/xap/1.0/sType/Dimensions#",
    "stArea": "http://ns.adobe.com/xmp/sType/Area#",
}
_SIDEWAYS: Final = range(5, 9)
_UNWRITABLE: Final = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535))


def xmp_of(told: ToldPhoto) -> bytes:
    """Always the same for the same."""
    spaces = " ".join(f'xmlns:{name}="{uri}"' for name, uri in _NAMESPACES.items() if name != "rdf")
    lines = [
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>',
        '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
        f'<rdf:RDF xmlns:rdf="{_NAMESPACES["rdf"]}">',
        f'<rdf:Description rdf:about="" {spaces}>',
        *_words(told),
        *_time(told),
        *_place(told),
        *_regions(told),
        "</rdf:Description>",
        "</rdf:RDF>",
        "</x:xmpmeta>",
        '<?xpacket end="w"?>',
    ]
    return ("\n".join(lines) + "\n").encode()


def stored_box(box: Box, orientation: int | None) -> Box:
    """Where a box of the upright picture is on the pixels as they are stored."""
    left, top, right, bottom = box.left, box.top, box.left + box.width, box.top + box.height
    match orientation:
        case 2:
            return Box(1 - right, top, box.width, box.height)
        case 3:
            return Box(1 - right, 1 - bottom, box.width, box.height)
        case 4:
            return Box(left, 1 - bottom, box.width, box.height)
        case 5:
            return Box(top, left, box.height, box.width)
        case 6:
            return Box(top, 1 - right, box.height, box.width)
        case 7:
            return Box(1 - bottom, 1 - right, box.height, box.width)
        case 8:
            return Box(1 - bottom, left, box.height, box.width)
        case _:
            return box


def _words(told: ToldPhoto) -> Iterable[str]:
    photo = told.photo
    for name, text in (("dc:title", photo.title), ("dc:description", photo.description)):
        if text:
            yield f'<{name}><rdf:Alt><rdf:li xml:lang="x-default">{_text(text)}</rdf:li></rdf:Alt></{name}>'
    yield from _bag("dc:subject", photo.tags)
    yield from _bag("Iptc4xmpExt:PersonInImage", told.people)
    if photo.exif is not None and photo.exif.rating is not None:
        yield f"<xmp:Rating>{photo.exif.rating}</xmp:Rating>"


def _time(told: ToldPhoto) -> Iterable[str]:
    """By the photographer's clock; without an offset where none is known."""
    photo = told.photo
    if photo.taken_at is not None:
        local = photo.taken_at.astimezone(zone(photo.taken_offset)).replace(tzinfo=None)
        text = local.isoformat(timespec="milliseconds") + (photo.taken_offset or "")
        for name in ("exif:DateTimeOriginal", "photoshop:DateCreated", "xmp:CreateDate"):
            yield f"<{name}>{text}</{name}>"


def _place(told: ToldPhoto) -> Iterable[str]:
    place = told.photo.location
    if place is None:
        return
    yield f"<exif:GPSLatitude>{_degrees(place.latitude, 'NS')}</exif:GPSLatitude>"
    yield f"<exif:GPSLongitude>{_degrees(place.longitude, 'EW')}</exif:GPSLongitude>"
    if place.altitude is not None:
        yield f"<exif:GPSAltitude>{round(abs(place.altitude) * 1000)}/1000</exif:GPSAltitude>"
        yield f"<exif:GPSAltitudeRef>{int(place.altitude < 0)}</exif:GPSAltitudeRef>"


def _degrees(value: float, letters: str) -> str:
    """`48,51.507000N`: degrees and minutes, as XMP has them."""
    minutes = round(abs(value) * 60, 6)
    return f"{int(minutes // 60)},{minutes % 60:.6f}{letters[value < 0]}"


def _regions(told: ToldPhoto) -> Iterable[str]:
    photo = told.photo
    if not told.faces or photo.width is None or photo.height is None:
        return
    turn = None if photo.exif is None else photo.exif.orientation
    size = (photo.height, photo.width) if turn in _SIDEWAYS else (photo.width, photo.height)
    yield '<mwg-rs:Regions rdf:parseType="Resource">'
    yield f'<mwg-rs:AppliedToDimensions stDim:w="{size[0]}" stDim:h="{size[1]}" stDim:unit="pixel"/>'
    yield "<mwg-rs:RegionList><rdf:Bag>"
    for face in told.faces:
        yield from _region(face, stored_box(face.box, turn))
    yield "</rdf:Bag></mwg-rs:RegionList>"
    yield "</mwg-rs:Regions>"


def _region(face: ToldFace, box: Box) -> Iterable[str]:
    name = "" if face.name is None else f" mwg-rs:Name={_attribute(face.name)}"
    x, y = box.left + box.width / 2, box.top + box.height / 2
    area = f'stArea:x="{x:.6f}" stArea:y="{y:.6f}" stArea:w="{box.width:.6f}" stArea:h="{box.height:.6f}"'
    yield f'<rdf:li><rdf:Description mwg-rs:Type="Face"{name}>'
    yield f'<mwg-rs:Area {area} stArea:unit="normalized"/></rdf:Description></rdf:li>'


def _bag(name: str, values: Iterable[str]) -> Iterable[str]:
    items = "".join(f"<rdf:li>{_text(value)}</rdf:li>" for value in values)
    if items:
        yield f"<{name}><rdf:Bag>{items}</rdf:Bag></{name}>"


def _text(text: str) -> str:
    return escape(text.translate(_UNWRITABLE))


def _attribute(text: str) -> str:
    return quoteattr(text.translate(_UNWRITABLE))
