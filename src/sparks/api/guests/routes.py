"""Routes for a guest's own name, uploads and favorites."""

from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response

from sparks.api.guests.requests import GuestChangeRequest
from sparks.api.guests.responses import GuestResponse, guest_response
from sparks.api.http.authentication import ActionRouter, CurrentGuest, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit
from sparks.api.http.json_response import NOT_MODIFIED_DOC
from sparks.api.photos.responses import ImageList, ImagePageResponses, ImageResponses, page_reader
from sparks.auth.account_names import checked_username
from sparks.feed.photo_pages import PhotoPages
from sparks.library.authorized_reads import album_for
from sparks.library.photos.photo_lists import ItemPage
from sparks.library.sharing.guests import remove_guest, rename_guest
from sparks.model.access import Action
from sparks.model.album import Album
from sparks.model.caller import GuestCaller
from sparks.model.keyring import Keyring
from sparks.table.port import Table


class GuestRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, images: ImageResponses, table: Table, keyring: Keyring
    ) -> None:
        self._authenticator = authenticator
        self._pages = ImagePageResponses(images, keyring=keyring)
        self._table = table

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="guests")
        guest, stay = "/api/guest", Action.STAY_AS_GUEST
        paged: dict[str, Any] = {"response_model": ImageList, "responses": NOT_MODIFIED_DOC}
        routes.add("GET", guest, stay, self.read_guest, errors=(404,))
        routes.add("PATCH", guest, stay, self.change_guest, errors=(404,))
        routes.add("DELETE", guest, stay, self.leave_as_guest, status=204)
        routes.add_fast(f"{guest}/photos", stay, self.read_brought, **paged)
        routes.add_fast(f"{guest}/favorites", stay, self.read_guest_favorites, **paged)
        return routes.router

    def read_guest(self, caller: CurrentGuest) -> GuestResponse:
        """Read who you are as a guest, and what your link allows."""
        return guest_response(caller, self._album(caller))

    def change_guest(self, caller: CurrentGuest, body: GuestChangeRequest) -> GuestResponse:
        """Set your name, which is shown with your later uploads and comments."""
        guest = rename_guest(caller.guest, checked_username(body.name), table=self._table)
        return guest_response(GuestCaller(caller.link, guest), self._album(caller))

    def leave_as_guest(self, caller: CurrentGuest, response: Response) -> None:
        """End your session as a guest. Your uploads stay: delete them first if you want them deleted."""
        remove_guest(caller.guest, table=self._table)
        self._authenticator.cookies.clear_guest(response)

    def read_brought(
        self, request: Request, caller: CurrentGuest, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List your uploads, the newest first: also those that await approval, are being processed, or failed."""
        read = partial(PhotoPages.of_guest_uploads, caller=caller)
        return self._list(request, caller, "brought", read, limit, cursor)

    def read_guest_favorites(
        self, request: Request, caller: CurrentGuest, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List your favorites that you still see."""
        read = partial(PhotoPages.of_guest_favorites, caller=caller)
        return self._list(request, caller, "favorites", read, limit, cursor)

    def _list(
        self,
        request: Request,
        caller: GuestCaller,
        query: str,
        read: Callable[[PhotoPages], ItemPage],
        limit: int,
        cursor: str | None,
    ) -> Response:
        at = self._authenticator.now()
        return self._pages.page(
            request,
            caller,
            page_reader(read, at=at, table=self._table),
            query=f"guest {query}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def _album(self, caller: GuestCaller) -> Album:
        at, album_id = self._authenticator.now(), caller.link.album_id
        return album_for(caller, Action.SEE_ALBUM, album_id, at=at, table=self._table).album
