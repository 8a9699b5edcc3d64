"""One ear for many pages: what is read, how often, and what becomes of it when reading fails."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final
from uuid import uuid4

import pytest

from sparks.api.listening import Ear, Listener
from sparks.feed.live import MOST_MISSED, Heard
from sparks.library.live import PHOTO, Named, announce_in
from sparks.model import times
from sparks.model.errors import Unavailable
from sparks.model.ids import new_event_id, time_of
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.table.memory import MemoryTable
from sparks.table.port import Page, Partition
from tests.api.community import KEYRING
from tests.factories import ANN, BOB

MINE, HIS = scope_of_owner(ANN), scope_of_owner(BOB)
OFTEN: Final = 0.01
PATIENCE: Final = 60


class Watched(MemoryTable):
    """Tells which partitions were read, and cannot be read while it is `away`."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False
        self.read: list[str] = []

    def query(self, within: Any, *arguments: Any, **named: Any) -> Page:
        if isinstance(within, Partition):
            self.read.append(within.pk)
        if self.away:
            raise Unavailable("the table is away")
        return super().query(within, *arguments, **named)


class Room:
    def __init__(self) -> None:
        self.table = Watched()
        self.stopping = asyncio.Event()
        self.ear = Ear(table=self.table, keyring=KEYRING, stopping=self.stopping, clock=times.now, seconds=OFTEN)

    def tell(self, *scopes: str) -> str:
        photo = Named(str(uuid4()), ANN)
        announce_in(
            [scope_of_owner(scope) for scope in scopes], photo, at=times.now(), table=self.table, keyring=KEYRING
        )
        return photo.image_id

    async def rounds(self, number: int = 3) -> None:
        """Returns after so many readings."""
        seen = len(self.table.read)
        await until(lambda: len(self.table.read) >= seen + number)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  nobody tells when
            await asyncio.sleep(OFTEN)


async def heard(listener: Listener) -> list[str]:
    """What it is told next."""
    await listener.wait(within=PATIENCE)
    _, told = listener.take()
    return ["people" if each.photo is None else each.photo.image_id for each in told]


def runs(test: Callable[[Room], Awaitable[None]]) -> Callable[[], None]:
    """The test on a loop and in a room of its own."""

    async def run() -> None:
        async with asyncio.timeout(PATIENCE):
            await test(Room())

    def sync() -> None:
        asyncio.run(run())

    sync.__name__ = test.__name__
    sync.__doc__ = test.__doc__
    return sync


@runs
async def test_a_scope_is_read_once_however_many_listen(room: Room) -> None:
    async with (
        room.ear.listener((MINE, COMMUNITY), since=None) as one,
        room.ear.listener((MINE, COMMUNITY), since=None) as two,
        room.ear.listener((HIS, COMMUNITY), since=None) as three,
    ):
        room.table.read.clear()
        await room.rounds(30)
        counts = {scope: room.table.read.count(f"EVENT#{scope}") for scope in (MINE, HIS, COMMUNITY)}
        assert max(counts.values()) - min(counts.values()) <= 1
        told = room.tell(COMMUNITY)
        assert [await heard(listener) for listener in (one, two, three)] == [[told]] * 3


@runs
async def test_nothing_is_read_when_nobody_listens(room: Room) -> None:
    async with room.ear.listener((MINE,), since=None):
        await room.rounds()
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


@runs
async def test_whoever_comes_as_the_last_one_leaves_is_not_ended_with_them(room: Room) -> None:
    async with room.ear.listener((MINE,), since=None):
        await room.rounds()
    async with room.ear.listener((MINE,), since=None) as listener:
        told = room.tell(MINE)
        assert await heard(listener) == [told]
        assert not listener.is_over


@runs
async def test_a_scope_that_its_last_listener_left_is_not_read_any_more(room: Room) -> None:
    async with room.ear.listener((MINE,), since=None):
        async with room.ear.listener((HIS,), since=None):
            await room.rounds()
        await room.rounds()  # one may have been under way
        room.table.read.clear()
        await room.rounds()
        assert set(room.table.read) == {f"EVENT#{MINE}"}


@runs
async def test_who_comes_later_hears_what_comes_later(room: Room) -> None:
    async with room.ear.listener((MINE,), since=None) as early:
        first = room.tell(MINE)
        assert await heard(early) == [first]
        async with room.ear.listener((MINE,), since=None) as late:
            second = room.tell(MINE)
            assert (await heard(early), await heard(late)) == ([second], [second])


@runs
async def test_nothing_is_lost_while_the_table_is_away(room: Room) -> None:
    async with room.ear.listener((MINE, COMMUNITY), since=None) as listener:
        await room.rounds()
        room.table.away = True
        await room.rounds(4)
        reached = listener.reached
        told = [room.tell(MINE), room.tell(COMMUNITY)]
        await room.rounds(4)
        assert listener.reached == reached
        room.table.away = False
        found: list[str] = []
        while len(found) < len(told):
            found += await heard(listener)
        assert found == told


@runs
async def test_a_table_that_is_away_lets_nobody_begin(room: Room) -> None:
    room.table.away = True
    with pytest.raises(Unavailable):
        async with room.ear.listener((MINE,), since=None):
            pass
    room.table.away = False
    async with room.ear.listener((MINE,), since=None) as listener:
        told = room.tell(MINE)
        assert await heard(listener) == [told]


@runs
async def test_a_position_moves_on_though_nothing_comes(room: Room) -> None:
    async with room.ear.listener((MINE,), since=None) as listener:
        began = listener.reached
        await until(lambda: listener.reached > began)
        assert time_of(listener.position) == listener.reached


@runs
async def test_all_end_when_sparks_stops_and_whoever_comes_then_too(room: Room) -> None:
    async with room.ear.listener((MINE,), since=None) as one, room.ear.listener((HIS,), since=None) as two:
        room.stopping.set()
        await asyncio.gather(one.wait(within=PATIENCE), two.wait(within=PATIENCE))
        assert one.is_over
        assert two.is_over
    async with room.ear.listener((MINE,), since=None) as late:
        await late.wait(within=PATIENCE)
        assert late.is_over


# -- One listener


def some(number: int) -> list[Heard]:
    return [Heard(new_event_id(), PHOTO, Named(str(uuid4()), ANN)) for _ in range(number)]


def test_of_each_photo_the_last_event_is_told() -> None:
    listener, (one, two, three) = Listener(times.now()), some(3)
    again = Heard(new_event_id(), PHOTO, one.photo)
    listener.tell([one, two, again, three])
    assert listener.take() == (False, [two, three, again])
    assert listener.take() == (False, [])


def test_a_page_that_reads_too_slowly_is_told_to_begin_anew() -> None:
    listener = Listener(times.now())
    listener.tell(some(MOST_MISSED))
    assert not listener.is_lost
    (last,) = some(1)
    listener.tell([last])
    assert listener.take() == (True, [])
    listener.tell([last])
    assert listener.take() == (False, [last])
