"""A guest's own: who they are, what they uploaded, and what they marked. From the same browser, nobody else sees it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response

from sparks.api.encoded import LOOKED_AT
from sparks.api.gate import Gate, Routes, VisitingGuest
from sparks.api.guest_answers import GuestAnswer, guest_answer
from sparks.api.image_pages import ImagePages
from sparks.api.images import ImageList, Images
from sparks.api.lists import Cursor, Limit
from sparks.api.shapes import UserName, Wish
from sparks.auth.names import checked_name
from sparks.journey import Stores
from sparks.library.access import album_for, may_see
from sparks.library.photos import ItemPage, list_brought, list_favourites
from sparks.library.records import from_item
from sparks.library.sharing import rename_guest, send_away
from sparks.model.access import Action
from sparks.model.album import Album
from sparks.model.caller import GuestCaller, name_of
from sparks.model.photo import Photo
from sparks.table.port import Item


class GuestChange(Wish):
    name: UserName


class GuestRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, images: Images) -> None:
        self._gate = gate
        self._table = stores.table
        self._pages = ImagePages(images, keyring=stores.keyring)

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="guests")
        here, stay = "/api/guest", Action.STAY_AS_GUEST
        paged: dict[str, Any] = {"response_model": ImageList, "responses": LOOKED_AT}
        routes.add("GET", here, stay, self.read_guest, errors=(404,))
        routes.add("PATCH", here, stay, self.change_guest, errors=(404,))
        routes.add("DELETE", here, stay, self.leave_as_guest, status=204)
        routes.look(f"{here}/photos", stay, self.read_brought, **paged)
        routes.look(f"{here}/favorites", stay, self.read_guest_favorites, **paged)
        return routes.router

    def read_guest(self, who: VisitingGuest) -> GuestAnswer:
        """Who you are as a guest, and what the link that you came through allows."""
        return guest_answer(who, self._album(who))

    def change_guest(self, who: VisitingGuest, wish: GuestChange) -> GuestAnswer:
        """Say what you are called. What you upload and say from now on is told with it."""
        guest = rename_guest(who.guest, checked_name(wish.name), table=self._table)
        return guest_answer(GuestCaller(who.link, guest), self._album(who))

    def leave_as_guest(self, who: VisitingGuest, response: Response) -> None:
        """Leave: this token, and the cookie, are over. What you uploaded stays; delete it before if it should not."""
        send_away(who.guest, table=self._table)
        self._gate.cookies.take_back_guest(response)

    def read_brought(self, request: Request, who: VisitingGuest, limit: Limit = 100, cursor: Cursor = None) -> Response:
        """What you uploaded, the last first: with what waits for the host, is being made, or failed."""
        read = partial(list_brought, who.guest.guest_id, table=self._table)
        return self._list(request, who, "brought", read, limit, cursor)

    def read_guest_favorites(
        self, request: Request, who: VisitingGuest, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """What you have marked, as far as you still see it."""
        read = partial(list_favourites, name_of(who), table=self._table)
        return self._list(request, who, "favorites", read, limit, cursor)

    def _list(
        self,
        request: Request,
        who: GuestCaller,
        query: str,
        read: Callable[..., ItemPage],
        limit: int,
        cursor: str | None,
    ) -> Response:
        at = self._gate.now()

        def sees(item: Item) -> bool:
            return may_see(who, from_item(Photo, item), at=at, table=self._table)

        return self._pages.answer(
            request,
            who,
            lambda most, behind: read(limit=most, after=behind, sees=sees),
            query=f"guest {query}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def _album(self, who: GuestCaller) -> Album:
        return album_for(who, Action.SEE_ALBUM, who.link.album_id, at=self._gate.now(), table=self._table).album
