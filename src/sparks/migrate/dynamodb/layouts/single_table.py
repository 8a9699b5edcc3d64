"""Layout 000: one table of users, images, persons, taggings and limits; the e-mail address is the user's key."""

from typing import Any, ClassVar, Final

from sparks.migrate.dynamodb.items import Item, text, time_text, without
from sparks.migrate.dynamodb.layouts.port import APPENDED, Place
from sparks.migrate.records import PHOTOS_LEFT, RENDITIONS
from sparks.model.migration import PERSONS, PHOTOS, USERS

UPLOADED_BY: Final = "UPLOADED_BY#"
PERSON: Final = "PERSON#"
LIMIT: Final = "LIMIT#"
COUNTER: Final = "UNKNOWN_PERSONS"
TABLE_KEYS: Final = frozenset({"PK", "SK"})
KEY_ATTRIBUTES: Final = ("PK", "SK", "entityType")


class SingleTable:
    KEYS: ClassVar = frozenset({TABLE_KEYS})

    def __init__(self, owner: str | None) -> None:
        """This layout has users: no owner is needed."""

    @staticmethod
    def claims(item: Item) -> bool:
        pk, sk = str(item.get("PK")), str(item.get("SK"))
        return sk.startswith(UPLOADED_BY) or pk.startswith(LIMIT) or item.get("entityType") in ("USER", "IMAGE")

    def place(self, key: Item) -> Place | None:
        pk, sk = str(key["PK"]), str(key["SK"])
        if sk.startswith(UPLOADED_BY):
            return Place(PHOTOS, pk)
        if pk.startswith(LIMIT):
            return Place(USERS, sk, "limit")
        if (found := person_place(pk, sk)) is not None:
            return found
        return Place(USERS, pk) if pk == sk and pk != COUNTER else None

    def columns(self, item: Item, place: Place) -> dict[str, Any]:
        if place.part:
            return part_columns(item, place)
        if place.table == PERSONS:
            return person_columns(item, unnamed=place.id)
        return _image(item) if place.table == PHOTOS else _user(item)

    def user_named(self, user_id: str) -> dict[str, Any]:
        return {"email": user_id}

    def album_named(self, album_id: str, user_id: str) -> dict[str, Any]:
        return {"user_id": user_id, "title": album_id}


def person_place(pk: str, sk: str) -> Place | None:
    """The place of a person, or of a tagging, which belongs to its person."""
    if sk.startswith(PERSON):
        return Place(PERSONS, sk.removeprefix(PERSON), f"photo#{pk.removeprefix('PHOTO#')}")
    return Place(PERSONS, sk) if pk.startswith(PERSON) else None


def part_columns(item: Item, place: Place) -> dict[str, Any]:
    if place.part == "limit":
        return {PHOTOS_LEFT: item.get("limit")}
    return {f"{APPENDED}photos": place.part.removeprefix("photo#")}


def person_columns(item: Item, *, unnamed: str | None = None) -> dict[str, Any]:
    """`unnamed` is the name that a person has before they get one."""
    name = text(item.get("displayName"))
    return {
        "display_name": None if name == unnamed else name,
        "created_at": time_text(item.get("createdAt"), unit=1),
    }


def _user(item: Item) -> dict[str, Any]:
    return {
        "email": text(item.get("email")) or text(item.get("PK")),
        "username": text(item.get("username")),
        "created_at": time_text(item.get("createdAt")),
        **without(item, *KEY_ATTRIBUTES, "email", "username", "createdAt"),
    }


def _image(item: Item) -> dict[str, Any]:
    known = ("imageId", "uploadedBy", "s3Key", "uploaded_datetime", "lastModified", "tags", "title", "description")
    return {
        "user_id": text(item.get("uploadedBy")) or str(item["SK"]).removeprefix(UPLOADED_BY),
        "s3_key": text(item.get("s3Key")) or "",
        "created_at": time_text(item.get("uploaded_datetime")),
        "updated_at": time_text(item.get("lastModified")),
        "title": text(item.get("title")),
        "description": text(item.get("description")),
        "original_filename": text(item.get("originalFilename")),
        "tags": item.get("tags"),
        RENDITIONS: _renditions(item.get("images")),
        **without(item, *KEY_ATTRIBUTES, *known, "originalFilename"),
    }


def _renditions(images: Any) -> dict[str, str]:
    """The keys of the files that are made already. The document shows them typed once more, as `{"S": key}`."""
    given = images if isinstance(images, dict) else {}
    found = {name: given.get(name) for name in ("large", "medium")}
    flat = {name: each.get("S") if isinstance(each, dict) else each for name, each in found.items()}
    return {name: key for name, key in flat.items() if isinstance(key, str)}
