"""Client that makes, opens and changes share links by the API."""

from dataclasses import replace
from typing import Any

import httpx

from sparks.model.photo import Photo, Renditions
from tests.api.album_makers import AlbumClient
from tests.api.client import Client
from tests.api.community import Headers, as_bearer
from tests.factories import a_photo


class LinkClient:
    """Links of one album, as its host and its guests use them."""

    def __init__(self, albums: AlbumClient, host: Headers, album_id: str) -> None:
        self.albums = albums
        self.browser: Client = albums.browser
        self.host = host
        self.album_id = album_id

    @property
    def path(self) -> str:
        return f"/api/albums/{self.album_id}/links"

    def make(self, *allow: str, **fields: Any) -> dict[str, Any]:
        made = self.browser.post(self.path, json={"allow": allow, **fields}, headers=self.host)
        assert made.status_code == 201, made.text
        body: dict[str, Any] = made.json()
        return body

    def change(self, link: dict[str, Any], **fields: Any) -> httpx.Response:
        return self.browser.patch(f"{self.path}/{link['linkId']}", json=fields, headers=self.host)

    def revoke(self, link: dict[str, Any]) -> httpx.Response:
        return self.browser.delete(f"{self.path}/{link['linkId']}", headers=self.host)

    def listed(self) -> list[dict[str, Any]]:
        response = self.browser.get(self.path, headers=self.host)
        assert response.status_code == 200, response.text
        found: list[dict[str, Any]] = response.json()["links"]
        return found

    def preview(self, link: dict[str, Any]) -> httpx.Response:
        return self.browser.post("/api/links/look", json={"secret": link["secret"]})

    def open(self, link: dict[str, Any], headers: Headers | None = None, **more: Any) -> httpx.Response:
        fields = {"secret": link["secret"], **more}
        return self.browser.post("/api/links/open", json=fields, headers=headers or {})

    def guest(self, link: dict[str, Any], **more: Any) -> Headers:
        """A new guest, identified by a token; the browser keeps no cookie."""
        opened = self.open(link, **more)
        assert opened.status_code == 200, opened.text
        self.browser.forget()
        return as_bearer(opened.json()["token"])

    def new_guest(self, *allow: str, **fields: Any) -> Headers:
        """A new guest of a new link."""
        return self.guest(self.make(*allow, **fields))

    def add_photo(self, **more: Any) -> Photo:
        """A photo of the album, with renditions."""
        photo = a_photo(**more)
        keys = {size: f"processed/{photo.image_id}_{size}.webp" for size in ("large", "medium", "thumb")}
        for key in (*keys.values(), photo.original_key or ""):
            self.albums.community.blobs.put(key, [b"a picture"], content_type="image/webp")
        shown = self.albums.community.keep(replace(photo, renditions=Renditions(keys)))
        assert self.albums.add(self.album_id, self.host, shown) == ["added"]
        return shown
