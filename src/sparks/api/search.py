"""Searching photos, and what one may mean while one types."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from sparks.api.encoded import LOOKED_AT
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.image_pages import ImagePages
from sparks.api.images import ImageList, Images
from sparks.api.lists import MOST
from sparks.api.person_answers import PersonAnswer, PersonAnswers
from sparks.api.search_shapes import SearchQuery
from sparks.api.searching import searching_for
from sparks.api.shapes import Answer
from sparks.api.tags import TagAnswer
from sparks.auth.cursors import LONGEST
from sparks.feed.search import Searching
from sparks.feed.suggesting import suggest
from sparks.journey import Stores
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.search.port import Sort

Text = Annotated[str, Query(alias="q", max_length=500, description="What was typed by now: words, or how they begin.")]
Few = Annotated[int, Query(alias="limit", ge=1, le=20, description="How many of each at most.")]


class SearchPage(SearchQuery):
    """The photos with what is asked for, page by page."""

    sort: Sort = Field(
        Sort.NEWEST,
        description="The newest first, by the time they were taken; or those that fit best, and then the newest.",
    )
    limit: int = Field(100, ge=1, le=MOST, description="How many at most.")
    cursor: str | None = Field(
        None, max_length=LONGEST, description="The `lastEvaluatedKey` of the page before; none at the beginning."
    )


class AlbumSuggestion(Answer):
    album_id: str
    title: str


class MemberSuggestion(Answer):
    email: str
    username: str


class SearchSuggestions(Answer):
    """What you may mean, of each kind those that fit best first; all of it things that you may see."""

    tags: list[TagAnswer]
    persons: list[PersonAnswer]
    albums: list[AlbumSuggestion]
    cameras: list[str]
    members: list[MemberSuggestion]


class SearchRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, images: Images) -> None:
        self._gate = gate
        self._stores = stores
        self._pages = ImagePages(images, keyring=stores.keyring)

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="search")
        lists = Action.LIST_PHOTOS
        images: dict[str, Any] = {"response_model": ImageList, "responses": LOOKED_AT, "errors": (404,)}
        routes.look("/api/search", lists, self.search_photos, **images)
        routes.add("GET", "/api/search/suggestions", lists, self.read_search_suggestions)
        return routes.router

    def search_photos(self, request: Request, who: MemberCaller, asked: Annotated[SearchPage, Query()]) -> Response:
        """The photos that you see and that have all of what is asked for. 404 where a person, an album or a member is
        not for you to see, 503 while the index is being built.
        """
        wanted = asked.wanted(asked.sort)
        searching = self._searching(who)
        return self._pages.answer(
            request,
            who,
            lambda most, behind: searching.page(wanted, limit=most, after=behind),
            query=f"search {wanted}",
            limit=asked.limit,
            cursor=asked.cursor,
            at=searching.at,
        )

    def read_search_suggestions(self, who: MemberCaller, text: Text = "", few: Few = 5) -> SearchSuggestions:
        """What you may mean, while you type: tags, persons, albums, cameras and members whose names begin so."""
        searching = self._searching(who)
        found = suggest(text, searching, few=few)
        answers = PersonAnswers(who, at=searching.at, table=self._stores.table, keyring=self._stores.keyring)
        return SearchSuggestions(
            tags=[TagAnswer(tag=tag, count=count) for tag, count in found.tags],
            persons=[answers.person(person) for person in found.persons],
            albums=[AlbumSuggestion(album_id=album.album_id, title=album.title) for album in found.albums],
            cameras=found.cameras,
            members=[MemberSuggestion(email=user.email, username=user.username) for user in found.members],
        )

    def _searching(self, who: Member) -> Searching:
        return searching_for(who, at=self._gate.now(), stores=self._stores)
