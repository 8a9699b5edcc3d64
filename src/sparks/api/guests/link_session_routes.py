"""Routes that preview a link and open a guest's session by it.

The secret is sent in the body, never in a URL, since servers and proxies log URLs.
"""

from typing import Any

from fastapi import APIRouter, Request, Response

from sparks.api.guests.requests import LinkPreviewRequest, OpenLinkRequest
from sparks.api.guests.responses import ClosedLinkResponse, OpenedLinkResponse, guest_response, link_preview
from sparks.api.http.authentication import ActionRouter, RequestAuthenticator
from sparks.api.http.openapi import NEW_SESSION
from sparks.auth.link_sessions import find_link_by_secret, open_link
from sparks.feed.album_view import covers_of
from sparks.library.accounts.users import find_user
from sparks.model.access import Action
from sparks.model.audience import shows_cover
from sparks.table.port import Table


class LinkSessionRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, table: Table) -> None:
        self._authenticator = authenticator
        self._table = table

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="guests")
        routes.add("POST", "/api/links/look", Action.VISIT, self.look_at_link, errors=(404,))
        opened: dict[str, Any] = {"errors": (401, 403, 404, 429), "responses": {200: NEW_SESSION}}
        routes.add("POST", "/api/links/open", Action.VISIT, self.open_link, **opened)
        return routes.router

    def look_at_link(self, body: LinkPreviewRequest) -> ClosedLinkResponse:
        """Read what a link asks for before it is opened."""
        at = self._authenticator.now()
        link, album = find_link_by_secret(body.secret, at=at, table=self._table)
        closed = ClosedLinkResponse(
            title=album.title, asks_password=link.password_hash is not None, asks_name=link.ask_name
        )
        if closed.asks_password:
            return closed
        owner = find_user(album.owner, table=self._table)
        covers = covers_of([album] if shows_cover(link, at) else [], at=at, table=self._table)
        return closed.model_copy(
            update={
                "host": None if owner is None else owner.username,
                "allow": sorted(link.allow),
                "reveal_at": link.reveal_at,
                "expires_at": link.expires_at,
                "cover": link_preview(covers.get(album.album_id)),
            }
        )

    def open_link(self, body: OpenLinkRequest, request: Request, response: Response) -> OpenedLinkResponse:
        """Open a link and become its guest. The response sets a cookie beside that of a signed-in session."""
        self._authenticator.cookies.check(request)
        self._authenticator.check_origin(request)
        at = self._authenticator.now()
        link, album = find_link_by_secret(body.secret, at=at, table=self._table)
        caller, token = open_link(
            link,
            password=None if body.password is None else body.password.get_secret_value(),
            name=body.name,
            known=self._authenticator.guest_session(request),
            rate_limiter=self._authenticator.rates,
            at=at,
            table=self._table,
        )
        self._authenticator.cookies.set_guest(response, token)
        return OpenedLinkResponse(**guest_response(caller, album).model_dump(), token=token)
