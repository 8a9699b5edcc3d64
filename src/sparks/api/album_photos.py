"""The photos of an album: those there are, in its order; added, taken out and moved, many at once."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Request, Response
from pydantic import Field

from sparks.api.album_changes import AlbumChanges
from sparks.api.albums import AlbumId
from sparks.api.bulk_shapes import Id, Photos
from sparks.api.encoded import LOOKED_AT
from sparks.api.errors import code_of
from sparks.api.gate import Caller, Gate, MemberCaller, Routes
from sparks.api.hands import at_once
from sparks.api.image_pages import ImagePages
from sparks.api.images import ImageList, Images
from sparks.api.lists import Cursor, Limit
from sparks.api.shapes import Answer
from sparks.feed.album_pages import page_of_album
from sparks.feed.timeline import Timeline
from sparks.journey import Stores
from sparks.library.access import album_for, may_see
from sparks.library.albums import JoinedAlbum, move_photos
from sparks.library.live import announce_albums
from sparks.library.people import list_photos_of, see_person
from sparks.library.photos import ItemPage
from sparks.model.access import Action
from sparks.model.album import Album, AlbumOrder
from sparks.model.caller import GuestCaller, Who
from sparks.model.errors import Conflict, NotFound, SparksError
from sparks.model.photo import Photo
from sparks.model.scope import scope_of_album
from sparks.model.share import Reach, reach_of
from sparks.model.times import has_passed
from sparks.table.port import Key

NOT_BY_HAND: Final = "this album is not in an order by hand: set its order to hand first"


class PhotoOutcome(StrEnum):
    ADDED = "added"
    QUEUED = "queued"
    THERE = "there"
    REMOVED = "removed"


class PhotoResult(Answer):
    """What became of one photo: either a `status`, or an `error` with its `message`."""

    image_id: str
    status: PhotoOutcome | None = None
    error: str | None = None
    message: str | None = None


class PhotoResults(Answer):
    results: list[PhotoResult]


class Move(Photos):
    """These photos, in this order, before another one; at the end where none is named."""

    before: Annotated[Id | None, Field(description="A photo of the album that is not one of them.")] = None


class AlbumPhotoRoutes:
    def __init__(
        self, *, gate: Gate, stores: Stores, images: Images, changes: AlbumChanges, timeline: Timeline
    ) -> None:
        self._gate = gate
        self._table = stores.table
        self._pages = ImagePages(images, keyring=stores.keyring)
        self._changes = changes
        self._timeline = timeline

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="albums")
        photos = "/api/albums/{albumId}/photos"
        paged: dict[str, Any] = {"response_model": ImageList, "responses": LOOKED_AT, "errors": (404,)}
        routes.look(photos, Action.SEE_ALBUM, self.read_album_photos, **paged)
        routes.add("PUT", photos, Action.ADD_TO_ALBUM, self.add_photos, errors=(404,))
        routes.add("DELETE", photos, Action.TAKE_FROM_ALBUM, self.remove_photos, errors=(404,))
        routes.add("POST", f"{photos}/move", Action.EDIT_ALBUM, self.move_photos, status=204, errors=(404, 409))
        return routes.router

    def read_album_photos(
        self, request: Request, who: Caller, album_id: AlbumId, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """The photos of an album that you see, in its order: the last taken first, the last added first, or as people
        have put them.
        """
        at, album = self._gate.now(), self._album(who, Action.SEE_ALBUM, album_id).album
        shown, read = self._list(who, album, at)
        return self._pages.answer(
            request,
            who,
            lambda most, behind: read(limit=most, after=behind),
            query=f"album {album.album_id} {shown}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def add_photos(self, who: Caller, album_id: AlbumId, photos: Photos) -> PhotoResults:
        """Put photos into an album: your own and, as an editor, those of the community. All members see them then; one
        that is not yours is there for as long as the community sees it.
        """
        joined = self._album(who, Action.ADD_TO_ALBUM, album_id)
        numbers = {image_id: number for number, image_id in enumerate(dict.fromkeys(photos.ids))}
        return _each(photos, lambda image_id: self._changes.add(who, joined, image_id, numbers[image_id]).value)

    def remove_photos(self, who: Caller, album_id: AlbumId, photos: Photos) -> PhotoResults:
        """Take photos out of an album. They stay with their owners."""
        joined = self._album(who, Action.TAKE_FROM_ALBUM, album_id)

        def remove(image_id: str) -> str:
            self._changes.take_out(who, joined, image_id)
            return PhotoOutcome.REMOVED

        return _each(photos, remove)

    def move_photos(self, who: MemberCaller, album_id: AlbumId, move: Move) -> None:
        """Put photos of an album elsewhere, by hand."""
        album = self._album(who, Action.EDIT_ALBUM, album_id).album
        if album.order is not AlbumOrder.HAND:
            raise Conflict(NOT_BY_HAND)
        move_photos(album.album_id, move.ids, move.before, table=self._table)
        announce_albums([album.album_id], at=self._gate.now(), table=self._table)

    def _album(self, who: Who, action: Action, album_id: str) -> JoinedAlbum:
        return album_for(who, action, album_id, at=self._gate.now(), table=self._table)

    def _list(self, who: Who, album: Album, at: datetime) -> tuple[str, Callable[..., ItemPage]]:
        """The name of the list, and what reads it. What a link shows of certain persons is looked up by these, however
        large the album is.
        """
        sees = self._sees(who, at)
        if isinstance(who, GuestCaller) and (reach := reach_of(who.link, who.guest, at)) is not Reach.ALL:
            named = who.link.persons or who.guest.persons
            if reach is Reach.NOTHING:
                return reach, nothing_shown
            if who.link.persons or len(named) == 1:
                return " ".join(named), self._of_persons(who, named, sees)
        return album.order, partial(page_of_album, album, sees=sees, timeline=self._timeline, table=self._table)

    def _of_persons(
        self, who: GuestCaller, person_ids: Sequence[str], sees: Callable[[Photo], bool]
    ) -> Callable[..., ItemPage]:
        """[Note: whom it is about] The guest need not see the persons whom the host has named: `sees` decides, photo by
        photo.
        """
        here = frozenset({scope_of_album(who.link.album_id)})
        try:
            found = [see_person(who, each, table=self._table) for each in person_ids]
        except NotFound:
            return nothing_shown
        persons = [replace(each, scopes=here) for each in found]
        return partial(list_photos_of, *persons, sees=sees, table=self._table)

    def _sees(self, who: Who, at: datetime) -> Callable[[Photo], bool]:
        """A member sees what the album shows; a guest, what the link leads to."""
        if isinstance(who, GuestCaller):
            return partial(may_see, who, at=at, table=self._table)
        return lambda photo: not has_passed(photo.expires_at, at=at)


def nothing_shown(*, limit: int, after: Key | None) -> ItemPage:  # noqa: ARG001  as any page
    """What a guest sees of an album before it is revealed, or with a link that only takes photos in."""
    return [], None


def _each(photos: Photos, work: Callable[[str], str]) -> PhotoResults:
    def result(image_id: str) -> PhotoResult:
        try:
            return PhotoResult(image_id=image_id, status=PhotoOutcome(work(image_id)))
        except SparksError as error:
            return PhotoResult(image_id=image_id, error=code_of(error), message=str(error))

    return PhotoResults(results=list(at_once(result, dict.fromkeys(photos.ids))))
