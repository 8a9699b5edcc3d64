"""Routes by which a host creates, changes and revokes links to an album."""

from typing import Annotated

from fastapi import APIRouter, Path

from sparks.actions.share_link_changes import ShareLinkChanges
from sparks.api.guests.requests import LinkChangeRequest, NewLinkRequest
from sparks.api.guests.responses import LinkList, LinkResponse, NewLinkResponse, link_response, new_link_response
from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.parameters import AlbumId
from sparks.library.authorized_reads import album_for
from sparks.library.sharing.share_links import links_of_album
from sparks.model.access import Action
from sparks.table.port import Table

LinkId = Annotated[str, Path(alias="linkId", max_length=200)]


class ShareLinkRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, changes: ShareLinkChanges, public_url: str, table: Table
    ) -> None:
        self._authenticator = authenticator
        self._changes = changes
        self._public_url = public_url
        self._table = table

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="links")
        links, manage = "/api/albums/{albumId}/links", Action.MANAGE_ALBUM
        one = f"{links}/{{linkId}}"
        routes.add("GET", links, manage, self.read_links, errors=(404,))
        routes.add("POST", links, manage, self.create_link, status=201, errors=(404,))
        routes.add("PATCH", one, manage, self.change_link, errors=(404,))
        routes.add("DELETE", one, manage, self.revoke_link, status=204, errors=(404,))
        return routes.router

    def read_links(self, caller: CurrentMember, album_id: AlbumId) -> LinkList:
        """List the links to an album and their use. Their secrets cannot be read again."""
        at = self._authenticator.now()
        album = album_for(caller, Action.MANAGE_ALBUM, album_id, at=at, table=self._table).album
        links = links_of_album(album.album_id, table=self._table)
        return LinkList(links=[link_response(link, at) for link in links])

    def create_link(self, caller: CurrentMember, album_id: AlbumId, body: NewLinkRequest) -> NewLinkResponse:
        """Create a link by which others open the album as guests. The URL and its QR code are returned only once."""
        link, secret = self._changes.create(caller, album_id, body.settings())
        url = f"{self._public_url}/g#{secret.text}"
        return new_link_response(link, self._authenticator.now(), secret=secret.text, url=url)

    def change_link(
        self, caller: CurrentMember, album_id: AlbumId, link_id: LinkId, body: LinkChangeRequest
    ) -> LinkResponse:
        """Change what a link allows, also for guests who opened it before."""
        changed = self._changes.change(caller, album_id, link_id, body.edit())
        return link_response(changed, self._authenticator.now())

    def revoke_link(self, caller: CurrentMember, album_id: AlbumId, link_id: LinkId) -> None:
        """Revoke a link. The sessions of its guests end at once; their uploads stay."""
        self._changes.revoke(caller, album_id, link_id)
