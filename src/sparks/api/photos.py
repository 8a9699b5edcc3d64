"""Looking at photos: the feed, one's own, another's, favourites, the trash, and one photo."""

from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response

from sparks.api.encoded import LOOKED_AT, encoded
from sparks.api.gate import Caller, Gate, MemberCaller, Routes
from sparks.api.image_pages import ImagePages
from sparks.api.images import READ, ImageDetails, ImageList, Images
from sparks.api.lists import Cursor, Limit
from sparks.api.marks import Marks
from sparks.api.media import ImageId
from sparks.api.users import EmailPath
from sparks.feed.page import Pages
from sparks.journey import Stores
from sparks.library.access import photo_for, user_for
from sparks.library.photos import ItemPage
from sparks.model.access import Action
from sparks.model.caller import Member


class PhotoRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, images: Images, marks: Marks) -> None:
        self._gate = gate
        self._marks = marks
        self._table = stores.table
        self._images = images
        self._pages = ImagePages(images, keyring=stores.keyring)

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="photos")
        lists, see, mark = Action.LIST_PHOTOS, Action.SEE_PHOTO, Action.MARK_PHOTO
        paged: dict[str, Any] = {"response_model": ImageList, "responses": LOOKED_AT}
        routes.look("/api/photos", lists, self.read_feed, **paged)
        routes.look("/api/me/photos", lists, self.read_own_photos, **paged)
        routes.look("/api/me/favorites", lists, self.read_favorites, **paged)
        routes.look("/api/me/trash", lists, self.read_trash, **paged)
        routes.look("/api/users/{email}/photos", lists, self.read_photos_of, errors=(404,), **paged)
        one, favorite = "/api/photos/{imageId}", "/api/photos/{imageId}/favorite"
        routes.look(one, see, self.read_photo, errors=(404,), response_model=ImageDetails, responses=LOOKED_AT)
        routes.add("PUT", favorite, mark, self.set_favorite, status=204, errors=(404,))
        routes.add("DELETE", favorite, mark, self.unset_favorite, status=204, errors=(404,))
        return routes.router

    # -- Lists

    def read_feed(self, request: Request, who: MemberCaller, limit: Limit = 100, cursor: Cursor = None) -> Response:
        """The photos of the community, newest first."""
        return self._list("feed", Pages.of_community, request, who, limit, cursor)

    def read_own_photos(
        self, request: Request, who: MemberCaller, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """Your photos, newest first: with private ones, and those that wait or failed."""
        return self._list("own", partial(Pages.of_user, email=who.email, who=who), request, who, limit, cursor)

    def read_favorites(
        self, request: Request, who: MemberCaller, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """What you have marked, as far as you still see it: the newest photos first."""
        read = partial(Pages.of_favourites, who=who)
        return self._list("favorites", read, request, who, limit, cursor, all_marked=True)

    def read_trash(self, request: Request, who: MemberCaller, limit: Limit = 100, cursor: Cursor = None) -> Response:
        """What you have thrown away and can still restore: the newest photos first."""
        return self._list("trash", partial(Pages.of_trash, who=who), request, who, limit, cursor)

    def read_photos_of(
        self, request: Request, who: MemberCaller, email: EmailPath, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """The photos of one member that the community sees, newest first; of yourself, all."""
        user = user_for(who, Action.LIST_PHOTOS, email, at=self._gate.now(), table=self._table)
        read = partial(Pages.of_user, email=user.email, who=who)
        return self._list(f"of {user.email}", read, request, who, limit, cursor)

    def _list(
        self,
        query: str,
        read: Callable[[Pages], ItemPage],
        request: Request,
        who: Member,
        limit: int,
        cursor: str | None,
        *,
        all_marked: bool = False,
    ) -> Response:
        at = self._gate.now()
        return self._pages.answer(
            request,
            who,
            lambda most, behind: read(Pages(limit=most, after=behind, only=READ, at=at, table=self._table)),
            query=f"photos {query}",
            limit=limit,
            cursor=cursor,
            at=at,
            all_marked=all_marked,
        )

    # -- One

    def read_photo(self, request: Request, who: Caller, image_id: ImageId) -> Response:
        """One photo, with all that is known of it."""
        at = self._gate.now()
        photo = photo_for(who, Action.SEE_PHOTO, image_id, at=at, table=self._table)
        return encoded(request, self._images.one(photo, who, at=at))

    def set_favorite(self, who: Caller, image_id: ImageId) -> None:
        """Mark a photo. Nobody else sees it."""
        self._marks.mark(who, image_id, favourite=True)

    def unset_favorite(self, who: Caller, image_id: ImageId) -> None:
        """Take the mark off a photo."""
        self._marks.mark(who, image_id, favourite=False)
