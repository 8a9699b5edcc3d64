"""A photo's JSON sidecar: all that Sparks knows of it, in the names that the API has for it."""

from typing import Any, Final

import msgspec

from sparks.library.records import to_item
from sparks.model.times import iso
from sparks.sharing.export.telling import ToldFace, ToldPhoto

_encode: Final = msgspec.json.Encoder(decimal_format="number").encode


def json_of(told: ToldPhoto) -> bytes:
    """Always the same for the same; what is not known is left out."""
    photo = told.photo
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
        "albums": list(told.albums),
        "visibility": photo.visibility.value,
        "takenAt": None if photo.taken_at is None else iso(photo.taken_at),
        "takenOffset": photo.taken_offset,
        "uploadedAt": None if photo.uploaded_at is None else iso(photo.uploaded_at),
        "location": item.get("location"),
        "exif": item.get("exif"),
        "uploaderTag": photo.uploader_tag,
        "people": [_person(face) for face in told.faces],
    }
    known = {name: value for name, value in content.items() if value is not None}
    return msgspec.json.format(_encode(known), indent=2) + b"\n"


def _person(face: ToldFace) -> dict[str, Any]:
    box = face.box
    named = {"name": face.name, "personId": face.person_id}
    bbox = {"Left": box.left, "Top": box.top, "Width": box.width, "Height": box.height}
    return {**{name: value for name, value in named.items() if value is not None}, "bbox": bbox}
