"""Client that makes, fills and reads albums by the API."""

from collections.abc import Iterable
from typing import Any

import httpx

from sparks.library import keys
from sparks.library.records import from_item
from sparks.model.photo import Photo
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.factories import a_photo


class AlbumClient:
    def __init__(self, community: Community, browser: Client) -> None:
        self.community = community
        self.browser = browser

    def make(self, who: Headers, title: str = "Summer", **fields: Any) -> str:
        made = self.browser.post("/api/albums", json={"title": title, **fields}, headers=who)
        assert made.status_code == 201, made.text
        return str(made.json()["albumId"])

    def read(self, album_id: str, who: Headers) -> dict[str, Any]:
        response = self.browser.get(f"/api/albums/{album_id}", headers=who)
        assert response.status_code == 200, response.text
        body: dict[str, Any] = response.json()
        return body

    def join(self, album_id: str, owner: Headers, email: str, role: str) -> httpx.Response:
        return self.browser.put(f"/api/albums/{album_id}/members/{email}", json={"role": role}, headers=owner)

    def add(self, album_id: str, who: Headers, *photos: Photo) -> list[Any]:
        """The status or the error code of each photo."""
        return self._request("PUT", album_id, who, photos)

    def remove(self, album_id: str, who: Headers, *photos: Photo) -> list[Any]:
        return self._request("DELETE", album_id, who, photos)

    def ids(self, album_id: str, who: Headers, *, limit: int = 100) -> list[str]:
        """The ids of all photos, read page by page."""
        return [image["imageId"] for image in self.images(album_id, who, limit=limit)]

    def images(self, album_id: str, who: Headers, *, limit: int = 100) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        query = ""
        while True:
            response = self.browser.get(f"/api/albums/{album_id}/photos?limit={limit}{query}", headers=who)
            assert response.status_code == 200, response.text
            body = response.json()
            found += body["images"]
            if "lastEvaluatedKey" not in body:
                return found
            assert len(body["images"]) == limit
            query = f"&cursor={body['lastEvaluatedKey']}"

    def add_photo(self, **more: Any) -> Photo:
        """A processed photo, in the community by default."""
        return self.community.keep(a_photo(**more))

    def now(self, photo: Photo) -> Photo:
        row = self.community.table.get(keys.photo(photo.image_id, photo.owner))
        assert row is not None
        return from_item(Photo, row)

    def _request(self, method: str, album_id: str, who: Headers, photos: Iterable[Photo]) -> list[Any]:
        ids = [photo.image_id for photo in photos]
        response = self.browser.request(method, f"/api/albums/{album_id}/photos", json={"ids": ids}, headers=who)
        assert response.status_code == 200, response.text
        results = response.json()["results"]
        assert [each["imageId"] for each in results] == ids
        return [each.get("status") or each["error"] for each in results]
