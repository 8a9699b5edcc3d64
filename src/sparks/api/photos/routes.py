"""Routes that list, read, edit, mark, trash and delete photos."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from sparks.actions.mark_favorite import mark_favorite
from sparks.actions.parallel import results_of
from sparks.actions.photo_changes import PhotoChanges
from sparks.api.http.authentication import ActionRouter, CurrentCaller, CurrentMember, RequestAuthenticator
from sparks.api.http.cursors import Cursor, Limit
from sparks.api.http.json_response import NOT_MODIFIED_DOC, json_response
from sparks.api.http.parameters import EmailPath, ImageId
from sparks.api.photos.requests import PhotoChangeRequest, PhotoIdsRequest, PhotosChangeRequest
from sparks.api.photos.responses import (
    BulkResults,
    BulkStatus,
    EmptyTrashResponse,
    ImageDetailsResponse,
    ImageList,
    ImagePageResponses,
    ImageResponses,
    bulk_results,
    page_reader,
)
from sparks.feed.photo_pages import PhotoPages
from sparks.library.authorized_reads import photo_for, user_for
from sparks.library.photos.photo_lists import ItemPage
from sparks.model.access import Action
from sparks.model.caller import Caller, Member
from sparks.model.errors import BadInput
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.table.port import Table

NO_CHANGE: Final = "name what to change: addTags, removeTags, visibility or favorite"


class PhotoRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, images: ImageResponses, table: Table, keyring: Keyring
    ) -> None:
        self._authenticator = authenticator
        self._images = images
        self._pages = ImagePageResponses(images, keyring=keyring)
        self._table = table

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="photos")
        lists, see, mark = Action.LIST_PHOTOS, Action.SEE_PHOTO, Action.MARK_PHOTO
        paged: dict[str, Any] = {"response_model": ImageList, "responses": NOT_MODIFIED_DOC}
        routes.add_fast("/api/photos", lists, self.read_feed, **paged)
        routes.add_fast("/api/me/photos", lists, self.read_own_photos, **paged)
        routes.add_fast("/api/me/favorites", lists, self.read_favorites, **paged)
        routes.add_fast("/api/me/trash", lists, self.read_trash, **paged)
        routes.add_fast("/api/users/{email}/photos", lists, self.read_photos_of, errors=(404,), **paged)
        one, favorite = "/api/photos/{imageId}", "/api/photos/{imageId}/favorite"
        routes.add_fast(
            one, see, self.read_photo, errors=(404,), response_model=ImageDetailsResponse, responses=NOT_MODIFIED_DOC
        )
        routes.add("PUT", favorite, mark, self.set_favorite, status=204, errors=(404,))
        routes.add("DELETE", favorite, mark, self.unset_favorite, status=204, errors=(404,))
        return routes.router

    # -- Lists

    def read_feed(self, request: Request, caller: CurrentMember, limit: Limit = 100, cursor: Cursor = None) -> Response:
        """List the photos of the community, newest first."""
        return self._list("feed", PhotoPages.of_community, request, caller, limit, cursor)

    def read_own_photos(
        self, request: Request, caller: CurrentMember, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List your photos, newest first: also those that are private, still being processed, or failed."""
        read = partial(PhotoPages.of_user, email=caller.email, caller=caller)
        return self._list("own", read, request, caller, limit, cursor)

    def read_favorites(
        self, request: Request, caller: CurrentMember, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List your favorites that you still see, newest photos first."""
        read = partial(PhotoPages.of_favorites, caller=caller)
        return self._list("favorites", read, request, caller, limit, cursor, all_marked=True)

    def read_trash(
        self, request: Request, caller: CurrentMember, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List the photos in your trash, newest photos first."""
        return self._list("trash", partial(PhotoPages.of_trash, caller=caller), request, caller, limit, cursor)

    def read_photos_of(
        self, request: Request, caller: CurrentMember, email: EmailPath, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """List the photos of a user that the community sees, newest first; for your own e-mail, all of your photos."""
        user = user_for(caller, Action.LIST_PHOTOS, email, at=self._authenticator.now(), table=self._table)
        read = partial(PhotoPages.of_user, email=user.email, caller=caller)
        return self._list(f"of {user.email}", read, request, caller, limit, cursor)

    def _list(
        self,
        query: str,
        read: Callable[[PhotoPages], ItemPage],
        request: Request,
        caller: Member,
        limit: int,
        cursor: str | None,
        *,
        all_marked: bool = False,
    ) -> Response:
        at = self._authenticator.now()
        return self._pages.page(
            request,
            caller,
            page_reader(read, at=at, table=self._table),
            query=f"photos {query}",
            limit=limit,
            cursor=cursor,
            at=at,
            all_marked=all_marked,
        )

    # -- One photo

    def read_photo(self, request: Request, caller: CurrentCaller, image_id: ImageId) -> Response:
        """Read one photo with all of its metadata."""
        at = self._authenticator.now()
        photo = photo_for(caller, Action.SEE_PHOTO, image_id, at=at, table=self._table)
        return json_response(request, self._images.one(photo, caller, at=at))

    def set_favorite(self, caller: CurrentCaller, image_id: ImageId) -> None:
        """Mark a photo as a favorite. Only you see the mark."""
        mark_favorite(caller, image_id, favorite=True, at=self._authenticator.now(), table=self._table)

    def unset_favorite(self, caller: CurrentCaller, image_id: ImageId) -> None:
        """Remove the favorite mark from a photo."""
        mark_favorite(caller, image_id, favorite=False, at=self._authenticator.now(), table=self._table)


class PhotoEditRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, changes: PhotoChanges, images: ImageResponses) -> None:
        self._authenticator = authenticator
        self._changes = changes
        self._images = images

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="photos")
        photo, edit, delete = "/api/photos/{imageId}", Action.EDIT_PHOTO, Action.DELETE_PHOTO
        one: dict[str, Any] = {"errors": (404, 409), "response_model": ImageDetailsResponse}
        routes.add("PATCH", photo, edit, self.edit_photo, **one)
        routes.add("POST", f"{photo}/retry", edit, self.retry_photo, **one)
        routes.add("POST", f"{photo}/faces/retry", edit, self.retry_faces, **one)
        routes.add("DELETE", photo, delete, self.delete_photo, status=204, errors=(404, 409))
        routes.add("DELETE", "/api/me/photos/{imageId}", delete, self.delete_own_photo, status=204, errors=(404, 409))
        return routes.router

    def edit_photo(
        self, request: Request, caller: CurrentCaller, image_id: ImageId, body: PhotoChangeRequest
    ) -> Response:
        """Edit the texts, tags, time or visibility of a photo. 409 if it was edited since the version that you name."""
        photo = self._changes.edit(caller, image_id, body.edit(), version=body.version)
        return self._response(request, photo, caller)

    def retry_photo(self, request: Request, caller: CurrentCaller, image_id: ImageId) -> Response:
        """Process a photo again whose processing failed."""
        return self._response(request, self._changes.retry(caller, image_id), caller)

    def retry_faces(self, request: Request, caller: CurrentCaller, image_id: ImageId) -> Response:
        """Look for faces again in a photo in which that failed."""
        return self._response(request, self._changes.retry_faces(caller, image_id), caller)

    def delete_photo(self, caller: CurrentCaller, image_id: ImageId) -> None:
        """Delete a photo for good, whatever its state. It disappears at once; its files are deleted a moment later."""
        self._changes.delete(caller, image_id)

    def delete_own_photo(self, caller: CurrentCaller, image_id: ImageId) -> None:
        """Delete a photo of yours for good; the same as `DELETE /api/photos/{imageId}`."""
        self._changes.delete(caller, image_id)

    def _response(self, request: Request, photo: Photo, caller: Caller) -> Response:
        return json_response(request, self._images.one(photo, caller, at=self._authenticator.now()))


