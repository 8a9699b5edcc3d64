"""Layout 003: one table of photos by user name and id. Its files are `images/{id}/{size}`."""

import re
from typing import Any, ClassVar, Final

from sparks.migrate.dynamodb.items import MILLISECONDS, Item, text, time_text, without
from sparks.migrate.dynamodb.layouts.port import Place
from sparks.model.migration import PHOTOS
from sparks.model.photo import ORIGINAL

NAMED_SIZES: Final = ("THUMB", "SMALL", "WEB", "MEDIUM", "LARGE", "FULL")  # by the words in their names, ascending


class UserPhotos:
    KEYS: ClassVar = frozenset({frozenset({"username", "id"})})

    def __init__(self, owner: str | None) -> None:
        """This layout has users: no owner is needed."""

    @staticmethod
    def claims(item: Item) -> bool:
        return "PK" not in item and "username" in item and "id" in item

    def place(self, key: Item) -> Place | None:
        return Place(PHOTOS, str(key["id"]))

    def columns(self, item: Item, place: Place) -> dict[str, Any]:
        return {
            "user_id": str(item["username"]),
            "s3_key": f"images/{place.id}/{largest_size(item.get('sizes'))}",
            "original_filename": text(item.get("filename")),
            "description": text(item.get("description")),
            "mime_type": text(item.get("mimetype")),
            "created_at": time_text(item.get("uploadedAt"), unit=MILLISECONDS),
            **without(item, "username", "id", "filename", "description", "mimetype", "uploadedAt"),
        }

    def user_named(self, user_id: str) -> dict[str, Any]:
        return {"email": user_id if "@" in user_id else None, "username": user_id}

    def album_named(self, album_id: str, user_id: str) -> dict[str, Any]:
        return {"user_id": user_id, "title": album_id}


def largest_size(sizes: Any) -> str:
    """The original, or where it was not kept the largest by the pixels or the word in its name."""
    names = [each for each in sizes if isinstance(each, str)] if isinstance(sizes, list) else []
    if ORIGINAL in names or not names:
        return ORIGINAL
    return max(names, key=_rank)


def _rank(name: str) -> tuple[int, int]:
    pixels = max(map(int, re.findall(r"\d{1,9}", name)), default=0)
    words = [rank for rank, word in enumerate(NAMED_SIZES, start=1) if word in name.upper()]
    return pixels, max(words, default=0)
