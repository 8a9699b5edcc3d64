"""Layout 001: one table whose keys begin with the kind of their item."""

from typing import Any, ClassVar, Final

from sparks.migrate.dynamodb.items import Item, text, time_text, without
from sparks.migrate.dynamodb.layouts.port import NO_USER, Place
from sparks.migrate.dynamodb.layouts.single_table import (
    KEY_ATTRIBUTES,
    TABLE_KEYS,
    part_columns,
    person_columns,
    person_place,
)
from sparks.migrate.records import PHOTOS_LEFT
from sparks.model.migration import PERSONS, PHOTOS, USERS

USER: Final = "USER#"
PHOTO: Final = "PHOTO#"


class PrefixedTable:
    KEYS: ClassVar = frozenset({TABLE_KEYS})

    def __init__(self, owner: str | None) -> None:
        """This layout has users: no owner is needed."""

    @staticmethod
    def claims(item: Item) -> bool:
        pk, sk = str(item.get("PK")), str(item.get("SK"))
        return pk.startswith(USER) or (pk.startswith(PHOTO) and sk.startswith(PHOTO))

    def place(self, key: Item) -> Place | None:
        pk, sk = str(key["PK"]), str(key["SK"])
        if pk.startswith(USER):
            return Place(USERS, pk.removeprefix(USER))
        if pk.startswith(PHOTO) and sk.startswith(PHOTO):
            return Place(PHOTOS, pk.removeprefix(PHOTO))
        return person_place(pk, sk)

    def columns(self, item: Item, place: Place) -> dict[str, Any]:
        if place.part:
            return part_columns(item, place)
        if place.table == PERSONS:
            return person_columns(item)
        return _photo(item) if place.table == PHOTOS else _user(item, place.id)

    def user_named(self, user_id: str) -> dict[str, Any]:
        return {"email": None if user_id == NO_USER else user_id}

    def album_named(self, album_id: str, user_id: str) -> dict[str, Any]:
        return {"user_id": user_id, "title": album_id}


def _user(item: Item, email: str) -> dict[str, Any]:
    known = ("displayName", "createdAt", "uploadLimit", "uploadedBy")
    return {
        "email": email,
        "username": text(item.get("displayName")),
        "created_at": time_text(item.get("createdAt")),
        PHOTOS_LEFT: item.get("uploadLimit"),
        **without(item, *KEY_ATTRIBUTES, *known),
    }


def _photo(item: Item) -> dict[str, Any]:
    known = ("uploadedBy", "originalKey", "thumbnailKey", "title", "description", "tags", "createdAt", "updatedAt")
    uploaded = str(item["SK"]).removeprefix(PHOTO)
    return {
        "user_id": text(item.get("uploadedBy")) or NO_USER,
        "s3_key": text(item.get("originalKey")) or "",
        "thumbnail_key": text(item.get("thumbnailKey")),
        "title": text(item.get("title")),
        "description": text(item.get("description")),
        "tags": item.get("tags"),
        "created_at": time_text(int(uploaded) if uploaded.isdecimal() else uploaded),
        "updated_at": time_text(item.get("updatedAt")),
        **without(item, *KEY_ATTRIBUTES, *known),
    }
