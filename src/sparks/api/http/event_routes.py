"""Routes of server-sent events about photos, persons and albums.

A stored event only names a photo or an album, or says that persons have changed. When it is sent, and every few
seconds, the caller is authenticated again, and the row of the photo is read and authorized: so a stream ends with its
session, key or token. Events of albums go to those who are members at that time; their membership is read by key.

An interrupted stream continues after Last-Event-ID. Every block has an id, heartbeats included; only the first block of
a resumed stream has none.
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

from sparks.api.http.authentication import ActionRouter, CurrentCaller, CurrentMember, RequestAuthenticator
from sparks.api.http.event_broker import EventBroker, StreamIntervals, Subscriber
from sparks.api.http.parameters import AlbumId
from sparks.feed.event_payloads import EventPayloads
from sparks.feed.event_reader import ScopeEvent
from sparks.library.albums.album_lookup import albums_of
from sparks.library.authorized_reads import album_for
from sparks.model.access import Action
from sparks.model.caller import Caller, Member, caller_name
from sparks.model.errors import SparksError, TooManyTries
from sparks.model.keyring import Keyring
from sparks.model.scope import ALBUMS, COMMUNITY, scope_of_owner
from sparks.model.scope import Scope as EventScope
from sparks.table.port import Table

MAX_STREAMS: Final = 20  # of one account
RETRY_AFTER: Final = 10  # seconds
TOO_MANY: Final = f"you have {MAX_STREAMS} open pages that receive events: close some of them"
HEADERS: Final = {"X-Accel-Buffering": "no"}  # nginx would buffer the stream
RETRY: Final = "retry: 2000\n"  # milliseconds until a browser reconnects
ID: Final = "id: {}\n"
HEARTBEAT: Final = ": nothing new\nid: {}\n\n"
RESET: Final = "event: reset\nid: {}\ndata: {{}}\n\n"
RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "A stream of events without an end.", "content": {"text/event-stream": {}}}
}

LastEventId = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID", description="The id of the last event that was received; the stream goes on after it."
    ),
]

Since = Annotated[str | None, Query(max_length=100, description="The same for clients that cannot send the header.")]
RenderEvents = Callable[[Subscriber, Sequence[ScopeEvent], str], str]

log = logging.getLogger(__name__)


class EventRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        table: Table,
        keyring: Keyring,
        stopping: asyncio.Event,
        intervals: StreamIntervals | None = None,
    ) -> None:
        self._authenticator = authenticator
        self._table = table
        self._intervals = intervals or StreamIntervals()
        self._broker = EventBroker(
            table=table,
            keyring=keyring,
            stopping=stopping,
            clock=authenticator.now,
            seconds=self._intervals.read,
        )
        self._streams = OpenStreamCounter()
        self.wake: Final = self._broker.wake

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="photos")
        path, action = "/api/events", Action.LIST_PHOTOS
        routes.add("GET", path, action, self.follow_events, responses=RESPONSES, response_class=Response)
        album: dict[str, Any] = {"errors": (404,), "responses": RESPONSES, "response_class": Response}
        routes.add("GET", "/api/albums/{albumId}/events", Action.SEE_ALBUM, self.follow_album, **album)
        return routes.router

    async def follow_events(
        self, request: Request, caller: CurrentMember, last_event_id: LastEventId = None
    ) -> Response:
        """Server-sent events about your photos, those of the community and those of your albums, from now on or from
        `Last-Event-ID` on. An event may come twice.

        - `photo` has the present state of a photo: `imageId`, `assetType`, `uploadedBy`, `visibility`, `version`,
          `processingStatus`, `processingError`, `status`, `faceCount`, `month`, `trashedAt`; or `{imageId, gone: true}`
          for a photo that is deleted or no longer visible to you.
        - `album` says that an album of yours, `albumId`, has changed. With a photo, in the same form as `photo`, that
          photo was added, removed (`gone`), liked or commented on. Without one, the album itself has changed; with
          `gone`, it is deleted, or you are no longer a member.
        - `people` says that persons in photos that you see have changed: load them again.
        - `reset` says that too many events were missed: load again what is shown.
        """
        scopes = (scope_of_owner(caller.email), COMMUNITY, ALBUMS)
        albums = await run_in_threadpool(albums_of, caller.email, table=self._table)
        return EventStreamResponse(self._opened(caller, scopes, albums, partial(self._render, request), last_event_id))

    async def follow_album(
        self,
        request: Request,
        caller: CurrentCaller,
        album_id: AlbumId,
        last_event_id: LastEventId = None,
        since: Since = None,
    ) -> Response:
        """Server-sent events about one album, for its members and guests: `album`, `people` and `reset`, as in
        `/api/events`. The stream ends when you may no longer see the album. With `since`, the `lastEventId` of the
        album's wall, no later event is missed.
        """
        album_id = await run_in_threadpool(self._check_album, caller, album_id)
        render = partial(self._render_in_album, request, album_id)
        since = last_event_id or since
        return EventStreamResponse(self._opened(caller, (ALBUMS,), frozenset({album_id}), render, since))

    @asynccontextmanager
    async def _opened(
        self,
        caller: Caller,
        scopes: Collection[EventScope],
        albums: frozenset[str],
        render: RenderEvents,
        since: str | None,
    ) -> AsyncIterator[AsyncIterator[str]]:
        with self._streams.count(caller_name(caller)):
            async with self._broker.subscriber(scopes, since=since, albums=albums) as subscriber:
                yield self._blocks(subscriber, render, resumed=since is not None)

    async def _blocks(self, subscriber: Subscriber, render: RenderEvents, *, resumed: bool) -> AsyncIterator[str]:
        """The first block of a resumed stream has no id: the client keeps its own until the missed events are sent, as
        the stream may be interrupted before.
        """
        yield RETRY + ("" if resumed else ID.format(subscriber.position)) + "\n"
        while True:
            await subscriber.wait(within=self._intervals.heartbeat)
            if subscriber.is_ended:
                return
            position, (overflowed, events) = subscriber.position, subscriber.take()
            try:
                blocks = await run_in_threadpool(render, subscriber, events, position)
            except SparksError as error:
                log.info("a stream of events ends: %s", error)
                return
            yield (RESET.format(position) if overflowed else "") + (blocks or HEARTBEAT.format(position))

    def _render(self, request: Request, subscriber: Subscriber, events: Sequence[ScopeEvent], position: str) -> str:
        """Authenticates the caller again, and updates the albums of which they are a member."""
        caller = self._authenticator.caller(request, Action.LIST_PHOTOS)
        if isinstance(caller, Member):
            subscriber.albums = albums_of(caller.email, table=self._table)
        return EventPayloads(caller, at=self._authenticator.now(), table=self._table).render(events, position=position)

    def _render_in_album(
        self,
        request: Request,
        album_id: str,
        subscriber: Subscriber,  # noqa: ARG002  as `_render`
        events: Sequence[ScopeEvent],
        position: str,
    ) -> str:
        caller = self._authenticator.caller(request, Action.SEE_ALBUM)
        self._check_album(caller, album_id)
        return EventPayloads(caller, at=self._authenticator.now(), table=self._table).render(events, position=position)

    def _check_album(self, caller: Caller, album_id: str) -> str:
        """The id of the album in Sparks."""
        at = self._authenticator.now()
        return album_for(caller, Action.SEE_ALBUM, album_id, at=at, table=self._table).album.album_id


class EventStreamResponse(Response):
    """Opens the stream when it is sent, so that a refusal is a response of its own, and closes it in any case."""

    def __init__(self, opened: AbstractAsyncContextManager[AsyncIterator[str]]) -> None:
        super().__init__()
        self._opened = opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._opened as blocks:
            stream = StreamingResponse(blocks, headers=HEADERS, media_type="text/event-stream")
            await stream(scope, receive, send)


class OpenStreamCounter:
    """Counts the open streams of each account in this process."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def count(self, name: str) -> Iterator[None]:
        if self._open[name] >= MAX_STREAMS:
            raise TooManyTries(TOO_MANY, retry_after=RETRY_AFTER)
        self._open[name] += 1
        try:
            yield
        finally:
            self._open[name] -= 1
            self._open += Counter()  # removes zero counts
