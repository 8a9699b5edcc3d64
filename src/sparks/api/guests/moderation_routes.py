"""Routes that list guests' uploads awaiting approval, and approve or reject them."""

from typing import Any

from fastapi import APIRouter, Request, Response

from sparks.actions.moderation import Moderation
from sparks.api.guests.requests import ModerationRequest
from sparks.api.guests.responses import ModerationResponse, moderation_response
from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit
from sparks.api.http.json_response import NOT_MODIFIED_DOC
from sparks.api.http.parameters import AlbumId
from sparks.api.photos.responses import ImageList, ImagePageResponses, ImageResponses
from sparks.feed.album_view import AlbumView
from sparks.library.authorized_reads import album_for
from sparks.model.access import Action
from sparks.model.keyring import Keyring
from sparks.table.port import Table


class ModerationRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        moderation: Moderation,
        images: ImageResponses,
        table: Table,
        keyring: Keyring,
    ) -> None:
        self._authenticator = authenticator
        self._moderation = moderation
        self._pages = ImagePageResponses(images, keyring=keyring)
        self._table = table

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="albums")
        queue, moderate = "/api/albums/{albumId}/queue", Action.MODERATE_ALBUM
        paged: dict[str, Any] = {"response_model": ImageList, "responses": NOT_MODIFIED_DOC, "errors": (404,)}
        routes.add_fast(queue, moderate, self.read_queue, **paged)
        routes.add("POST", queue, moderate, self.decide_queue, errors=(404,))
        return routes.router

    def read_queue(
        self, request: Request, caller: CurrentMember, album_id: AlbumId, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List the uploads that await your approval, the newest first."""
        at = self._authenticator.now()
        album = album_for(caller, Action.MODERATE_ALBUM, album_id, at=at, table=self._table).album
        view = AlbumView(caller, album, at, self._table)
        return self._pages.page(
            request,
            caller,
            lambda most, behind: view.queue(limit=most, after=behind),
            query=f"queue {album.album_id}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def decide_queue(self, caller: CurrentMember, album_id: AlbumId, body: ModerationRequest) -> ModerationResponse:
        """Approve or reject uploads of guests, with a result for each. Rejected uploads go to your trash."""
        results = self._moderation.decide(caller, album_id, approve=body.approve, reject=body.reject)
        return moderation_response(results)
