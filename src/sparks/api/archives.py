"""Taking photos home: an album, a person, a search or some photos as one zip file, gone on with in the middle.

A download that goes on names what it has by `If-Range`, and is given the rest of just that archive, whatever has come
to the album since. Without it, it is given the rest of the one that the caller asked for last.

[Note: plans] To plan an archive is to look at all of its photos, and is kept for days. So guests are counted who have
one planned, and who asks by HEAD how long one is is told of the last one, for a minute.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.routing import Route

from sparks.api.archive_answers import ArchiveAnswers
from sparks.api.archive_sources import ArchiveSources, Photos, Source
from sparks.api.bulk_shapes import Id
from sparks.api.gate import Caller, Gate, MemberCaller, Routes
from sparks.api.images import known
from sparks.api.media import BYTES
from sparks.api.persons import PersonId
from sparks.api.search_shapes import SearchQuery, SearchWish
from sparks.api.shapes import Answer, Time, Wish
from sparks.auth.callers import Callers
from sparks.auth.rates import Rate
from sparks.auth.signing import sign_media, verify_media, viewer_of
from sparks.journey import Stores
from sparks.model.access import Action, admit
from sparks.model.archive import Archive
from sparks.model.caller import Who
from sparks.model.errors import BadInput, NotFound
from sparks.sharing.archive.choosing import ArchiveSize
from sparks.sharing.archive.keeping import latest_archive
from sparks.sharing.archive.planning import Purpose, about_of

MOST_IDS: Final = 10_000
FRESH: Final = timedelta(minutes=1)
DOWNLOAD: Final = Action.DOWNLOAD_ORIGINAL
SIGNED: Final = "archives/"
ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The zip file.", **BYTES},
    206: {"description": "The part of it that Range asked for.", **BYTES},
    304: {"description": "The caller has it already, as If-None-Match tells."},
}

NAME_ONE: Final = "name either ids, an albumId, a personId or a search"

_ETAG: Final = re.compile(r'"([A-Za-z0-9]{1,64})-[0-9]+"', re.ASCII)

AlbumId = Annotated[str, Path(alias="albumId", max_length=200)]
ArchiveId = Annotated[str, Path(alias="archiveId", max_length=200)]
Size = Annotated[
    ArchiveSize | None,
    Query(description="Originals, or what was made of them. By default originals; for guests `large`."),
]


class ArchiveWish(Wish):
    """Either `ids`, an `albumId`, a `personId` or a `search`. What the caller does not see is left out."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=MOST_IDS)] | None = None
    album_id: Id | None = None
    person_id: Id | None = None
    search: SearchWish | None = None
    size: ArchiveSize | None = None


class SearchArchive(SearchQuery):
    """What a search finds, as files of this size."""

    size: ArchiveSize | None = Field(None, description="Originals, or what was made of them. By default originals.")


class ArchiveAnswer(Answer):
    """`url` is signed for this caller, for a browser to follow; it is good for a while, and the archive until
    `expiresAt`.
    """

    archive_id: str
    url: str
    bytes: int
    photos: int
    expires_at: Time


class SignedRoute(Route):
    """Stands beside the gate: whoever calls is known by the signature."""

    action: ClassVar = DOWNLOAD


