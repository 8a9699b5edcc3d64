"""Routes that create, change and delete albums, and change their members."""

from fastapi import APIRouter, Request, Response

from sparks.actions.album_changes import AlbumChanges
from sparks.api.albums.requests import AlbumChange, NewAlbum, NewMember
from sparks.api.albums.responses import AlbumList, AlbumResponse, AlbumResponses, MemberList, MemberResponse
from sparks.api.http.authentication import ActionRouter, CurrentCaller, CurrentMember, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.api.http.json_response import NOT_MODIFIED_DOC, model_response
from sparks.api.http.parameters import AlbumId, EmailPath
from sparks.library.albums.album_lookup import list_albums_of_member
from sparks.library.albums.members import members_of
from sparks.library.authorized_reads import album_for
from sparks.model.access import Action
from sparks.model.caller import Caller
from sparks.model.keyring import Keyring
from sparks.table.port import Table


class AlbumRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, changes: AlbumChanges, table: Table, keyring: Keyring
    ) -> None:
        self._authenticator = authenticator
        self._changes = changes
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="albums")
        albums, one, members = "/api/albums", "/api/albums/{albumId}", "/api/albums/{albumId}/members"
        see, edit, manage = Action.SEE_ALBUM, Action.EDIT_ALBUM, Action.MANAGE_ALBUM
        routes.add_fast(
            albums, Action.LIST_ALBUMS, self.read_albums, response_model=AlbumList, responses=NOT_MODIFIED_DOC
        )
        routes.add("POST", albums, Action.MAKE_ALBUM, self.create_album, status=201, errors=(404,))
        routes.add("GET", one, see, self.read_album, errors=(404,))
        routes.add("PATCH", one, edit, self.change_album, errors=(404, 409))
        routes.add("DELETE", one, manage, self.delete_album, status=204, errors=(404, 409))
        routes.add("GET", members, Action.SEE_MEMBERS, self.read_members, errors=(404,))
        routes.add("PUT", f"{members}/{{email}}", manage, self.set_member, errors=(404, 409))
        leave = f"{members}/{{email}}", Action.LEAVE_ALBUM, self.remove_member
        routes.add("DELETE", *leave, status=204, errors=(404, 409))
        return routes.router

    # -- Albums

    def read_albums(
        self, request: Request, caller: CurrentMember, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List the albums of which you are a member or the owner, the newest first."""
        albums, after = read_page(
            lambda most, behind: list_albums_of_member(caller.email, limit=most, after=behind, table=self._table),
            query="albums",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        body = AlbumList(albums=self._responses(caller).page(albums), last_evaluated_key=after)
        return model_response(request, body)

    def create_album(self, caller: CurrentMember, body: NewAlbum) -> AlbumResponse:
        """Create an album, which you own."""
        created = self._changes.create(
            caller,
            body.title,
            description=body.description,
            order=body.order,
            finds_faces=body.finds_faces,
        )
        return self._responses(caller).one(created)

    def read_album(self, caller: CurrentCaller, album_id: AlbumId) -> AlbumResponse:
        """Read one album."""
        at = self._authenticator.now()
        return self._responses(caller).one(album_for(caller, Action.SEE_ALBUM, album_id, at=at, table=self._table))

    def change_album(self, caller: CurrentMember, album_id: AlbumId, body: AlbumChange) -> AlbumResponse:
        """Change the title, description, order, cover or face setting of an album."""
        changed = self._changes.change(
            caller, album_id, body.edit(), cover_image_id=body.cover_image_id, finds_faces=body.finds_faces
        )
        return self._responses(caller).one(changed)

    def delete_album(self, caller: CurrentMember, album_id: AlbumId) -> None:
        """Delete an album. Its photos stay with their owners; members and guests who saw them only in this album no
        longer see them.
        """
        self._changes.delete(caller, album_id)

    # -- Members

    def read_members(self, caller: CurrentMember, album_id: AlbumId) -> MemberList:
        """List the members of an album and their roles."""
        at = self._authenticator.now()
        album = album_for(caller, Action.SEE_MEMBERS, album_id, at=at, table=self._table).album
        return self._responses(caller).members(members_of(album.album_id, table=self._table))

    def set_member(self, caller: CurrentMember, album_id: AlbumId, email: EmailPath, body: NewMember) -> MemberResponse:
        """Make a user a member of an album, or change a member's role. An editor adds photos and changes the album, a
        contributor adds and removes their own photos, a viewer only views.
        """
        member = self._changes.set_member(caller, album_id, email, body.role)
        return self._responses(caller).members([member]).members[0]

    def remove_member(self, caller: CurrentMember, album_id: AlbumId, email: EmailPath) -> None:
        """Remove a member, or leave an album. The photos that they added and their comments leave with them."""
        self._changes.remove_member(caller, album_id, email)

    def _responses(self, caller: Caller) -> AlbumResponses:
        return AlbumResponses(caller, at=self._authenticator.now(), table=self._table, keyring=self._keyring)
