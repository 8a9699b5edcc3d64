"""Tags: which there are and on how many photos, the photos with one of them, and another name for one of them."""

from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field

from sparks import logs
from sparks.api.encoded import LOOKED_AT
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.image_pages import ImagePages
from sparks.api.images import ImageList, Images
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.shapes import Answer, Time, Wish, Words
from sparks.feed.retagging import AT_ONCE
from sparks.journey import Journey, Stores
from sparks.library.access import may_see
from sparks.library.tags import begin_renaming, find_change, list_tagged, list_tags, rename_some
from sparks.library.tags.renaming import NO_CHANGE
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.model.events import PhotoChanged, TagRenaming
from sparks.model.ledger import TagChange
from sparks.model.photo import Photo
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner

NET: Final = 60  # seconds after which the job looks whether all is done, should Sparks be killed right now
GOES_ON: Final = "There are many photos: it goes on, and `/api/me/tag-changes/{changeId}` tells how far it is."

Whose = Annotated[Literal["mine", "community"], Query(alias="scope", description="Whose photos.")]
Start = Annotated[str, Query(alias="q", max_length=200, description="What the tags begin with.")]
Tag = Annotated[str, Query(max_length=1000, description="Whatever its case.")]
TagPath = Annotated[str, Path(max_length=1000)]
ChangeId = Annotated[str, Path(alias="changeId", max_length=200)]


class TagAnswer(Answer):
    """A tag as lists call it, in lower case, and how many photos of the scope have it."""

    tag: str
    count: int


class TagList(Answer):
    tags: list[TagAnswer]
    last_evaluated_key: str | None = None


class TagName(Wish):
    """What the tag is to be called; where that is a tag of yours already, both become one."""

    name: Words


class TagChangeAnswer(Answer):
    """How far a tag's new name is. `failed` are photos that others were changing all the time: ask for these again."""

    change_id: str
    tag: str
    name: str
    photos: int = Field(description="How many have the tag, or had it; while it goes on, as far as is known.")
    done: int
    failed: int
    finished: bool
    begun_at: Time
    finished_at: Time | None = None


class TagRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, journey: Journey, images: Images) -> None:
        self._gate = gate
        self._table = stores.table
        self._jobs = stores.jobs
        self._keyring = stores.keyring
        self._journey = journey
        self._pages = ImagePages(images, keyring=stores.keyring)

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="tags")
        lists, edit = Action.LIST_PHOTOS, Action.EDIT_PHOTO
        images: dict[str, Any] = {"response_model": ImageList, "responses": LOOKED_AT}
        later: dict[int | str, dict[str, Any]] = {202: {"description": GOES_ON, "model": TagChangeAnswer}}
        routes.add("GET", "/api/tags", lists, self.read_tags)
        routes.look("/api/tags/photos", lists, self.read_photos_with_tag, **images)
        routes.add("PATCH", "/api/tags/{tag:path}", edit, self.rename_tag, errors=(404,), responses=later)
        routes.add("GET", "/api/me/tag-changes/{changeId}", lists, self.read_tag_change, errors=(404,))
        return routes.router

    def read_tags(
        self, who: MemberCaller, scope: Whose = "mine", start: Start = "", limit: Limit = 100, cursor: Cursor = None
    ) -> TagList:
        """The tags of your photos, or of those of the community, in the order of their letters."""
        read = partial(list_tags, _scope(who, scope), start=start, table=self._table)
        found, after = page_of(
            lambda most, behind: read(limit=most, after=behind),
            query=f"tags {scope} {start}",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        return TagList(tags=[TagAnswer(tag=tag, count=count) for tag, count in found], last_evaluated_key=after)

    def read_photos_with_tag(
        self,
        request: Request,
        who: MemberCaller,
        tag: Tag,
        scope: Whose = "mine",
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """The photos with a tag, of yours or of the community, newest first."""
        at = self._gate.now()
        sees = partial(may_see, who, at=at, table=self._table)
        read = partial(list_tagged, tag, _scope(who, scope), sees=sees, table=self._table)
        return self._pages.answer(
            request,
            who,
            lambda most, behind: read(limit=most, after=behind),
            query=f"photos with tag {scope} {tag}",
            limit=limit,
            cursor=cursor,
            at=at,
        )

    def rename_tag(self, who: MemberCaller, tag: TagPath, wish: TagName, response: Response) -> TagChangeAnswer:
        """Give a tag another name on all of your photos, or make two tags one. Each photo is at its next version then.
        202 where it goes on after the answer.
        """
        at = self._gate.now()
        change = begin_renaming(who.email, tag, wish.name, at=at, table=self._table)
        event = TagRenaming(change.change_id)
        self._send(event, delay=NET)
        noted, changed = rename_some(change, most=AT_ONCE, at=at, table=self._table)
        self._follow(changed)
        if noted.finished_at is None:
            self._send(event)
            response.status_code = 202
        return _answer(noted)

    def read_tag_change(self, who: MemberCaller, change_id: ChangeId) -> TagChangeAnswer:
        """How far the new name of a tag is, until a week after it was asked for."""
        change = find_change(change_id, table=self._table)
        if change.owner != who.email:
            raise NotFound(NO_CHANGE)
        return _answer(change)

    def _follow(self, changed: list[Photo]) -> None:
        for photo in changed:
            self._send(PhotoChanged(photo.image_id, photo.owner))

    def _send(self, event: TagRenaming | PhotoChanged, *, delay: float = 0) -> None:
        self._journey.send_after(event, jobs=self._jobs, request_id=logs.REQUEST_ID.get(), delay=delay)


def _scope(who: Member, asked: str) -> Scope:
    return COMMUNITY if asked == "community" else scope_of_owner(who.email)


def _answer(change: TagChange) -> TagChangeAnswer:
    return TagChangeAnswer(
        change_id=change.change_id,
        tag=change.tag,
        name=change.name,
        photos=change.photos,
        done=change.done,
        failed=change.failed,
        finished=change.finished_at is not None,
        begun_at=change.begun_at,
        finished_at=change.finished_at,
    )
