"""Routes that plan and download zip archives, resumable by Range.

A resumed download names the archive that it has a part of by `If-Range`, and gets the rest of that archive, whatever
was added to the album since. Without `If-Range` it gets the rest of the archive that the caller requested last.

Planning an archive reads all of its photos, and the plan is kept for days. So plans of guests are
counted against a rate limit, and a HEAD request is answered from the last plan if that is younger than a minute.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.routing import Route

from sparks.actions.archive_sources import ArchiveSource, ArchiveSources, PhotoReader
from sparks.api.archives.responses import ArchiveResponses
from sparks.api.http.authentication import ActionRouter, CurrentCaller, CurrentMember, RequestAuthenticator
from sparks.api.http.base_models import RequestModel, ResponseModel, Time
from sparks.api.http.openapi import BYTES
from sparks.api.http.parameters import AlbumId, ImageIdField, PersonId
from sparks.api.search.requests import SearchQuery, SearchRequest
from sparks.auth.callers import CallerResolver, signed_in
from sparks.auth.rate_limits import RateLimit
from sparks.auth.signed_media_urls import sign_media, verify_media, viewer_of
from sparks.model.access import Action, authorize_action
from sparks.model.archive import Archive
from sparks.model.caller import Caller
from sparks.model.errors import BadInput, NotFound
from sparks.model.keyring import Keyring
from sparks.table.port import Table
from sparks.takeout.archive.file_choice import ArchiveSize
from sparks.takeout.archive.plan_archive import ArchivePurpose, purpose_key
from sparks.takeout.archive.plan_store import latest_archive

MAX_IDS: Final = 10_000
HEAD_REUSES_FOR: Final = timedelta(minutes=1)
DOWNLOAD: Final = Action.DOWNLOAD_ORIGINAL
SIGNED_PREFIX: Final = "archives/"
RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The zip file.", **BYTES},
    206: {"description": "The requested range.", **BYTES},
    304: {"description": "The ETag is one of If-None-Match."},
}

NAME_ONE: Final = "name one of ids, albumId, personId and search"
_ETAG: Final = re.compile(r'"([A-Za-z0-9]{1,64})-[0-9]+"', re.ASCII)

ArchiveId = Annotated[str, Path(alias="archiveId", max_length=200)]
Size = Annotated[
    ArchiveSize | None,
    Query(description="The files in the archive: originals by default, for guests `large`."),
]


class ArchiveRequest(RequestModel):
    """One of `ids`, `albumId`, `personId` and `search`. Photos that the caller does not see are left out."""

    ids: Annotated[list[ImageIdField], Field(min_length=1, max_length=MAX_IDS)] | None = None
    album_id: ImageIdField | None = None
    person_id: ImageIdField | None = None
    search: SearchRequest | None = None
    size: ArchiveSize | None = None


class SearchArchiveQuery(SearchQuery):
    """Search filters, and the size of the files."""

    size: ArchiveSize | None = Field(None, description="The files in the archive: originals by default.")


class ArchiveResponse(ResponseModel):
    """`url` is signed for this caller, so that a browser can follow it. It expires earlier than the archive, which is
    kept until `expiresAt`.
    """

    archive_id: str
    url: str
    bytes: int
    photos: int
    expires_at: Time


class SignedArchiveRoute(Route):
    """A route that identifies the caller by the signature of the URL."""

    action: ClassVar = DOWNLOAD


class ArchiveRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        caller_resolver: CallerResolver,
        sources: ArchiveSources,
        responses: ArchiveResponses,
        table: Table,
        keyring: Keyring,
    ) -> None:
        self._authenticator = authenticator
        self._callers = caller_resolver
        self._sources = sources
        self._responses = responses
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="archives")
        routes.add("POST", "/api/archives", DOWNLOAD, self.make_archive, status=201, errors=(400, 404))
        for path, read in (
            ("/api/archives/{archiveId}", self.read_archive),
            ("/api/albums/{albumId}/archive", self.read_album_archive),
            ("/api/persons/{personId}/archive", self.read_person_archive),
        ):
            self._add(routes, path, DOWNLOAD, read)
        self._add(routes, "/api/search/archive", Action.LIST_PHOTOS, self.read_search_archive)
        signed = SignedArchiveRoute(
            "/archives/{archive_id}", self._read_signed, methods=["GET", "HEAD"], include_in_schema=False
        )
        routes.router.routes.append(signed)
        return routes.router

    def _add(self, routes: ActionRouter, path: str, action: Action, read: Callable[..., Response]) -> None:
        routes.add("GET", path, action, read, errors=(404, 416), responses=RESPONSES, response_class=Response)
        routes.add("HEAD", path, action, read, include_in_schema=False)

    def make_archive(self, caller: CurrentCaller, body: ArchiveRequest) -> ArchiveResponse:
        """Plan a zip file of photos. The response has its size and the URL to download it from."""
        archive = self._plan(caller, *self._source(caller, body))
        query = sign_media(
            SIGNED_PREFIX + archive.archive_id,
            viewer_of(signed_in(caller)),
            now=self._authenticator.now(),
            keyring=self._keyring,
        )
        return ArchiveResponse(
            archive_id=archive.archive_id,
            url=f"/archives/{archive.archive_id}?{query}",
            bytes=archive.byte_count,
            photos=archive.photo_count,
            expires_at=archive.expires_at,
        )

    def _source(self, caller: Caller, body: ArchiveRequest) -> ArchiveSource:
        match body.ids, body.album_id, body.person_id, body.search:
            case list(ids), None, None, None:
                return self._sources.selection(caller, ids, body.size)
            case None, str(album_id), None, None:
                return self._sources.album(caller, album_id, body.size)
            case None, None, str(person_id), None:
                return self._sources.person(caller, person_id, body.size)
            case None, None, None, SearchRequest() as search:
                return self._sources.search(caller, search.criteria(), body.size)
            case _:
                raise BadInput(NAME_ONE)

    # -- Downloads

    def read_archive(self, request: Request, caller: CurrentCaller, archive_id: ArchiveId) -> Response:
        """Download a planned zip file. Range is supported."""
        return self._responses.respond(request, self._sources.planned(archive_id, caller), caller)

    def read_album_archive(
        self, request: Request, caller: CurrentCaller, album_id: AlbumId, size: Size = None
    ) -> Response:
        """Download the photos of an album that you see as a zip file. Range is supported."""
        return self._read(request, caller, *self._sources.album(caller, album_id, size))

    def read_person_archive(
        self, request: Request, caller: CurrentCaller, person_id: PersonId, size: Size = None
    ) -> Response:
        """Download the photos of a person that you see as a zip file. Range is supported."""
        return self._read(request, caller, *self._sources.person(caller, person_id, size))

    def read_search_archive(
        self, request: Request, caller: CurrentMember, query: Annotated[SearchArchiveQuery, Query()]
    ) -> Response:
        """Download all photos that a search finds as a zip file. Range is supported."""
        return self._read(request, caller, *self._sources.search(caller, query.criteria(), query.size))

    async def _read_signed(self, request: Request) -> Response:
        return await run_in_threadpool(self._respond_signed, request, request.path_params["archive_id"])

    def _respond_signed(self, request: Request, archive_id: str) -> Response:
        query, at = request.scope["query_string"].decode("latin-1"), self._authenticator.now()
        grant = verify_media(SIGNED_PREFIX + archive_id, query, now=at, keyring=self._keyring)
        caller = self._callers.by_viewer(grant.viewer, at=at)
        authorize_action(caller, DOWNLOAD)
        return self._responses.respond(request, self._sources.planned(archive_id, caller), caller)

    def _read(self, request: Request, caller: Caller, purpose: ArchivePurpose, photos: PhotoReader) -> Response:
        archive = self._resumed(request, caller, purpose) or self._plan(caller, purpose, photos)
        return self._responses.respond(request, archive, caller)

    def _plan(self, caller: Caller, purpose: ArchivePurpose, photos: PhotoReader) -> Archive:
        self._authenticator.rates.count_guest(caller, RateLimit.GUEST_ARCHIVES, RateLimit.LINK_ARCHIVES)
        return self._sources.plan(purpose, photos)

    def _resumed(self, request: Request, caller: Caller, purpose: ArchivePurpose) -> Archive | None:
        """The archive that the request goes on to download; None for a new download."""
        about = purpose_key(purpose, keyring=self._keyring)
        if "range" not in request.headers:
            return self._recent(about) if request.method == "HEAD" else None
        if_range = request.headers.get("if-range")
        if if_range is None:
            return latest_archive(about, at=self._authenticator.now(), table=self._table)
        match = _ETAG.fullmatch(if_range)
        try:
            archive = None if match is None else self._sources.planned(match[1], caller)
        except NotFound:
            return None
        return archive if archive is not None and archive.about == about else None

    def _recent(self, about: str) -> Archive | None:
        at = self._authenticator.now()
        archive = latest_archive(about, at=at, table=self._table)
        return archive if archive is not None and at - archive.created_at < HEAD_REUSES_FOR else None
