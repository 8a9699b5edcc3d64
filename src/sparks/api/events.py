"""Server-sent events: what happens to photos, persons and albums, told to the pages that are open.

An event names a photo, or says no more than that persons are others now. How the photo is, and whether the caller may
see it, is looked up when it is sent; so is the caller, and again every few seconds: with a session, key or token the
stream ends too. What is told of albums is told to whoever is a member by then: the row of each is read by its key.

A stream that broke off goes on with Last-Event-ID: every block has an id, the beats of an idle one too. Only
the first block of one that goes on has none.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from sparks.api.albums import AlbumId
from sparks.api.gate import Caller, Gate, MemberCaller, Routes
from sparks.api.listening import Ear, Listener, Pace
from sparks.api.telling import Teller
from sparks.feed.live import Heard
from sparks.journey import Stores
from sparks.library.access import album_for
from sparks.library.albums import albums_of
from sparks.model.access import Action
from sparks.model.caller import Member, Who, name_of
from sparks.model.errors import SparksError, TooManyTries
from sparks.model.scope import ALBUMS, COMMUNITY, scope_of_owner
from sparks.model.scope import Scope as EventScope

MOST_STREAMS: Final = 20  # of one account
ROOM_AFTER: Final = 10  # seconds
TOO_MANY: Final = f"{MOST_STREAMS} pages of yours follow events already: close some of them"
HEADERS: Final = {"X-Accel-Buffering": "no"}  # nginx would keep back what comes
BEGINNING: Final = "retry: 2000\n"  # milliseconds after which a browser comes back
HERE: Final = "id: {}\n"
SAME: Final = ": nothing new\nid: {}\n\n"
RESET: Final = "event: reset\nid: {}\ndata: {{}}\n\n"
ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "Events, for as long as the caller stays.", "content": {"text/event-stream": {}}}
}

LastEventId = Annotated[str | None, Header(alias="Last-Event-ID", description="Where a stream that broke off goes on.")]

Since = Annotated[str | None, Query(max_length=100, description="The same, where no header can be sent along.")]
Told = Callable[[Listener, Sequence[Heard], str], str]

log = logging.getLogger(__name__)


class EventRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, stopping: asyncio.Event, pace: Pace | None = None) -> None:
        self._gate = gate
        self._table = stores.table
        self._pace = pace or Pace()
        self._ear = Ear(
            table=stores.table,
            keyring=stores.keyring,
            stopping=stopping,
            clock=gate.now,
            seconds=self._pace.reading,
        )
        self._streams = Streams()
        self.hasten: Final = self._ear.hasten

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="photos")
        path, action = "/api/events", Action.LIST_PHOTOS
        routes.add("GET", path, action, self.follow_events, responses=ANSWERS, response_class=Response)
        album: dict[str, Any] = {"errors": (404,), "responses": ANSWERS, "response_class": Response}
        routes.add("GET", "/api/albums/{albumId}/events", Action.SEE_ALBUM, self.follow_album, **album)
        return routes.router

    async def follow_events(self, request: Request, who: MemberCaller, last_event_id: LastEventId = None) -> Response:
        """Server-sent events about the caller's own photos, those of the community and those of the caller's albums,
        from now on or from `Last-Event-ID` on; an event may come twice.

        `photo` tells how a photo is now: `imageId`, `assetType`, `uploadedBy`, `visibility`, `version`,
        `processingStatus`, `processingError`, `status`, `faceCount`, `month`, `trashedAt`; or `{imageId, gone: true}`
        where it is deleted or not for the caller to see any more. `album` tells that something is other now in an album
        of the caller's, `albumId`: the photo that it names as `photo` tells one, which came, left (`gone`), or is liked
        or commented on; without one, the album itself; with `gone`, the album is deleted, or not the caller's any more.
        `people` tells that persons of the community, the caller's photos or albums are others now, or are named,
        counted or shown in another way: load them anew. `reset` tells that too much was missed: load what is shown
        anew.
        """
        scopes = (scope_of_owner(who.email), COMMUNITY, ALBUMS)
        albums = await run_in_threadpool(albums_of, who.email, table=self._table)
        return EventStream(self._opened(who, scopes, albums, partial(self._told, request), last_event_id))

    async def follow_album(
        self,
        request: Request,
        who: Caller,
        album_id: AlbumId,
        last_event_id: LastEventId = None,
        since: Since = None,
    ) -> Response:
        """Server-sent events about one album, for its members and guests: `album`, `people` and `reset`, as
        `/api/events` tells them. It ends when the caller may not see the album any more. With `since`, the
        `lastEventId` of its wall, nothing is missed that came after that.
        """
        await run_in_threadpool(self._check_album, who, album_id)
        told = partial(self._told_in_album, request, album_id)
        return EventStream(self._opened(who, (ALBUMS,), frozenset({album_id}), told, last_event_id or since))

    @asynccontextmanager
    async def _opened(
        self, who: Who, scopes: Collection[EventScope], albums: frozenset[str], told: Told, since: str | None
    ) -> AsyncIterator[AsyncIterator[str]]:
        with self._streams.one_more(name_of(who)):
            async with self._ear.listener(scopes, since=since, albums=albums) as listener:
                yield self._blocks(listener, told, resumed=since is not None)

    async def _blocks(self, listener: Listener, tell: Told, *, resumed: bool) -> AsyncIterator[str]:
        """[Note: where they were] Who comes back keeps their own id until they are told what they missed: the stream
        may break off before.
        """
        yield BEGINNING + ("" if resumed else HERE.format(listener.position)) + "\n"
        while True:
            await listener.wait(within=self._pace.beat)
            if listener.is_over:
                return
            position, (lost, heard) = listener.position, listener.take()
            try:
                told = await run_in_threadpool(tell, listener, heard, position)
            except SparksError as error:
                log.info("a stream of events ends: %s", error)
                return
            yield (RESET.format(position) if lost else "") + (told or SAME.format(position))

    def _told(self, request: Request, listener: Listener, heard: Sequence[Heard], position: str) -> str:
        """For who the caller is by now, and from now on about the albums that are theirs by now."""
        who = self._gate.caller(request, Action.LIST_PHOTOS)
        if isinstance(who, Member):
            listener.albums = albums_of(who.email, table=self._table)
        return Teller(who, at=self._gate.now(), table=self._table).blocks(heard, position=position)

    def _told_in_album(
        self,
        request: Request,
        album_id: str,
        listener: Listener,  # noqa: ARG002  as `_told`
        heard: Sequence[Heard],
        position: str,
    ) -> str:
        who = self._gate.caller(request, Action.SEE_ALBUM)
        self._check_album(who, album_id)
        return Teller(who, at=self._gate.now(), table=self._table).blocks(heard, position=position)

    def _check_album(self, who: Who, album_id: str) -> None:
        album_for(who, Action.SEE_ALBUM, album_id, at=self._gate.now(), table=self._table)


class EventStream(Response):
    """Opened when it is sent, so that what refuses it is an answer of its own; closed, whatever it ends with."""

    def __init__(self, opened: AbstractAsyncContextManager[AsyncIterator[str]]) -> None:
        super().__init__()
        self._opened = opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._opened as blocks:
            stream = StreamingResponse(blocks, headers=HEADERS, media_type="text/event-stream")
            await stream(scope, receive, send)


class Streams:
    """How many streams each account has open here."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def one_more(self, email: str) -> Iterator[None]:
        if self._open[email] >= MOST_STREAMS:
            raise TooManyTries(TOO_MANY, retry_after=ROOM_AFTER)
        self._open[email] += 1
        try:
            yield
        finally:
            self._open[email] -= 1
            self._open += Counter()  # forgets those who have none
