"""Broker that reads live events once and fans them out to open streams."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime

from starlette.concurrency import run_in_threadpool

from sparks.feed.event_reader import MAX_MISSED, EventTail, ScopeEvent, missed_since
from sparks.model.errors import SparksError
from sparks.model.ids import lowest_id_at
from sparks.model.keyring import Keyring
from sparks.model.scope import Scope
from sparks.table.port import Table

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StreamIntervals:
    """Seconds between two reads of the table, and between two heartbeats of an idle stream."""

    read: float = 1
    heartbeat: float = 10


class Subscriber:
    """The events that one stream has yet to send: the last one about each photo, album and so on, since the payload is
    made from the rows.
    """

    def __init__(self, at: datetime, albums: frozenset[str] = frozenset()) -> None:
        self.albums = albums  # events of other albums are skipped
        self.read_until = at  # all earlier events are sent or queued
        self.is_ended = False
        self.has_overflowed = False  # too many events: the page must reload everything
        self._queued: dict[tuple[object, ...], ScopeEvent] = {}
        self._wake = asyncio.Event()

    @property
    def position(self) -> str:
        """The event id from which a stream that has sent everything goes on."""
        return lowest_id_at(self.read_until)

    def push(self, events: Iterable[ScopeEvent]) -> None:
        for event in events:
            if event.albums and self.albums.isdisjoint(event.albums):
                continue
            self._queued[event.subject] = event
            self._wake.set()
        if len(self._queued) > MAX_MISSED:
            self.overflow()

    def overflow(self) -> None:
        self._queued.clear()
        self.has_overflowed = True
        self._wake.set()

    def end(self) -> None:
        self.is_ended = True
        self._wake.set()

    async def wait(self, *, within: float) -> None:
        """Returns when there are events to take, when the stream is to end, or after `within` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._wake.wait()

    def take(self) -> tuple[bool, list[ScopeEvent]]:
        """Whether the queue has overflowed, and the queued events, the earliest first; both are reset."""
        overflowed, events = self.has_overflowed, sorted(self._queued.values(), key=lambda event: event.event_id)
        self.has_overflowed = False
        self._queued.clear()
        self._wake.clear()
        return overflowed, events


class EventBroker:
    """Reads the table every `seconds` while there are subscribers, which all end as soon as `stopping` is set."""

    def __init__(
        self,
        *,
        table: Table,
        keyring: Keyring,
        stopping: asyncio.Event,
        clock: Callable[[], datetime],
        seconds: float,
    ) -> None:
        self._table = table
        self._keyring = keyring
        self._stopping = stopping
        self._clock = clock
        self._seconds = seconds
        self._tails: dict[Scope, EventTail] = {}
        self._subscribers: dict[Subscriber, Collection[Scope]] = {}
        self._reader: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wakeup = asyncio.Event()

    def wake(self) -> None:
        """Reads at once. Any thread may call this after it wrote an event that must reach subscribers without delay."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wakeup.set)

    @asynccontextmanager
    async def subscriber(
        self, scopes: Collection[Scope], *, since: str | None, albums: frozenset[str] = frozenset()
    ) -> AsyncIterator[Subscriber]:
        """A subscriber to the events of these scopes and, among events of albums, of these albums; from the event id
        `since` on, or from now on.
        """
        subscriber = Subscriber(self._clock(), albums)
        self._subscribers[subscriber] = scopes
        try:
            for scope in scopes:
                await self._follow(scope)
            if since is not None:
                await self._catch_up(subscriber, scopes, since)
            if self._reader is None or self._reader.done():
                self._reader = asyncio.create_task(self._read())
            yield subscriber
        finally:
            self._leave(subscriber)

    async def _follow(self, scope: Scope) -> None:
        if scope not in self._tails:
            tail = await run_in_threadpool(EventTail, scope, at=self._clock(), table=self._table, keyring=self._keyring)
            self._tails.setdefault(scope, tail)

    async def _catch_up(self, subscriber: Subscriber, scopes: Collection[Scope], since: str) -> None:
        missed = await run_in_threadpool(
            missed_since, since, scopes, at=self._clock(), table=self._table, keyring=self._keyring
        )
        if missed is None:
            subscriber.overflow()
        else:
            subscriber.push(missed)

    def _leave(self, subscriber: Subscriber) -> None:
        del self._subscribers[subscriber]
        followed = {scope for scopes in self._subscribers.values() for scope in scopes}
        for scope in self._tails.keys() - followed:
            del self._tails[scope]
        if not self._subscribers and self._reader is not None:
            self._reader.cancel()
            self._reader = None

    async def _read(self) -> None:
        try:
            self._loop = asyncio.get_running_loop()
            while not await self._is_stopped():
                self._wakeup.clear()
                at = self._clock()
                if all([await self._read_scope(scope, tail, at) for scope, tail in list(self._tails.items())]):
                    for subscriber in self._subscribers:
                        subscriber.read_until = max(subscriber.read_until, at)
        finally:
            if self._reader is asyncio.current_task():  # else all have left, and later subscribers have another reader
                for subscriber in self._subscribers:
                    subscriber.end()

    async def _is_stopped(self) -> bool:
        """Returns after the interval, or sooner when it is woken or stopped."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._stopping, self._wakeup)]
        try:
            await asyncio.wait(waits, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
        return self._stopping.is_set()

    async def _read_scope(self, scope: Scope, tail: EventTail, at: datetime) -> bool:
        """Whether the scope could be read. If not, its events are read the next time."""
        try:
            events = await run_in_threadpool(tail.read, at)
        except SparksError as error:
            log.warning("live events could not be read; trying again in %g s: %s", self._seconds, error)
            return False
        for subscriber, scopes in self._subscribers.items():
            if scope in scopes:
                subscriber.push(events)
        return True
