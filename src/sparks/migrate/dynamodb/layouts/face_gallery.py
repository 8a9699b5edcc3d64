"""Layout 002: six tables of photos, faces and clusters. It has no users; what an item is follows from its keys."""

from typing import Any, ClassVar

from sparks.library.people.source_faces import REKOGNITION_FACES
from sparks.migrate.dynamodb.items import Item, text, time_text, without
from sparks.migrate.dynamodb.layouts.port import APPENDED, NO_USER, Place
from sparks.model.migration import PERSONS, PHOTOS


class FaceGallery:
    KEYS: ClassVar = frozenset(
        map(
            frozenset[str],
            (
                {"photoId"},
                {"faceId", "photoId"},
                {"clusterId"},
                {"clusterId", "faceId"},
                {"clusterId", "photoId"},
                {"jobName"},
            ),
        )
    )

    def __init__(self, owner: str | None) -> None:
        self._owner = owner

    @staticmethod
    def claims(item: Item) -> bool:
        return "PK" not in item and any(name in item for name in ("photoId", "clusterId", "jobName"))

    def place(self, key: Item) -> Place | None:
        """The photos of a cluster (ClusterPhoto) follow from its faces, and the state of jobs is not needed."""
        if "clusterId" in key:
            if "faceId" in key:
                return Place(PERSONS, str(key["clusterId"]), f"face#{key['faceId']}")
            return None if "photoId" in key else Place(PERSONS, str(key["clusterId"]))
        if "faceId" in key:
            return Place(PHOTOS, str(key["photoId"]), f"face#{key['faceId']}")
        return Place(PHOTOS, str(key["photoId"])) if "photoId" in key else None

    def columns(self, item: Item, place: Place) -> dict[str, Any]:
        if place.part:
            if place.table == PERSONS:
                return {f"{APPENDED}members": str(item["faceId"])}
            return {f"{APPENDED}{REKOGNITION_FACES}": without(item, "photoId", "gsi1pk", "gsi1sk")}
        return _cluster(item) if place.table == PERSONS else self._photo(item)

    def user_named(self, user_id: str) -> dict[str, Any]:
        return {"email": user_id if "@" in user_id else None, "username": None if user_id == NO_USER else user_id}

    def album_named(self, album_id: str, user_id: str) -> dict[str, Any]:
        return {"user_id": user_id, "title": album_id}

    def _photo(self, item: Item) -> dict[str, Any]:
        tag = text(item.get("uploaderTag"))
        known = ("photoId", "s3KeyRaw", "uploadedAt", "contentType")
        return {
            "user_id": self._owner or tag or NO_USER,
            "s3_key": text(item.get("s3KeyRaw")) or "",
            "mime_type": text(item.get("contentType")),
            "created_at": time_text(item.get("uploadedAt")),
            **without(item, *known),
        }


def _cluster(item: Item) -> dict[str, Any]:
    return {
        "display_name": text(item.get("displayName")),
        "updated_at": time_text(item.get("updatedAt")),
        "canonical": text(item.get("canonicalClusterId")),
    }
