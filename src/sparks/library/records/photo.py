"""Record types of photos, with their renditions, EXIF and location."""

from collections.abc import Mapping
from typing import Any, Final

from sparks.blobs.port import checked_key
from sparks.library import entity_types, keys
from sparks.library.records.attributes import (
    Attribute,
    Fields,
    choice,
    count,
    each,
    names,
    nested,
    number,
    plain,
    seconds,
    time,
    valid,
)
from sparks.library.records.record_type import RecordType
from sparks.model.errors import BadInput
from sparks.model.face import Box
from sparks.model.photo import (
    AssetType,
    Exif,
    FaceStatus,
    Location,
    Photo,
    ProcessingStatus,
    Renditions,
    Visibility,
)
from sparks.model.times import from_iso, iso, zone

BOX: Final = Fields(Box, number("Left"), number("Top"), number("Width"), number("Height"))


PROCESSED_AT: Final = "processedAt"
EXIF: Final = Fields(
    Exif,
    plain("camera"),
    plain("make"),
    plain("model"),
    plain("lens"),
    plain("iso"),
    plain("shutterSpeed"),
    number("fNumber"),
    number("focalLength"),
    plain("focalLength35mm", "focal_length_35mm"),
    number("exposureBias"),
    plain("flash"),
    plain("orientation"),
    plain("rating"),
    plain("takenFrom"),
)
LOCATION: Final = Fields(Location, number("latitude"), number("longitude"), number("altitude"))


def renditions() -> Attribute:
    """`images`: the keys by name, together with the time at which they were made."""
    return Attribute("images", "renditions", _write_renditions, _read_renditions, check=_are_images)


def _write_renditions(renditions: Renditions) -> dict[str, Any]:
    made = {} if renditions.processed_at is None else {PROCESSED_AT: iso(renditions.processed_at)}
    return {**renditions.keys, **made}


def _are_images(images: Any) -> bool:
    return type(images) is dict and all(type(value) is str for value in images.values())


def _read_renditions(images: Mapping[str, Any]) -> Renditions:
    if not _are_images(images):
        raise TypeError("not a map of blob keys")
    made = images.get(PROCESSED_AT)
    held = {name: key for name, key in images.items() if name != PROCESSED_AT}
    return Renditions(held, None if made is None else from_iso(made))


def _is_blob_key(value: Any) -> bool:
    try:
        return type(value) is str and checked_key(value) == value
    except BadInput:
        return False


def _is_offset(value: Any) -> bool:
    try:
        return type(value) is str and zone(value) is not None
    except BadInput:
        return False


def _read_location(value: Mapping[str, Any]) -> Location:
    location = LOCATION.read(value)
    if abs(location.latitude) > 90 or abs(location.longitude) > 180:
        raise ValueError("not a place on Earth")
    return location


def _read_type(entity_type: str) -> dict[str, Any]:
    """A private photo stays private even where `visibility` is missing or says otherwise."""
    private = {"visibility": Visibility.PRIVATE} if entity_type == entity_types.PRIVATE.value else {}
    _, of_owner, owner = entity_type.partition("#")
    return {"state": entity_types.photo_state(entity_type), **private, **({"owner": owner} if of_owner else {})}


PHOTO: Final = RecordType(
    Photo,
    choice("visibility", Visibility, guards=True),
    choice("assetType", AssetType),
    plain("version"),
    valid("s3Key", _is_blob_key, "original_key"),
    plain("originalFilename"),
    plain("mimeType"),
    count("fileSize"),
    plain("sha256"),
    plain("sha1"),
    count("width"),
    count("height"),
    number("aspectRatio"),
    number("duration"),
    plain("title"),
    plain("description"),
    plain("altText"),
    names("persons"),
    names("tags"),
    names("albums"),
    plain("albumsVersion", absent=0),
    time("takenAt"),
    valid("takenOffset", _is_offset),
    time("fileModifiedAt", "file_time"),
    nested("exif", EXIF),
    Attribute("location", "location", LOCATION.write, _read_location),
    choice("processingStatus", ProcessingStatus),
    plain("processingError"),
    renditions(),
    plain("format", "rendition_format"),
    plain("quality", "rendition_quality"),
    count("processedSize"),
    names("sizes", absent=()),
    plain("thumbhash"),
    choice("status", FaceStatus, "face_status"),
    plain("error", "face_error"),
    plain("faceEngine"),
    count("faceCount"),
    plain("facesVersion", absent=0),
    each("forgottenBoxes", BOX, absent=()),
    plain("uploadId"),
    time("keptUntil"),
    plain("guestId"),
    plain("uploaderTag"),
    plain("sourceId"),
    time("createdAt"),
    time("uploaded_datetime", "uploaded_at"),
    time("lastModified"),
    time("updatedAt"),
    time("trashedAt"),
    time("expiresAt", guards=True),
    seconds("ttl"),
    pk="{image_id:uuid}",
    sk="UPLOADED_BY#{owner:email}",
    key=lambda photo: keys.photo(photo.image_id, photo.owner),
    added={"error": 2},
    entity_type=lambda photo: entity_types.photo(photo.state, photo.visibility, photo.owner),
    read_type=_read_type,
    copies={"imageId": "image_id", "owner": "owner", "uploadedBy": "uploaded_by"},
    missing=lambda _: {},
)
