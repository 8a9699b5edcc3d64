"""Routes that search photos and suggest search terms."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from sparks.api.http.authentication import ActionRouter, CurrentMember, RequestAuthenticator
from sparks.api.http.base_models import ResponseModel
from sparks.api.http.cursors import MAX_LENGTH, MAX_LIMIT
from sparks.api.http.json_response import NOT_MODIFIED_DOC
from sparks.api.people.responses import PersonResponse, PersonResponses
from sparks.api.photos.responses import ImageList, ImagePageResponses, ImageResponses, TagResponse
from sparks.api.search.requests import SearchQuery
from sparks.feed.search import PhotoSearch, photo_search_for
from sparks.feed.search_suggestions import suggest
from sparks.library.search.search_index import SearchIndex
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.keyring import Keyring
from sparks.search.port import Sort
from sparks.table.port import Table

Text = Annotated[
    str, Query(alias="q", max_length=500, description="The text typed so far: words, or their beginnings.")
]
SuggestionCount = Annotated[int, Query(alias="limit", ge=1, le=20, description="The most suggestions of each kind.")]


class SearchPageQuery(SearchQuery):
    """Search filters, with order and page."""

    sort: Sort = Field(
        Sort.NEWEST,
        description="`newest`: the newest photos first. `relevance`: the best matches first, then the newest.",
    )
    limit: int = Field(100, ge=1, le=MAX_LIMIT, description="The most photos of this page.")
    cursor: str | None = Field(
        None, max_length=MAX_LENGTH, description="The `lastEvaluatedKey` of the previous page; none for the first."
    )


class AlbumSuggestionResponse(ResponseModel):
    album_id: str
    title: str


class MemberSuggestionResponse(ResponseModel):
    email: str
    username: str


class SearchSuggestionsResponse(ResponseModel):
    """Suggestions of each kind, the best matches first; only what you may see."""

    tags: list[TagResponse]
    persons: list[PersonResponse]
    albums: list[AlbumSuggestionResponse]
    cameras: list[str]
    members: list[MemberSuggestionResponse]


class SearchRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        images: ImageResponses,
        index: SearchIndex | None,
        table: Table,
        keyring: Keyring,
    ) -> None:
        self._authenticator = authenticator
        self._pages = ImagePageResponses(images, keyring=keyring)
        self._index = index
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="search")
        lists = Action.LIST_PHOTOS
        images: dict[str, Any] = {"response_model": ImageList, "responses": NOT_MODIFIED_DOC, "errors": (404,)}
        routes.add_fast("/api/search", lists, self.search_photos, **images)
        routes.add("GET", "/api/search/suggestions", lists, self.read_search_suggestions)
        return routes.router

    def search_photos(
        self, request: Request, caller: CurrentMember, query: Annotated[SearchPageQuery, Query()]
    ) -> Response:
        """Search the photos that you see; a photo must match all filters. 404 where you do not see the person, album
        or member of a filter; 503 while the index is being built.
        """
        criteria = query.criteria(query.sort)
        search = self._search(caller)
        return self._pages.page(
            request,
            caller,
            lambda most, behind: search.page(criteria, limit=most, after=behind),
            query=f"search {criteria}",
            limit=query.limit,
            cursor=query.cursor,
            at=search.at,
        )

    def read_search_suggestions(
        self, caller: CurrentMember, text: Text = "", few: SuggestionCount = 5
    ) -> SearchSuggestionsResponse:
        """Suggest tags, persons, albums, cameras and members whose names begin with the typed text."""
        search = self._search(caller)
        found = suggest(text, search, few=few)
        persons = PersonResponses(caller, at=search.at, table=self._table, keyring=self._keyring)
        return SearchSuggestionsResponse(
            tags=[TagResponse(tag=tag, count=count) for tag, count in found.tags],
            persons=[persons.person(person) for person in found.persons],
            albums=[AlbumSuggestionResponse(album_id=album.album_id, title=album.title) for album in found.albums],
            cameras=found.cameras,
            members=[MemberSuggestionResponse(email=user.email, username=user.username) for user in found.members],
        )

    def _search(self, caller: Member) -> PhotoSearch:
        return photo_search_for(caller, index=self._index, at=self._authenticator.now(), table=self._table)
