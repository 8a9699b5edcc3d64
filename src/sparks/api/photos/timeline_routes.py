"""Routes for a timeline: its months, aspect ratios, and one month's photos.

A month is stored once for all callers. The response is the stored month, followed by what belongs to the caller:
favorites, and signatures of URLs.
"""

from datetime import datetime
from hashlib import blake2b
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request, Response

from sparks.api.http.authentication import ActionRouter, CurrentCaller, RequestAuthenticator
from sparks.api.http.json_response import NOT_MODIFIED_DOC, bytes_response, encode, not_modified
from sparks.api.photos.responses import MonthResponse, TimelineResponse
from sparks.auth.callers import signed_in
from sparks.auth.signed_media_urls import PERIODS, MediaSigner, viewer_of
from sparks.feed.month_columns import BuiltMonth
from sparks.feed.timeline import Timeline
from sparks.library.authorized_reads import album_for
from sparks.library.photos.favorites import favorites_between
from sparks.library.timeline_blobs import ScopeMonth
from sparks.model.access import Action
from sparks.model.audience import GuestReach, caller_reach
from sparks.model.caller import Caller, Member, caller_name
from sparks.model.errors import NotAllowed
from sparks.model.keyring import Keyring
from sparks.model.scope import COMMUNITY, Scope, scope_of_album, scope_of_owner
from sparks.model.times import unix
from sparks.table.port import Table

OCTETS: Final = "application/octet-stream"
RATIOS: Final = """\
Read the aspect ratios of all photos, one byte each, which is enough to lay out the whole timeline. The body has one
block for each month, newest first: a header of 20 bytes, big-endian, and then one byte for each photo, newest first.
The header holds the month (7 letters, `2025-08`), a zero byte, the version of the month (8 bytes; 0 while it is
changing) and the number of its photos (4 bytes). A byte `b` stands for width / height = 2 ** ((b - 128) / 36)."""
PARTIAL_LINK: Final = "this link does not show the whole album, or not yet: list its photos instead"
NO_PHOTOS: Final[dict[int | str, dict[str, Any]]] = {204: {"description": "There are no photos."}}
RATIOS_RESPONSE: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "One block for each month.",
        "content": {OCTETS: {"schema": {"type": "string", "format": "binary"}}},
    }
}

ScopeName = Annotated[
    str, Query(alias="scope", max_length=100, description="Photos: `mine`, `community`, or an album by its id.")
]
MonthPath = Annotated[str, Path(pattern="^[0-9]{4}-(0[1-9]|1[0-2])$", description="As `2025-08`.")]
MaxPhotos = Annotated[int, Query(ge=1, le=500, description="The most photos to return.")]
Signed = Annotated[bool, Query(description="Include `queries`, the signatures of the photos' URLs.")]


class TimelineRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, timeline: Timeline, table: Table, keyring: Keyring
    ) -> None:
        self._authenticator = authenticator
        self._timeline = timeline
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="timeline")
        path, see = "/api/timeline", Action.SEE_TIMELINE
        more: dict[str, Any] = {"errors": (404,), "responses": NOT_MODIFIED_DOC}
        ratios: dict[str, Any] = {
            "errors": (404,),
            "responses": NOT_MODIFIED_DOC | RATIOS_RESPONSE,
            "response_class": Response,
        }
        routes.add("GET", path, see, self.read_timeline, response_model=TimelineResponse, **more)
        routes.add("GET", f"{path}/ratios", see, self.read_ratios, description=RATIOS, **ratios)
        latest: dict[str, Any] = {"errors": (404,), "responses": NOT_MODIFIED_DOC | NO_PHOTOS}
        routes.add("GET", f"{path}/latest", see, self.read_latest, response_model=MonthResponse, **latest)
        routes.add("GET", f"{path}/{{month}}", see, self.read_month, response_model=MonthResponse, **more)
        return routes.router

    def read_timeline(self, request: Request, caller: CurrentCaller, scope: ScopeName = "mine") -> Response:
        """List the months that have photos, with the number of photos of each."""
        months = self._timeline.months(self._scope(caller, scope))
        values = [
            {"month": month, "count": count.count, "version": count.version} for month, count in months.counts.items()
        ]
        return bytes_response(request, encode({"months": values}), etag=months.etag)

    def read_ratios(self, request: Request, caller: CurrentCaller, scope: ScopeName = "mine") -> Response:
        strip = self._timeline.strip(self._scope(caller, scope))
        return bytes_response(request, strip.encoded, etag=strip.etag, media_type=OCTETS)

    def read_month(
        self,
        request: Request,
        caller: CurrentCaller,
        month: MonthPath,
        scope: ScopeName = "mine",
        signed: Signed = False,
    ) -> Response:
        """Read the photos of a month, as columns."""
        scope_month = ScopeMonth(self._scope(caller, scope), month)
        return self._response(request, caller, scope_month, self._timeline.month(scope_month), signed=signed)

    def read_latest(
        self,
        request: Request,
        caller: CurrentCaller,
        scope: ScopeName = "mine",
        signed: Signed = False,
        limit: MaxPhotos = 100,
    ) -> Response:
        """Read the newest photos of the newest month: for a first page, before the list of months is known. `count` is
        that of the whole month.
        """
        scope_month = self._timeline.latest(self._scope(caller, scope))
        if scope_month is None:
            return Response(status_code=204)
        newest = self._timeline.month(scope_month).beginning(limit)
        return self._response(request, caller, scope_month, newest, signed=signed)

    def _response(
        self, request: Request, caller: Caller, scope_month: ScopeMonth, built: BuiltMonth, *, signed: bool
    ) -> Response:
        at, ids = self._authenticator.now(), built.columns.ids
        favorites = sorted(favorites_between(ids, caller_name(caller), table=self._table).intersection(ids))
        etag = _etag(scope_month, built, *favorites, _signing_period(caller, at) if signed else "")
        unchanged = None if etag is None else not_modified(request, etag)
        if unchanged is not None:
            return unchanged
        queries = {"queries": self._queries(ids, caller, at)} if signed else {}
        more = encode({"favorites": favorites, **queries})[1:-1]
        return bytes_response(request, built.with_more(more), etag=etag)

    def _scope(self, caller: Caller, name: str) -> Scope:
        """NotFound for an album that the caller does not see; NotAllowed where the link shows only a part of it."""
        match caller, name:
            case Member(), "mine":
                return scope_of_owner(caller.email)
            case Member(), "community":
                return COMMUNITY
        at = self._authenticator.now()
        album = album_for(caller, Action.SEE_TIMELINE, name, at=at, table=self._table).album
        if caller_reach(caller, at) is not GuestReach.ALL:
            raise NotAllowed(PARTIAL_LINK)
        return scope_of_album(album.album_id)

    def _queries(self, ids: list[str], caller: Caller, at: datetime) -> list[str]:
        signer = MediaSigner(viewer_of(signed_in(caller)), now=at, keyring=self._keyring)
        return [signer.query(image_id) for image_id in ids]


def _etag(scope_month: ScopeMonth, built: BuiltMonth, *of_caller: str) -> str | None:
    """The month's version with a hash of the scope and of what belongs to the caller."""
    if built.version is None:
        return None
    return f"{built.version}-{blake2b(' '.join((scope_month.scope, *of_caller)).encode(), digest_size=8).hexdigest()}"


def _signing_period(caller: Caller, at: datetime) -> str:
    """The viewer and the period of the signatures; it changes when half of their lifetime is over."""
    viewer = viewer_of(signed_in(caller))
    return f"{viewer.kind}.{viewer.id} {unix(at) // (PERIODS[viewer.kind] // 2)}"
