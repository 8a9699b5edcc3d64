"""One ear for all the pages that are open here: what somebody listens to is read once a second, for all of them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from starlette.concurrency import run_in_threadpool

from sparks.feed.live import MOST_MISSED, Heard, Tail, missed_since
from sparks.model.errors import SparksError
from sparks.model.ids import lowest_id_at
from sparks.model.keyring import Keyring
from sparks.model.scope import Scope
from sparks.table.port import Table

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between two readings, and between two signs of life on a stream that has nothing to tell."""

    reading: float = 1
    beat: float = 10


class Listener:
    """What one page is still to be told: the last event about each photo, album and so on, since rows say the rest."""

    def __init__(self, at: datetime, albums: frozenset[str] = frozenset()) -> None:
        self.albums = albums  # what is told of others is passed over
        self.reached = at  # all that came before was told, or is to be told
        self.is_over = False
        self.is_lost = False  # too much has come: the page had better look at everything anew
        self._heard: dict[tuple[object, ...], Heard] = {}
        self._wake = asyncio.Event()

    @property
    def position(self) -> str:
        """Where whoever was told all that it heard can go on."""
        return lowest_id_at(self.reached)

    def tell(self, heard: Iterable[Heard]) -> None:
        for each in heard:
            if each.albums and self.albums.isdisjoint(each.albums):
                continue
            self._heard[each.subject] = each
            self._wake.set()
        if len(self._heard) > MOST_MISSED:
            self.lose_track()

    def lose_track(self) -> None:
        self._heard.clear()
        self.is_lost = True
        self._wake.set()

    def end(self) -> None:
        self.is_over = True
        self._wake.set()

    async def wait(self, *, within: float) -> None:
        """Returns when there is something to take or to end, or so many seconds are over."""
        await _happens(self._wake, within=within)

    def take(self) -> tuple[bool, list[Heard]]:
        """Whether it has lost track; and what it heard since, the earliest first."""
        lost, heard = self.is_lost, sorted(self._heard.values(), key=lambda each: each.event_id)
        self.is_lost = False
        self._heard.clear()
        self._wake.clear()
        return lost, heard


class Ear:
    """Reads every so many `seconds`. `stopping` is set when Sparks is told to stop: all listeners end then, at once."""

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
        self._tails: dict[Scope, Tail] = {}
        self._listeners: dict[Listener, Collection[Scope]] = {}
        self._reading: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news = asyncio.Event()

    def hasten(self) -> None:
        """Reads at once, and not in its own time: whoever calls, from any thread, has just written what some listener
        must not wait for.
        """
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    @asynccontextmanager
    async def listener(
        self, scopes: Collection[Scope], *, since: str | None, albums: frozenset[str] = frozenset()
    ) -> AsyncIterator[Listener]:
        """Hears what comes to the scopes, of albums to these, from a position on or from now on."""
        listener = Listener(self._clock(), albums)
        self._listeners[listener] = scopes
        try:
            for scope in scopes:
                await self._follow(scope)
            if since is not None:
                await self._catch_up(listener, scopes, since)
            if self._reading is None or self._reading.done():
                self._reading = asyncio.create_task(self._read())
            yield listener
        finally:
            self._leave(listener)

    async def _follow(self, scope: Scope) -> None:
        if scope not in self._tails:
            tail = await run_in_threadpool(Tail, scope, at=self._clock(), table=self._table, keyring=self._keyring)
            self._tails.setdefault(scope, tail)

    async def _catch_up(self, listener: Listener, scopes: Collection[Scope], since: str) -> None:
        missed = await run_in_threadpool(
            missed_since, since, scopes, at=self._clock(), table=self._table, keyring=self._keyring
        )
        if missed is None:
            listener.lose_track()
        else:
            listener.tell(missed)

    def _leave(self, listener: Listener) -> None:
        del self._listeners[listener]
        wanted = {scope for scopes in self._listeners.values() for scope in scopes}
        for scope in self._tails.keys() - wanted:
            del self._tails[scope]
        if not self._listeners and self._reading is not None:
            self._reading.cancel()
            self._reading = None

    async def _read(self) -> None:
        try:
            self._loop = asyncio.get_running_loop()
            while not await self._is_stopped():
                self._news.clear()
                at = self._clock()
                if all([await self._read_scope(scope, tail, at) for scope, tail in list(self._tails.items())]):
                    for listener in self._listeners:
                        listener.reached = max(listener.reached, at)
        finally:
            if self._reading is asyncio.current_task():  # else all have left, and who came since has another one
                for listener in self._listeners:
                    listener.end()

    async def _is_stopped(self) -> bool:
        """Asked every so many seconds, and sooner where there is news."""
        first = [asyncio.ensure_future(event.wait()) for event in (self._stopping, self._news)]
        try:
            await asyncio.wait(first, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in first:
                each.cancel()
        return self._stopping.is_set()

    async def _read_scope(self, scope: Scope, tail: Tail, at: datetime) -> bool:
        """Whether it could be read. What could not is read the next time, with all that came meanwhile."""
        try:
            heard = await run_in_threadpool(tail.read, at)
        except SparksError as error:
            log.warning("live events could not be read; trying again in %g s: %s", self._seconds, error)
            return False
        for listener, scopes in self._listeners.items():
            if scope in scopes:
                listener.tell(heard)
        return True


async def _happens(event: asyncio.Event, *, within: float) -> bool:
    try:
        async with asyncio.timeout(within):
            return await event.wait()
    except TimeoutError:
        return False
