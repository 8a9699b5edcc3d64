"""Layout 004: `ImageMetadata`, one item for each image, as its document and its migration script write them."""

import time
from decimal import Decimal
from typing import Any, ClassVar, Final

from sparks.migrate.dynamodb.items import Item, text, time_text, without
from sparks.migrate.dynamodb.layouts.port import NO_USER, Place
from sparks.migrate.dynamodb.layouts.single_table import TABLE_KEYS
from sparks.model.migration import PHOTOS

IMAGE: Final = "IMAGE#"
METADATA: Final = "METADATA"
INDEX_KEYS: Final = ("PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK")
RENAMED: Final = {
    "original_filename": "originalFilename",
    "mime_type": "mimeType",
    "thumbnail_key": "thumbnailKey",
    "title": "title",
    "description": "description",
    "alt_text": "altText",
}


class ImageMetadata:
    KEYS: ClassVar = frozenset({TABLE_KEYS})

    def __init__(self, owner: str | None) -> None:
        """This layout has users: no owner is needed."""

    @staticmethod
    def claims(item: Item) -> bool:
        return str(item.get("PK")).startswith(IMAGE) and item.get("SK") == METADATA

    def place(self, key: Item) -> Place | None:
        """Other items of an image, such as `VERSION#1`, are planned in the document and not described."""
        pk, is_image = str(key["PK"]), key["SK"] == METADATA
        return Place(PHOTOS, pk.removeprefix(IMAGE)) if is_image and pk.startswith(IMAGE) else None

    def columns(self, item: Item, place: Place) -> dict[str, Any] | None:  # noqa: ARG002
        if is_expired(item):
            return None
        known = ("id", "userId", "albumId", "s3Key", "tags", "fileSize", "width", "height", "updatedAt")
        uploaded = item.get("createdAt") or item.get("uploadedAt")
        return {
            "user_id": text(item.get("userId")) or NO_USER,
            "album_id": text(item.get("albumId")) or None,
            "s3_key": text(item.get("s3Key")) or "",
            "tags": item.get("tags"),
            "created_at": time_text(uploaded),
            "updated_at": time_text(item.get("updatedAt")),
            "file_size": item.get("fileSize"),
            "width": item.get("width"),
            "height": item.get("height"),
            **{column: text(item.get(name)) for column, name in RENAMED.items()},
            **without(item, *INDEX_KEYS, *known, *RENAMED.values(), "createdAt"),
        }

    def user_named(self, user_id: str) -> dict[str, Any]:
        return {"email": user_id if "@" in user_id else None, "username": None}

    def album_named(self, album_id: str, user_id: str) -> dict[str, Any]:
        return {"user_id": user_id, "title": album_id}


def is_expired(item: Item) -> bool:
    """Whether the table may drop the item at any moment: a temporary image whose time has passed."""
    ttl = item.get("ttl")
    return isinstance(ttl, int | Decimal) and not isinstance(ttl, bool) and 0 < ttl < time.time()
