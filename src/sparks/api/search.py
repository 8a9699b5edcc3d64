"""Searching photos, and what one may mean while one types."""

from datetime import date
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request, Response

from sparks.api.encoded import LOOKED_AT
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.image_pages import ImagePages
from sparks.api.images import ImageList, Images
from sparks.api.lists import Cursor, Limit
from sparks.api.person_answers import PersonAnswer, PersonAnswers
from sparks.api.shapes import Answer
from sparks.api.tags import TagAnswer
from sparks.feed.search import Searching, Wanted
from sparks.feed.suggesting import suggest
from sparks.journey import Stores
from sparks.model.access import Action
from sparks.model.caller import Member
from sparks.model.errors import BadInput, Unavailable
from sparks.model.photo import AssetType
from sparks.search.port import Near, Place, Sort

NO_INDEX: Final = "this process keeps no search index: ask the one that `sparks serve` runs"
KINDS: Final = {"photo": AssetType.IMAGE, "video": AssetType.VIDEO}
NEAR: Final = "-?[0-9]{1,2}([.][0-9]{1,12})?,-?[0-9]{1,3}([.][0-9]{1,12})?,[0-9]{1,5}([.][0-9]{1,6})?"
DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
MOST: Final = 20  # of each filter that can be told several times

Text = Annotated[
    str,
    Query(
        alias="q",
        max_length=500,
        description="Words, or how they begin, in titles, descriptions, file names, tags, names of persons and albums, "
        "cameras. A photo is found that has them all. Case and accents do not matter.",
    ),
]
Tags = Annotated[list[str], Query(alias="tag", max_length=MOST, description="Several: all of them.")]
Persons = Annotated[list[str], Query(alias="person", max_length=MOST, description="Several: all of them.")]
Albums = Annotated[list[str], Query(alias="album", max_length=MOST, description="Several: in all of them.")]
Uploader = Annotated[str | None, Query(max_length=400, description="Whose photos, by their e-mail address.")]
Camera = Annotated[str | None, Query(max_length=200, description="The camera's name, whatever its case.")]
Kind = Annotated[Literal["photo", "video"] | None, Query()]
Favorite = Annotated[bool | None, Query(description="Those that you have marked, or those that you have not.")]
From = Annotated[
    str | None,
    Query(alias="from", pattern=f"^{DAY}$", description="The first day, as 2025-08-01, by the photographer's clock."),
]
To = Annotated[str | None, Query(pattern=f"^{DAY}$", description="The last day.")]
Around = Annotated[
    str | None,
    Query(alias="near", pattern=f"^{NEAR}$", description="Latitude, longitude and kilometres: `48.137,11.575,5`."),
]
Order = Annotated[
    Sort,
    Query(description="The newest first, by the time they were taken; or those that fit best, and then the newest."),
]
Few = Annotated[int, Query(alias="limit", ge=1, le=20, description="How many of each at most.")]


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

    def search_photos(
        self,
        request: Request,
        who: MemberCaller,
        text: Text = "",
        tags: Tags = [],  # noqa: B006  never changed
        persons: Persons = [],  # noqa: B006
        albums: Albums = [],  # noqa: B006
        uploader: Uploader = None,
        camera: Camera = None,
        kind: Kind = None,
        favorite: Favorite = None,
        first: From = None,
        to: To = None,
        near: Around = None,
        sort: Order = Sort.NEWEST,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> Response:
        """The photos that you see and that have all of what is asked for. 404 where a person, an album or a member is
        not for you to see, 503 while the index is being built.
        """
        wanted = Wanted(
            text=text,
            tags=tuple(tags),
            persons=tuple(persons),
            albums=tuple(albums),
            uploader=uploader,
            camera=camera,
            kind=None if kind is None else KINDS[kind],
            favourite=favorite,
            first_day=_day(first),
            last_day=_day(to),
            near=None if near is None else _near(near),
            sort=sort,
        )
        searching = self._searching(who)
        return self._pages.answer(
            request,
            who,
            lambda most, behind: searching.page(wanted, limit=most, after=behind),
            query=f"search {wanted}",
            limit=limit,
            cursor=cursor,
            at=searching.at,
        )

    def read_search_suggestions(self, who: MemberCaller, text: Text = "", few: Few = 5) -> SearchSuggestions:
        """What you may mean, while you type: tags, persons, albums, cameras and members whose names begin so."""
        searching = self._searching(who)
        found = suggest(text, searching, few=few)
        answers = PersonAnswers(who, at=searching.at, keyring=self._stores.keyring)
        return SearchSuggestions(
            tags=[TagAnswer(tag=tag, count=count) for tag, count in found.tags],
            persons=[answers.person(person) for person in found.persons],
            albums=[AlbumSuggestion(album_id=album.album_id, title=album.title) for album in found.albums],
            cameras=found.cameras,
            members=[MemberSuggestion(email=user.email, username=user.username) for user in found.members],
        )

    def _searching(self, who: Member) -> Searching:
        if self._stores.search is None:
            raise Unavailable(NO_INDEX)
        return Searching(who=who, at=self._gate.now(), index=self._stores.search, table=self._stores.table)


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise BadInput(f"there is no such day: {text}") from error


def _near(text: str) -> Near:
    latitude, longitude, km = map(float, text.split(","))
    if abs(latitude) > 90 or abs(longitude) > 180:
        raise BadInput(f"there is no such place: {latitude:g}, {longitude:g}")
    return Near(Place(latitude, longitude), km)
