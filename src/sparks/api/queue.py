"""The queue of an album: what guests brought through a moderated link, until its host has decided.

What is approved, all members and guests see from then on. What is rejected goes into the host's trash, since what
guests bring belongs to the host: there it can be looked at again, until it is deleted with the rest.
"""

from collections.abc import Callable
from typing import Annotated, Any, Final

from fastapi import APIRouter, Request, Response
from pydantic import Field

from sparks.api.album_changes import AlbumChanges
from sparks.api.albums import AlbumId
from sparks.api.bulk_shapes import Id
from sparks.api.changes import Changes
from sparks.api.encoded import LOOKED_AT
from sparks.api.errors import code_of
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.hands import at_once
from sparks.api.image_pages import ImagePages
from sparks.api.images import ImageList, Images
from sparks.api.lists import Cursor, Limit
from sparks.api.queue_shapes import Decision, DecisionResult, DecisionResults
from sparks.api.shapes import Wish
from sparks.journey import Stores
from sparks.library.access import album_for, may_see
from sparks.library.photos import list_queue
from sparks.library.records import from_item
from sparks.model.access import Action
from sparks.model.album import Album
from sparks.model.caller import Member
from sparks.model.errors import BadInput, SparksError
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Item

MOST: Final = 500
NOTHING: Final = "say which photos to approve or reject"
BOTH: Final = "a photo is approved or rejected, not both"

Ids = Annotated[list[Id], Field(max_length=MOST)]


class Decisions(Wish):
    """The ids of photos that wait; at least one."""

    approve: Ids = Field(default_factory=list)
    reject: Ids = Field(default_factory=list)


class QueueRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, images: Images, changes: Changes, albums: AlbumChanges) -> None:
        self._gate = gate
        self._table = stores.table
        self._pages = ImagePages(images, keyring=stores.keyring)
        self._changes = changes
        self._albums = albums

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="albums")
        queue, moderate = "/api/albums/{albumId}/queue", Action.MODERATE_ALBUM
        paged: dict[str, Any] = {"response_model": ImageList, "responses": LOOKED_AT, "errors": (404,)}
        routes.look(queue, moderate, self.read_queue, **paged)
        routes.add("POST", queue, moderate, self.decide_queue, errors=(404,))
        return routes.router

    def read_queue(
        self, request: Request, who: MemberCaller, album_id: AlbumId, limit: Limit = 100, cursor: Cursor = None
    ) -> Response:
        """What waits for you to approve it, the last uploaded first."""
        album, at = self._album(who, album_id), self._gate.now()

        def waits(item: Item) -> bool:
            photo = from_item(Photo, item)
            shown = may_see(who, photo, action=Action.MARK_PHOTO, at=at, table=self._table)  # as keys that moderate may
            return photo.state is PhotoState.READY and shown

        return self._pages.answer(
            request,
            who,
            lambda most, behind: list_queue(album.album_id, sees=waits, limit=most, after=behind, table=self._table),
            query=f"queue {album.album_id}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def decide_queue(self, who: MemberCaller, album_id: AlbumId, wish: Decisions) -> DecisionResults:
        """Approve photos, or reject them: one or many, with a result for each."""
        if not wish.approve and not wish.reject:
            raise BadInput(NOTHING)
        if set(wish.approve) & set(wish.reject):
            raise BadInput(BOTH)
        album = self._album(who, album_id)
        approved = _each(wish.approve, Decision.APPROVED, lambda each: self._albums.approve(album.album_id, each))
        rejected = _each(wish.reject, Decision.REJECTED, lambda each: self._reject(who, album, each))
        return DecisionResults(results=[*approved, *rejected])

    def _reject(self, who: Member, album: Album, image_id: str) -> None:
        """Out of sight first. Only what a guest brought is thrown away: anything else stays with its owner."""
        photo = self._albums.waiting(album.album_id, image_id)
        if photo.guest_id is not None and photo.owner == who.email:
            self._changes.trash(who, image_id)
        self._albums.refuse(photo, album.album_id)

    def _album(self, who: Member, album_id: str) -> Album:
        return album_for(who, Action.MODERATE_ALBUM, album_id, at=self._gate.now(), table=self._table).album


def _each(ids: list[str], decision: Decision, work: Callable[[str], None]) -> list[DecisionResult]:
    def result(image_id: str) -> DecisionResult:
        try:
            work(image_id)
        except SparksError as error:
            return DecisionResult(image_id=image_id, error=code_of(error), message=str(error))
        return DecisionResult(image_id=image_id, status=decision)

    return list(at_once(result, dict.fromkeys(ids)))
