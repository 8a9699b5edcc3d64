"""The wall: the newest photos of an album, for a screen that everybody looks at.

A screen loads them once, follows the album's events from where the answer says, and goes on there should it lose the
connection: so no photo is missed.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from sparks.api.albums import AlbumId
from sparks.api.encoded import encoded
from sparks.api.gate import Caller, Gate, Routes
from sparks.api.images import ImageAnswer, Images
from sparks.api.shapes import Answer
from sparks.journey import Stores
from sparks.library.access import album_for, may_see
from sparks.library.photos import list_newest_in
from sparks.library.records import from_item
from sparks.model.access import Action
from sparks.model.caller import GuestCaller
from sparks.model.ids import lowest_id_at
from sparks.model.photo import Photo
from sparks.model.share import Reach, reach_of
from sparks.table.port import Item

Newest = Annotated[int, Query(ge=1, le=100, description="How many at most.")]


class WallAnswer(Answer):
    """`lastEventId` is for `GET /api/albums/{albumId}/events`, as `Last-Event-ID` or `since`."""

    album_id: str
    title: str
    images: list[ImageAnswer] = Field(description="The last uploaded first.")
    last_event_id: str


class WallRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, images: Images) -> None:
        self._gate = gate
        self._table = stores.table
        self._images = images

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="albums")
        shown: dict[str, Any] = {"response_model": WallAnswer, "errors": (404,)}
        routes.look("/api/albums/{albumId}/wall", Action.SEE_ALBUM, self.read_wall, **shown)
        return routes.router

    def read_wall(self, request: Request, who: Caller, album_id: AlbumId, limit: Newest = 30) -> Response:
        """The newest photos that all members of an album see, and where its events go on."""
        at = self._gate.now()
        album = album_for(who, Action.SEE_ALBUM, album_id, at=at, table=self._table).album

        def sees(item: Item) -> bool:
            photo = from_item(Photo, item)
            shown = album.album_id in photo.albums
            return shown and may_see(who, photo, at=at, table=self._table)

        hidden = isinstance(who, GuestCaller) and reach_of(who.link, who.guest, at) is Reach.NOTHING
        items, _ = (
            ([], None)
            if hidden
            else list_newest_in(album.album_id, sees=sees, limit=limit, after=None, table=self._table)
        )
        answer = {
            "albumId": album.album_id,
            "title": album.title,
            "images": self._images.page(items, who, at=at),
            "lastEventId": lowest_id_at(at),
        }
        return encoded(request, answer)
