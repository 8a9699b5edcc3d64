"""Values of photos for one caller, made straight from table items.

Only the attributes that are named here leave the library; whatever else an item holds is dropped. The values are for
the JSON encoder of the API: thumbhashes are still bytes, and fractions are Decimals.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from sparks.library import keys
from sparks.library.records import from_item, to_item
from sparks.media.file_types import IN_BROWSERS
from sparks.media.strip_metadata import can_strip
from sparks.model.access import is_administrator
from sparks.model.album import AlbumPhoto
from sparks.model.caller import Caller, GuestCaller, caller_name
from sparks.model.photo import VIDEO, Photo, ProcessingStatus
from sparks.model.share import LinkPermission
from sparks.table.port import Item, Table

PhotoValues = dict[str, Any]
MediaQuery = Callable[[str], str]

SHOWN_ATTRIBUTES: Final = frozenset(
    {
        "imageId",
        "assetType",
        "uploaded_datetime",
        "lastModified",
        "s3Key",
        "images",
        "persons",
        "tags",
        "originalFilename",
        "mimeType",
        "width",
        "height",
        "aspectRatio",
        "duration",
        "title",
        "description",
        "altText",
        "takenAt",
        "takenOffset",
        "visibility",
        "processingStatus",
        "processingError",
        "status",
        "faceCount",
        "uploaderTag",
        "version",
        "thumbhash",
        "trashedAt",
        "expiresAt",
    }
)
DETAIL_ATTRIBUTES: Final = ("fileSize", "sizes", "exif", "location", "createdAt", "updatedAt")
METADATA_ATTRIBUTES: Final = frozenset({"originalFilename", "exif", "location", "tags"})
READ_ATTRIBUTES: Final = SHOWN_ATTRIBUTES | {"owner", "guestId"}  # needed for a page, beside the keys
_KNOWN_ATTRIBUTES: Final = READ_ATTRIBUTES | {"PK", "SK", "entityType", "uploadedBy", "albums"}
PROCESSED_AT, ERROR = "processedAt", "error"
_COMPLETED: Final = ProcessingStatus.COMPLETED.value
# Types of videos that a guest plays as they were uploaded, by whether the link hides metadata.
_PLAYABLE_ORIGINALS: Final = {
    hides: frozenset(kind.mime for kind in IN_BROWSERS if can_strip(kind) or not hides) for hides in (False, True)
}


def photo_values(
    items: Sequence[Item],
    caller: Caller,
    *,
    favorites: Collection[str],
    sizes: Collection[str],
    media_query: MediaQuery,
    table: Table,
) -> list[PhotoValues]:
    """The photos of these items, for a caller who may see them. The items are changed in place; they need no other
    attributes than `READ_ATTRIBUTES`. `sizes` are the renditions that have URLs; `media_query` signs the URLs of a
    photo.

    This is the hot path of all lists. The loop runs a hundred times for a page, so it calls few functions.
    """
    guest, hidden = caller if isinstance(caller, GuestCaller) else None, hidden_attributes(caller)
    waiting = frozenset[str]() if guest is None else _waiting(items, guest, table)
    playable = () if guest is None else _PLAYABLE_ORIGINALS[bool(hidden)]
    photos: list[PhotoValues] = []
    for item in items:
        photo = (
            item
            if item.keys() <= _KNOWN_ATTRIBUTES
            else {name: value for name, value in item.items() if name in _KNOWN_ATTRIBUTES}
        )
        image_id, owner, _ = photo.pop("PK"), photo.pop("owner"), photo.pop("SK")
        photo.pop("entityType", None)
        photo.pop("uploadedBy", None)
        photo.pop("albums", None)
        if guest is None:
            photo["uploadedBy"] = owner
            photo.pop("guestId", None)
        else:
            _restrict_to_guest(photo, guest, hidden)
            if image_id in waiting:
                photo["waits"] = True
        made, query = photo.setdefault("images", {}), media_query(image_id)
        made.pop(PROCESSED_AT, None)
        photo["urls"] = urls = {name: f"/media/{image_id}/{name}?{query}" for name in made if name in sizes}
        if photo.get("mimeType") in playable and VIDEO not in made and photo.get("processingStatus") == _COMPLETED:
            urls[VIDEO] = f"/media/{image_id}/{VIDEO}?{query}"
        if "s3Key" in photo:
            urls["original"] = f"/api/photos/{image_id}/original"
        photo["favorite"] = image_id in favorites
        photos.append(photo)
    return photos


def photo_details(photo: Photo, caller: Caller) -> tuple[Item, PhotoValues]:
    """The photo's item, for `photo_values`, and the attributes that only a single photo is answered with."""
    item, hidden = to_item(photo), hidden_attributes(caller)
    details: PhotoValues = {name: item[name] for name in DETAIL_ATTRIBUTES if name in item and name not in hidden}
    if (made := item.get("images", {}).get(PROCESSED_AT)) is not None:
        details[PROCESSED_AT] = made
    if photo.face_error is not None and (caller_name(caller) == photo.owner or is_administrator(caller)):
        details[ERROR] = photo.face_error
    return item, details


def hidden_attributes(caller: Caller) -> frozenset[str]:
    """The attributes that a guest does not get unless the link shows metadata: file names, places, tags."""
    return METADATA_ATTRIBUTES if isinstance(caller, GuestCaller) and not caller.link.show_metadata else frozenset()


def _restrict_to_guest(photo: PhotoValues, caller: GuestCaller, hidden: frozenset[str]) -> None:
    """Adds whether the guest uploaded the photo, and drops what the link does not show: without VIEW, all persons but
    the guest.
    """
    photo["mine"] = photo.pop("guestId", None) == caller.guest.guest_id
    for name in hidden & photo.keys():
        del photo[name]
    photo.setdefault("tags", [])
    if LinkPermission.VIEW not in caller.link.allow:
        photo["persons"] = [each for each in photo.get("persons", ()) if each in caller.guest.persons]


def _waiting(items: Sequence[Item], caller: GuestCaller, table: Table) -> frozenset[str]:
    """The guest's own photos that await approval. Only those that the album does not show are looked up."""
    album_id, guest_id = caller.link.album_id, caller.guest.guest_id
    own = (item for item in items if item.get("guestId") == guest_id)
    unseen = [keys.album_photo(item["PK"], album_id) for item in own if album_id not in item.get("albums", ())]
    rows = table.get_many(unseen) if unseen else {}
    return frozenset(key.pk for key, row in rows.items() if not from_item(AlbumPhoto, row).approved)