class BulkPhotoRoutes:
    """Each photo has a result of its own."""

    def __init__(self, *, authenticator: RequestAuthenticator, changes: PhotoChanges) -> None:
        self._authenticator = authenticator
        self._changes = changes

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="photos")
        trash, delete = Action.TRASH_PHOTO, Action.DELETE_PHOTO
        routes.add("POST", "/api/photos/change", Action.EDIT_PHOTO, self.change_photos)
        routes.add("POST", "/api/photos/trash", trash, self.trash_photos)
        routes.add("POST", "/api/photos/restore", trash, self.restore_photos)
        routes.add("POST", "/api/photos/delete", delete, self.delete_photos)
        routes.add("DELETE", "/api/me/trash", Action.TRASH_PHOTO, self.empty_trash, errors=(409,))
        return routes.router

    def change_photos(self, caller: CurrentCaller, body: PhotosChangeRequest) -> BulkResults:
        """Add and remove tags, set the visibility, and mark favorites. Only the owner changes tags and visibility;
        everyone who sees a photo may mark it. If you may not make one of the changes, nothing about that photo is
        changed. `undo` names the change that undoes this one.
        """
        edit = body.edit()
        if edit.is_empty and body.favorite is None:
            raise BadInput(NO_CHANGE)

        changed = results_of(
            body.ids, lambda image_id: self._changes.bulk_edit(caller, image_id, edit, favorite=body.favorite)
        )
        return bulk_results(BulkStatus.CHANGED, changed)

    def trash_photos(self, caller: CurrentCaller, photos: PhotoIdsRequest) -> BulkResults:
        """Move photos to the trash. They can be restored until they are deleted, some weeks later."""
        trashed = results_of(photos.ids, lambda image_id: self._changes.trash(caller, image_id))
        return bulk_results(BulkStatus.TRASHED, trashed)

    def restore_photos(self, caller: CurrentCaller, photos: PhotoIdsRequest) -> BulkResults:
        """Restore photos from the trash."""
        restored = results_of(photos.ids, lambda image_id: self._changes.restore(caller, image_id))
        return bulk_results(BulkStatus.RESTORED, restored)

    def delete_photos(self, caller: CurrentCaller, photos: PhotoIdsRequest) -> BulkResults:
        """Delete photos for good, whatever their state."""
        deleted = results_of(photos.ids, lambda image_id: self._changes.delete(caller, image_id))
        return bulk_results(BulkStatus.DELETED, deleted)

    def empty_trash(self, caller: CurrentMember) -> EmptyTrashResponse:
        """Delete all photos in your trash for good. A photo that is restored meanwhile stays."""
        return EmptyTrashResponse(deleted=self._changes.empty_trash(caller))
