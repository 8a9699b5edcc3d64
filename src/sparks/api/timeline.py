"""Timelines, of one's own photos, the community and albums: which months there are, the shapes of all photos, a month.

A month is answered as it was stored, whoever asks; behind it comes what is the caller's own.
"""

from datetime import datetime
from hashlib import blake2b
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field

from sparks.api.encoded import LOOKED_AT, answer_with_bytes, encode, had_already
from sparks.api.gate import Caller, Gate, Routes
from sparks.api.images import known
from sparks.api.shapes import Answer
from sparks.auth.signing import PERIODS, MediaSigner, viewer_of
from sparks.feed.months import BuiltMonth
from sparks.feed.timeline import Timeline
from sparks.journey import Stores
from sparks.library.access import album_for
from sparks.library.months import Month
from sparks.library.photos import favourites_between
from sparks.model.access import Action
from sparks.model.caller import GuestCaller, Member, Who, name_of
from sparks.model.errors import NotAllowed
from sparks.model.photo import AssetType
from sparks.model.scope import COMMUNITY, Scope, scope_of_album, scope_of_owner
from sparks.model.share import Reach, reach_of
from sparks.model.times import unix

OCTETS: Final = "application/octet-stream"
ASKED_SCOPE: Final = "Whose photos: `mine`, `community`, or those of an album, by its id."
ASKED_SIGNED: Final = "With `queries`, to look at the photos with."
RATIOS: Final = """\
The aspect ratios of all photos, one byte each: what it takes to lay out the whole timeline. The answer is one piece a
month, newest first: 20 bytes, big-endian, and then a byte a photo, newest first. The 20 bytes are the month (7 letters,
`2025-08`), a zero, the month's version (8 bytes; 0 while it is changing) and the number of its photos (4 bytes). A byte
`b` stands for width / height = 2 ** ((b - 128) / 36)."""
NOT_WHOLE: Final = "this link does not show the whole album, or not yet: ask for its photos instead"
NONE: Final[dict[int | str, dict[str, Any]]] = {204: {"description": "There are no photos."}}
STRIP: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "A piece for each month.",
        "content": {OCTETS: {"schema": {"type": "string", "format": "binary"}}},
    }
}

ScopeAsked = Annotated[str, Query(alias="scope", max_length=100, description=ASKED_SCOPE)]
MonthPath = Annotated[str, Path(pattern="^[0-9]{4}-(0[1-9]|1[0-2])$", description="As `2025-08`.")]
Beginning = Annotated[int, Query(ge=1, le=500, description="How many photos at the most.")]
Signed = Annotated[bool, Query(description=ASKED_SIGNED)]


class MonthCount(Answer):
    """`version` changes with whatever changes in the month."""

    month: str
    count: int
    version: int


class TimelineAnswer(Answer):
    """The months that have photos, newest first."""

    months: list[MonthCount]


class MonthAnswer(Answer):
    """Columns with one entry a photo each, newest first by the time they were taken."""

    month: str
    version: int | None = Field(None, description="Left out while the month is changing: ask again soon.")
    count: int
    ids: list[str]
    ratios: list[float] = Field(description="Width by height; 1 where nobody knows.")
    thumbhashes: list[str] = Field(description="In base64; empty where there is none.")
    times: list[str] = Field(description="When they were taken or, where nobody knows, uploaded.")
    offsets: list[str] = Field(description="Of the photographer's clock, as `+02:00`; empty where nobody knows.")
    kinds: list[AssetType]
    durations: list[float] = Field(description="Seconds of a video, or of the film behind a live photo; 0 of a still.")
    favorites: list[str] = Field(description="The ids of those that the caller has marked.")
    queries: list[str] | None = Field(
        None,
        description="Only where they are asked for: `/media/{id}/{size}?{query}` is the address of a rendition.",
    )


class TimelineRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, timeline: Timeline) -> None:
        self._gate = gate
        self._table = stores.table
        self._keyring = stores.keyring
        self._timeline = timeline

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="timeline")
        path, lists = "/api/timeline", Action.SEE_TIMELINE
        more: dict[str, Any] = {"errors": (404,), "responses": LOOKED_AT}
        strip: dict[str, Any] = {"errors": (404,), "responses": LOOKED_AT | STRIP, "response_class": Response}
        routes.add("GET", path, lists, self.read_timeline, response_model=TimelineAnswer, **more)
        routes.add("GET", f"{path}/ratios", lists, self.read_ratios, description=RATIOS, **strip)
        latest: dict[str, Any] = {"errors": (404,), "responses": LOOKED_AT | NONE}
        routes.add("GET", f"{path}/latest", lists, self.read_latest, response_model=MonthAnswer, **latest)
        routes.add("GET", f"{path}/{{month}}", lists, self.read_month, response_model=MonthAnswer, **more)
        return routes.router

    def read_timeline(self, request: Request, who: Caller, scope: ScopeAsked = "mine") -> Response:
        """The months that have photos, and how many."""
        months = self._timeline.months(self._scope(who, scope))
        told = [
            {"month": month, "count": count.count, "version": count.version} for month, count in months.counts.items()
        ]
        return answer_with_bytes(request, encode({"months": told}), etag=months.etag)

    def read_ratios(self, request: Request, who: Caller, scope: ScopeAsked = "mine") -> Response:
        strip = self._timeline.strip(self._scope(who, scope))
        return answer_with_bytes(request, strip.encoded, etag=strip.etag, media_type=OCTETS)

    def read_month(
        self,
        request: Request,
        who: Caller,
        month: MonthPath,
        scope: ScopeAsked = "mine",
        signed: Signed = False,
    ) -> Response:
        """A month, drawn from columns."""
        asked = Month(self._scope(who, scope), month)
        return self._answer(request, who, asked, self._timeline.month(asked), signed=signed)

    def read_latest(
        self,
        request: Request,
        who: Caller,
        scope: ScopeAsked = "mine",
        signed: Signed = False,
        limit: Beginning = 100,
    ) -> Response:
        """The newest photos of the newest month: what is seen first, before anybody knows which months there are.
        `count` is that of the whole month.
        """
        asked = self._timeline.latest(self._scope(who, scope))
        if asked is None:
            return Response(status_code=204)
        return self._answer(request, who, asked, self._timeline.month(asked).beginning(limit), signed=signed)

    def _answer(self, request: Request, who: Who, asked: Month, built: BuiltMonth, *, signed: bool) -> Response:
        at, ids = self._gate.now(), built.columns.ids
        marked = sorted(favourites_between(ids, name_of(who), table=self._table).intersection(ids))
        etag = _etag(asked, built, *marked, _signed_for(who, at) if signed else "")
        same = None if etag is None else had_already(request, etag)
        if same is not None:
            return same
        queries = {"queries": self._queries(ids, who, at)} if signed else {}
        more = encode({"favorites": marked, **queries})[1:-1]
        return answer_with_bytes(request, built.with_more(more), etag=etag)

    def _scope(self, who: Who, asked: str) -> Scope:
        match who, asked:
            case Member(), "mine":
                return scope_of_owner(who.email)
            case Member(), "community":
                return COMMUNITY
        at = self._gate.now()
        album = album_for(who, Action.SEE_TIMELINE, asked, at=at, table=self._table).album
        if isinstance(who, GuestCaller) and reach_of(who.link, who.guest, at) is not Reach.ALL:
            raise NotAllowed(NOT_WHOLE)
        return scope_of_album(album.album_id)

    def _queries(self, ids: list[str], who: Who, at: datetime) -> list[str]:
        signer = MediaSigner(viewer_of(known(who)), now=at, keyring=self._keyring)
        return [signer.query(image_id) for image_id in ids]


def _etag(month: Month, built: BuiltMonth, *own: str) -> str | None:
    """The month's version and, hashed, whose month it is and what is the caller's own."""
    if built.version is None:
        return None
    return f"{built.version}-{blake2b(' '.join((month.scope, *own)).encode(), digest_size=8).hexdigest()}"


def _signed_for(who: Who, at: datetime) -> str:
    """Whom the addresses are made for, and when: another text while they are good for half of their time still."""
    viewer = viewer_of(known(who))
    return f"{viewer.kind}.{viewer.id} {unix(at) // (PERIODS[viewer.kind] // 2)}"
