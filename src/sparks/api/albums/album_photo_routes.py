"""Routes for the photos of an album: list, add, remove, reorder, and live wall."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from sparks.actions.album_photo_changes import AlbumPhotoChanges
from sparks.api.albums.requests import MovePhotosRequest
from sparks.api.albums.responses import AlbumPhotoResults, AlbumPhotoStatus, WallResponse, album_photo_results
from sparks.api.http.authentication import ActionRouter, CurrentCaller, CurrentMember, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit
from sparks.api.http.json_response import NOT_MODIFIED_DOC, json_response
from sparks.api.http.parameters import AlbumId
from sparks.api.photos.requests import PhotoIdsRequest
from sparks.api.photos.responses import ImageList, ImagePageResponses, ImageResponses
from sparks.feed.album_view import AlbumView
from sparks.feed.timeline import Timeline
from sparks.library.authorized_reads import album_for
from sparks.model.access import Action
from sparks.model.ids import lowest_id_at
from sparks.model.keyring import Keyring
from sparks.table.port import Table

MaxPhotos = Annotated[int, Query(ge=1, le=100, description="The most photos to return.")]


class AlbumPhotoRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        changes: AlbumPhotoChanges,
        images: ImageResponses,
        timeline: Timeline,
        table: Table,
        keyring: Keyring,
    ) -> None:
        self._authenticator = authenticator
        self._changes = changes
        self._pages = ImagePageResponses(images, keyring=keyring)
        self._timeline = timeline
        self._table = table

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="albums")
        photos = "/api/albums/{albumId}/photos"
        paged: dict[str, Any] = {"response_model": ImageList, "responses": NOT_MODIFIED_DOC, "errors": (404,)}
        routes.add_fast(photos, Action.SEE_ALBUM, self.read_album_photos, **paged)
        routes.add("PUT", photos, Action.ADD_TO_ALBUM, self.add_photos, errors=(404,))
        routes.add("DELETE", photos, Action.TAKE_FROM_ALBUM, self.remove_photos, errors=(404,))
        routes.add("POST", f"{photos}/move", Action.EDIT_ALBUM, self.move_photos, status=204, errors=(404, 409))
        return routes.router

    def read_album_photos(
        self, request: Request, caller: CurrentCaller, album_id: AlbumId, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List the photos of an album that you see, in the order of the album: last taken first, last added first, or
        by hand.
        """
        at = self._authenticator.now()
        album = album_for(caller, Action.SEE_ALBUM, album_id, at=at, table=self._table).album
        name, read = AlbumView(caller, album, at, self._table).photos(timeline=self._timeline)
        return self._pages.page(
            request,
            caller,
            lambda most, behind: read(limit=most, after=behind),
            query=f"album {album.album_id} {name}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def add_photos(self, caller: CurrentCaller, album_id: AlbumId, photos: PhotoIdsRequest) -> AlbumPhotoResults:
        """Add photos to an album, where all members see them: your own and, as an editor, those of the community. A
        photo of another user is shown only as long as the community sees it.
        """
        return album_photo_results(self._changes.add(caller, album_id, photos.ids))

    def remove_photos(self, caller: CurrentCaller, album_id: AlbumId, photos: PhotoIdsRequest) -> AlbumPhotoResults:
        """Remove photos from an album. They stay with their owners."""
        removed = self._changes.remove(caller, album_id, photos.ids)
        return album_photo_results((image_id, error or AlbumPhotoStatus.REMOVED) for image_id, error in removed)

    def move_photos(self, caller: CurrentMember, album_id: AlbumId, move: MovePhotosRequest) -> None:
        """Reorder photos of an album whose order is by hand."""
        self._changes.move(caller, album_id, move.ids, move.before)


class WallRoutes:
    """A screen loads the newest photos once, and follows the album's events from the id in the response. After a lost
    connection it continues from the last event, so that it misses no photo.
    """

    def __init__(self, *, authenticator: RequestAuthenticator, images: ImageResponses, table: Table) -> None:
        self._authenticator = authenticator
        self._images = images
        self._table = table

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="albums")
        shown: dict[str, Any] = {"response_model": WallResponse, "errors": (404,)}
        routes.add_fast("/api/albums/{albumId}/wall", Action.SEE_ALBUM, self.read_wall, **shown)
        return routes.router

    def read_wall(self, request: Request, caller: CurrentCaller, album_id: AlbumId, limit: MaxPhotos = 30) -> Response:
        """Read the newest photos of an album, and the event id from which to follow its events."""
        at = self._authenticator.now()
        album = album_for(caller, Action.SEE_ALBUM, album_id, at=at, table=self._table).album
        items = AlbumView(caller, album, at, self._table).newest(limit=limit)
        body = {
            "albumId": album.album_id,
            "title": album.title,
            "images": self._images.page(items, caller, at=at),
            "lastEventId": lowest_id_at(at),
        }
        return json_response(request, body)
