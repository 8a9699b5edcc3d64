"""The broker of live events: one reader for many streams, and what happens when a read fails."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final
from uuid import uuid4

import pytest

from sparks.api.http.event_broker import EventBroker, Subscriber
from sparks.feed.event_reader import MAX_MISSED, ScopeEvent
from sparks.library.live_events import PHOTO, EventPhoto, announce_in
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


class WatchedTable(MemoryTable):
    """Records which partitions were read, and cannot be read while it is `away`."""

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


class BrokerSetup:
    def __init__(self) -> None:
        self.table = WatchedTable()
        self.stopping = asyncio.Event()
        self.broker = EventBroker(
            table=self.table, keyring=KEYRING, stopping=self.stopping, clock=times.now, seconds=OFTEN
        )

    def announce(self, *scopes: str) -> str:
        photo = EventPhoto(str(uuid4()), ANN)
        announce_in(
            [scope_of_owner(scope) for scope in scopes], photo, at=times.now(), table=self.table, keyring=KEYRING
        )
        return photo.image_id

    async def rounds(self, number: int = 3) -> None:
        """Returns after so many reads."""
        seen = len(self.table.read)
        await until(lambda: len(self.table.read) >= seen + number)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  no event to wait for
            await asyncio.sleep(OFTEN)


async def next_ids(subscriber: Subscriber) -> list[str]:
    """The ids of the next events."""
    await subscriber.wait(within=PATIENCE)
    _, result = subscriber.take()
    return ["people" if each.photo is None else each.photo.image_id for each in result]


def runs(test: Callable[[BrokerSetup], Awaitable[None]]) -> Callable[[], None]:
    """Runs the test on a loop of its own, with a broker of its own."""

    async def run() -> None:
        async with asyncio.timeout(PATIENCE):
            await test(BrokerSetup())

    def sync() -> None:
        asyncio.run(run())

    sync.__name__ = test.__name__
    sync.__doc__ = test.__doc__
    return sync


@runs
async def test_a_scope_is_read_once_for_all_subscribers(setup: BrokerSetup) -> None:
    async with (
        setup.broker.subscriber((MINE, COMMUNITY), since=None) as one,
        setup.broker.subscriber((MINE, COMMUNITY), since=None) as two,
        setup.broker.subscriber((HIS, COMMUNITY), since=None) as three,
    ):
        setup.table.read.clear()
        await setup.rounds(30)
        counts = {scope: setup.table.read.count(f"EVENT#{scope}") for scope in (MINE, HIS, COMMUNITY)}
        assert max(counts.values()) - min(counts.values()) <= 1
        result = setup.announce(COMMUNITY)
        assert [await next_ids(subscriber) for subscriber in (one, two, three)] == [[result]] * 3


@runs
async def test_nothing_is_read_without_subscribers(setup: BrokerSetup) -> None:
    async with setup.broker.subscriber((MINE,), since=None):
        await setup.rounds()
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


@runs
async def test_a_subscriber_who_comes_as_the_last_one_leaves_is_not_ended(setup: BrokerSetup) -> None:
    async with setup.broker.subscriber((MINE,), since=None):
        await setup.rounds()
    async with setup.broker.subscriber((MINE,), since=None) as subscriber:
        result = setup.announce(MINE)
        assert await next_ids(subscriber) == [result]
        assert not subscriber.is_ended


@runs
async def test_a_scope_that_its_last_subscriber_left_is_not_read_any_more(setup: BrokerSetup) -> None:
    async with setup.broker.subscriber((MINE,), since=None):
        async with setup.broker.subscriber((HIS,), since=None):
            await setup.rounds()
        await setup.rounds()  # one may have been under way
        setup.table.read.clear()
        await setup.rounds()
        assert set(setup.table.read) == {f"EVENT#{MINE}"}


@runs
async def test_a_later_subscriber_gets_only_later_events(setup: BrokerSetup) -> None:
    async with setup.broker.subscriber((MINE,), since=None) as early:
        first = setup.announce(MINE)
        assert await next_ids(early) == [first]
        async with setup.broker.subscriber((MINE,), since=None) as late:
            second = setup.announce(MINE)
            assert (await next_ids(early), await next_ids(late)) == ([second], [second])


@runs
async def test_no_event_is_lost_while_the_table_cannot_be_read(setup: BrokerSetup) -> None:
    async with setup.broker.subscriber((MINE, COMMUNITY), since=None) as subscriber:
        await setup.rounds()
        setup.table.away = True
        await setup.rounds(4)
        reached = subscriber.read_until
        result = [setup.announce(MINE), setup.announce(COMMUNITY)]
        await setup.rounds(4)
        assert subscriber.read_until == reached
        setup.table.away = False
        found: list[str] = []
        while len(found) < len(result):
            found += await next_ids(subscriber)
        assert found == result


@runs
async def test_no_subscription_begins_while_the_table_cannot_be_read(setup: BrokerSetup) -> None:
    setup.table.away = True
    with pytest.raises(Unavailable):
        async with setup.broker.subscriber((MINE,), since=None):
            pass
    setup.table.away = False
    async with setup.broker.subscriber((MINE,), since=None) as subscriber:
        result = setup.announce(MINE)
        assert await next_ids(subscriber) == [result]


@runs
async def test_the_position_advances_without_events(setup: BrokerSetup) -> None:
    async with setup.broker.subscriber((MINE,), since=None) as subscriber:
        began = subscriber.read_until
        await until(lambda: subscriber.read_until > began)
        assert time_of(subscriber.position) == subscriber.read_until


@runs
async def test_all_subscribers_end_when_sparks_stops_and_later_ones_too(setup: BrokerSetup) -> None:
    async with setup.broker.subscriber((MINE,), since=None) as one, setup.broker.subscriber((HIS,), since=None) as two:
        setup.stopping.set()
        await asyncio.gather(one.wait(within=PATIENCE), two.wait(within=PATIENCE))
        assert one.is_ended
        assert two.is_ended
    async with setup.broker.subscriber((MINE,), since=None) as late:
        await late.wait(within=PATIENCE)
        assert late.is_ended


# -- One subscriber


def some(number: int) -> list[ScopeEvent]:
    return [ScopeEvent(new_event_id(), PHOTO, EventPhoto(str(uuid4()), ANN)) for _ in range(number)]


def test_only_the_last_event_of_each_photo_is_kept() -> None:
    subscriber, (one, two, three) = Subscriber(times.now()), some(3)
    again = ScopeEvent(new_event_id(), PHOTO, one.photo)
    subscriber.push([one, two, again, three])
    assert subscriber.take() == (False, [two, three, again])
    assert subscriber.take() == (False, [])


def test_a_subscriber_that_is_too_slow_overflows() -> None:
    subscriber = Subscriber(times.now())
    subscriber.push(some(MAX_MISSED))
    assert not subscriber.has_overflowed
    (last,) = some(1)
    subscriber.push([last])
    assert subscriber.take() == (True, [])
    subscriber.push([last])
    assert subscriber.take() == (False, [last])