class ArchiveRoutes:
    def __init__(self, *, gate: Gate, callers: Callers, stores: Stores) -> None:
        self._gate = gate
        self._callers = callers
        self._table = stores.table
        self._keyring = stores.keyring
        self._sources = ArchiveSources(stores=stores, clock=gate.now)
        self._answers = ArchiveAnswers(clock=gate.now, callers=callers, stores=stores)

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="archives")
        routes.add("POST", "/api/archives", DOWNLOAD, self.make_archive, status=201, errors=(400, 404))
        for path, read in (
            ("/api/archives/{archiveId}", self.read_archive),
            ("/api/albums/{albumId}/archive", self.read_album_archive),
            ("/api/persons/{personId}/archive", self.read_person_archive),
        ):
            self._add(routes, path, DOWNLOAD, read)
        self._add(routes, "/api/search/archive", Action.LIST_PHOTOS, self.read_search_archive)
        signed = SignedRoute(
            "/archives/{archive_id}", self._read_signed, methods=["GET", "HEAD"], include_in_schema=False
        )
        routes.router.routes.append(signed)
        return routes.router

    def _add(self, routes: Routes, path: str, action: Action, read: Callable[..., Response]) -> None:
        routes.add("GET", path, action, read, errors=(404, 416), responses=ANSWERS, response_class=Response)
        routes.add("HEAD", path, action, read, include_in_schema=False)

    def make_archive(self, who: Caller, wish: ArchiveWish) -> ArchiveAnswer:
        """Plans a zip file of photos, and tells how large it is and where to download it."""
        archive = self._plan(who, *self._source(who, wish))
        query = sign_media(
            SIGNED + archive.archive_id, viewer_of(known(who)), now=self._gate.now(), keyring=self._keyring
        )
        return ArchiveAnswer(
            archive_id=archive.archive_id,
            url=f"/archives/{archive.archive_id}?{query}",
            bytes=archive.byte_count,
            photos=archive.photo_count,
            expires_at=archive.expires_at,
        )

    def _source(self, who: Who, wish: ArchiveWish) -> Source:
        match wish.ids, wish.album_id, wish.person_id, wish.search:
            case list(ids), None, None, None:
                return self._sources.selection(who, ids, wish.size)
            case None, str(album_id), None, None:
                return self._sources.album(who, album_id, wish.size)
            case None, None, str(person_id), None:
                return self._sources.person(who, person_id, wish.size)
            case None, None, None, SearchWish() as search:
                return self._sources.search(who, search.wanted(), wish.size)
            case _:
                raise BadInput(NAME_ONE)

    # -- Downloads

    def read_archive(self, request: Request, who: Caller, archive_id: ArchiveId) -> Response:
        """The zip file that was planned, with Range."""
        return self._answers.answer(request, self._answers.of_id(archive_id, who), who)

    def read_album_archive(self, request: Request, who: Caller, album_id: AlbumId, size: Size = None) -> Response:
        """All photos of an album that you see as a zip file, with Range."""
        return self._read(request, who, *self._sources.album(who, album_id, size))

    def read_person_archive(self, request: Request, who: Caller, person_id: PersonId, size: Size = None) -> Response:
        """All photos of a person that you see as a zip file, with Range."""
        return self._read(request, who, *self._sources.person(who, person_id, size))

    def read_search_archive(
        self, request: Request, who: MemberCaller, asked: Annotated[SearchArchive, Query()]
    ) -> Response:
        """All photos that a search finds as a zip file, with Range."""
        return self._read(request, who, *self._sources.search(who, asked.wanted(), asked.size))

    async def _read_signed(self, request: Request) -> Response:
        return await run_in_threadpool(self._see_signed, request, request.path_params["archive_id"])

    def _see_signed(self, request: Request, archive_id: str) -> Response:
        query, at = request.scope["query_string"].decode("latin-1"), self._gate.now()
        grant = verify_media(SIGNED + archive_id, query, now=at, keyring=self._keyring)
        who = self._callers.by_viewer(grant.viewer, at=at)
        admit(who, DOWNLOAD)
        return self._answers.answer(request, self._answers.of_id(archive_id, who), who)

    def _read(self, request: Request, who: Who, purpose: Purpose, photos: Photos) -> Response:
        archive = self._begun(request, who, purpose) or self._plan(who, purpose, photos)
        return self._answers.answer(request, archive, who)

    def _plan(self, who: Who, purpose: Purpose, photos: Photos) -> Archive:
        self._gate.count_guest(who, Rate.GUEST_ARCHIVES, Rate.LINK_ARCHIVES)
        return self._sources.plan(purpose, photos)

    def _begun(self, request: Request, who: Who, purpose: Purpose) -> Archive | None:
        """The archive that a download goes on with; None where it begins."""
        about = about_of(purpose, keyring=self._keyring)
        if "range" not in request.headers:
            return self._fresh(about) if request.method == "HEAD" else None
        told = request.headers.get("if-range")
        if told is None:
            return latest_archive(about, at=self._gate.now(), table=self._table)
        match = _ETAG.fullmatch(told)
        try:
            archive = None if match is None else self._answers.of_id(match[1], who)
        except NotFound:
            return None
        return archive if archive is not None and archive.about == about else None

    def _fresh(self, about: str) -> Archive | None:
        at = self._gate.now()
        archive = latest_archive(about, at=at, table=self._table)
        return archive if archive is not None and at - archive.created_at < FRESH else None
