"""Checks of a store that may be slow."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparks.api.admin.server_routes import StoreProbe
from sparks.model.errors import Busy, Unavailable

PATIENCE = 30


class SlowStore:
    """Returns once it is released."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.asked = 0

    def ask(self) -> int:
        self.asked += 1
        assert self.free.wait(PATIENCE)
        return self.asked


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as threads:
        yield threads


def test_a_probe_returns_what_the_store_returns(threads: ThreadPoolExecutor) -> None:
    assert asyncio.run(StoreProbe(lambda: 42, threads).check()) == 42


def test_a_probe_raises_what_the_store_raises(threads: ThreadPoolExecutor) -> None:
    def fail() -> None:
        raise Busy("too much at once")

    with pytest.raises(Busy, match="too much at once"):
        asyncio.run(StoreProbe(fail, threads).check())


def test_a_store_that_hangs_is_a_timeout_and_is_not_called_again(threads: ThreadPoolExecutor) -> None:
    store = SlowStore()
    probe = StoreProbe(store.ask, threads, timeout=0.01)

    async def ask_three_times() -> None:
        for _ in range(3):
            with pytest.raises(Unavailable, match=r"no answer within 0\.01 s"):
                await probe.check()
        store.free.set()

    asyncio.run(ask_three_times())
    assert store.asked == 1


def test_concurrent_checks_share_one_call(threads: ThreadPoolExecutor) -> None:
    store = SlowStore()
    probe = StoreProbe(store.ask, threads, timeout=PATIENCE)

    async def ask_together() -> list[int]:
        asking = [asyncio.create_task(probe.check()) for _ in range(5)]
        await asyncio.sleep(0)
        store.free.set()
        return await asyncio.gather(*asking)

    assert asyncio.run(ask_together()) == [1] * 5


def test_a_result_is_not_reused_for_the_next_check(threads: ThreadPoolExecutor) -> None:
    store = SlowStore()
    store.free.set()
    probe = StoreProbe(store.ask, threads)

    async def ask_twice() -> list[int]:
        return [await probe.check(), await probe.check()]

    assert asyncio.run(ask_twice()) == [1, 2]
