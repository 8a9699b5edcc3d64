"""Links of an album, made and opened through the API; and what guests do there."""

from dataclasses import replace
from typing import Any

import httpx

from sparks.model.photo import Photo, Renditions
from tests.api.client import Client
from tests.api.community import Headers, as_bearer
from tests.api.shelf import Shelf
from tests.factories import a_photo


class Doors:
    """Of one album, as its host and its guests use them."""

    def __init__(self, shelf: Shelf, host: Headers, album_id: str) -> None:
        self.shelf = shelf
        self.browser: Client = shelf.browser
        self.host = host
        self.album_id = album_id

    @property
    def links(self) -> str:
        return f"/api/albums/{self.album_id}/links"

    def make(self, *allow: str, **wish: Any) -> dict[str, Any]:
        made = self.browser.post(self.links, json={"allow": allow, **wish}, headers=self.host)
        assert made.status_code == 201, made.text
        told: dict[str, Any] = made.json()
        return told

    def change(self, link: dict[str, Any], **wish: Any) -> httpx.Response:
        return self.browser.patch(f"{self.links}/{link['linkId']}", json=wish, headers=self.host)

    def revoke(self, link: dict[str, Any]) -> httpx.Response:
        return self.browser.delete(f"{self.links}/{link['linkId']}", headers=self.host)

    def listed(self) -> list[dict[str, Any]]:
        answer = self.browser.get(self.links, headers=self.host)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["links"]
        return found

    def look(self, link: dict[str, Any]) -> httpx.Response:
        return self.browser.post("/api/links/look", json={"secret": link["secret"]})

    def open(self, link: dict[str, Any], headers: Headers | None = None, **more: Any) -> httpx.Response:
        wish = {"secret": link["secret"], **more}
        return self.browser.post("/api/links/open", json=wish, headers=headers or {})

    def guest(self, link: dict[str, Any], **more: Any) -> Headers:
        """A new one, who shows a token. The browser keeps no cookie of theirs."""
        opened = self.open(link, **more)
        assert opened.status_code == 200, opened.text
        self.browser.forget()
        return as_bearer(opened.json()["token"])

    def come(self, *allow: str, **wish: Any) -> Headers:
        """A guest with a new link."""
        return self.guest(self.make(*allow, **wish))

    def show(self, **more: Any) -> Photo:
        """A photo of the album, with something to look at."""
        photo = a_photo(**more)
        keys = {size: f"processed/{photo.image_id}_{size}.webp" for size in ("large", "medium", "thumb")}
        for key in (*keys.values(), photo.original_key or ""):
            self.shelf.community.blobs.put(key, [b"a picture"], content_type="image/webp")
        shown = self.shelf.community.keep(replace(photo, renditions=Renditions(keys)))
        assert self.shelf.add(self.album_id, self.host, shown) == ["added"]
        return shown
