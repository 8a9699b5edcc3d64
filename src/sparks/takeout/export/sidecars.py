"""Sidecars of an exported photo: XMP with face regions, and JSON.

Face regions of the Metadata Working Group are relative to the pixels as stored, before the rotation of the EXIF
orientation. Boxes of Sparks are relative to the upright picture.
"""

from collections.abc import Iterable
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

import msgspec

from sparks.library.records import to_item
from sparks.model.face import Box
from sparks.model.times import iso, zone
from sparks.takeout.export.photo_details import FaceDetails, PhotoDetails

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
_encode: Final = msgspec.json.Encoder(decimal_format="number").encode


def xmp_sidecar(details: PhotoDetails) -> bytes:
    """The XMP packet; the same details give the same bytes."""
    spaces = " ".join(f'xmlns:{name}="{uri}"' for name, uri in _NAMESPACES.items() if name != "rdf")
    lines = [
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>',
        '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
        f'<rdf:RDF xmlns:rdf="{_NAMESPACES["rdf"]}">',
        f'<rdf:Description rdf:about="" {spaces}>',
        *_words(details),
        *_time(details),
        *_place(details),
        *_regions(details),
        "</rdf:Description>",
        "</rdf:RDF>",
        "</x:xmpmeta>",
        '<?xpacket end="w"?>',
    ]
    return ("\n".join(lines) + "\n").encode()


def stored_box(box: Box, orientation: int | None) -> Box:
    """The box of the upright picture, relative to the pixels as stored."""
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


def _words(details: PhotoDetails) -> Iterable[str]:
    photo = details.photo
    for name, text in (("dc:title", photo.title), ("dc:description", photo.description)):
        if text:
            yield f'<{name}><rdf:Alt><rdf:li xml:lang="x-default">{_text(text)}</rdf:li></rdf:Alt></{name}>'
    yield from _bag("dc:subject", photo.tags)
    yield from _bag("Iptc4xmpExt:PersonInImage", details.people)
    if photo.exif is not None and photo.exif.rating is not None:
        yield f"<xmp:Rating>{photo.exif.rating}</xmp:Rating>"


def _time(details: PhotoDetails) -> Iterable[str]:
    """The time by the photographer's clock; without an offset where that is not known."""
    photo = details.photo
    if photo.taken_at is not None:
        local = photo.taken_at.astimezone(zone(photo.taken_offset)).replace(tzinfo=None)
        text = local.isoformat(timespec="milliseconds") + (photo.taken_offset or "")
        for name in ("exif:DateTimeOriginal", "photoshop:DateCreated", "xmp:CreateDate"):
            yield f"<{name}>{text}</{name}>"


def _place(details: PhotoDetails) -> Iterable[str]:
    place = details.photo.location
    if place is None:
        return
    yield f"<exif:GPSLatitude>{_degrees(place.latitude, 'NS')}</exif:GPSLatitude>"
    yield f"<exif:GPSLongitude>{_degrees(place.longitude, 'EW')}</exif:GPSLongitude>"
    if place.altitude is not None:
        yield f"<exif:GPSAltitude>{round(abs(place.altitude) * 1000)}/1000</exif:GPSAltitude>"
        yield f"<exif:GPSAltitudeRef>{int(place.altitude < 0)}</exif:GPSAltitudeRef>"


def _degrees(value: float, letters: str) -> str:
    """Degrees and minutes in the format of XMP: `48,51.507000N`."""
    minutes = round(abs(value) * 60, 6)
    return f"{int(minutes // 60)},{minutes % 60:.6f}{letters[value < 0]}"


def _regions(details: PhotoDetails) -> Iterable[str]:
    photo = details.photo
    if not details.faces or photo.width is None or photo.height is None:
        return
    orientation = None if photo.exif is None else photo.exif.orientation
    size = (photo.height, photo.width) if orientation in _SIDEWAYS else (photo.width, photo.height)
    yield '<mwg-rs:Regions rdf:parseType="Resource">'
    yield f'<mwg-rs:AppliedToDimensions stDim:w="{size[0]}" stDim:h="{size[1]}" stDim:unit="pixel"/>'
    yield "<mwg-rs:RegionList><rdf:Bag>"
    for face in details.faces:
        yield from _region(face, stored_box(face.box, orientation))
    yield "</rdf:Bag></mwg-rs:RegionList>"
    yield "</mwg-rs:Regions>"


def _region(face: FaceDetails, box: Box) -> Iterable[str]:
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


def json_sidecar(details: PhotoDetails) -> bytes:
    """The JSON document; the same details give the same bytes. Unknown values are left out."""
    photo = details.photo
    item = to_item(photo)
    content: dict[str, Any] = {
        "imageId": photo.image_id,
        "owner": photo.owner,
        "originalFilename": photo.original_filename,
        "mimeType": photo.mime_type,
        "fileSize": photo.file_size,
        "sha256": photo.sha256,
        "sha1": photo.sha1,
        "width": photo.width,
        "height": photo.height,
        "duration": photo.duration,
        "title": photo.title,
        "description": photo.description,
        "altText": photo.alt_text,
        "tags": list(photo.tags),
        "albums": list(details.albums),
        "visibility": photo.visibility.value,
        "takenAt": None if photo.taken_at is None else iso(photo.taken_at),
        "takenOffset": photo.taken_offset,
        "uploadedAt": None if photo.uploaded_at is None else iso(photo.uploaded_at),
        "location": item.get("location"),
        "exif": item.get("exif"),
        "uploaderTag": photo.uploader_tag,
        "people": [_person(face) for face in details.faces],
    }
    known = {name: value for name, value in content.items() if value is not None}
    return msgspec.json.format(_encode(known), indent=2) + b"\n"


def _person(face: FaceDetails) -> dict[str, Any]:
    box = face.box
    named = {"name": face.name, "personId": face.person_id}
    bbox = {"Left": box.left, "Top": box.top, "Width": box.width, "Height": box.height}
    return {**{name: value for name, value in named.items() if value is not None}, "bbox": bbox}
