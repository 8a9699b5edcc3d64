"""Asking a store that may be slow."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparks.api.probes import Probe
from sparks.model.errors import Busy, Unavailable

PATIENCE = 30


class SlowStore:
    """Answers once it is let go."""

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


def test_it_tells_what_the_store_says(threads: ThreadPoolExecutor) -> None:
    assert asyncio.run(Probe(lambda: 42, threads).answer()) == 42


def test_it_raises_what_the_store_raises(threads: ThreadPoolExecutor) -> None:
    def fail() -> None:
        raise Busy("too much at once")

    with pytest.raises(Busy, match="too much at once"):
        asyncio.run(Probe(fail, threads).answer())


def test_a_store_that_hangs_is_not_waited_for_and_not_asked_again(threads: ThreadPoolExecutor) -> None:
    store = SlowStore()
    probe = Probe(store.ask, threads, patience=0.01)

    async def ask_three_times() -> None:
        for _ in range(3):
            with pytest.raises(Unavailable, match=r"no answer within 0\.01 s"):
                await probe.answer()
        store.free.set()

    asyncio.run(ask_three_times())
    assert store.asked == 1


def test_all_who_ask_at_once_get_the_same_answer(threads: ThreadPoolExecutor) -> None:
    store = SlowStore()
    probe = Probe(store.ask, threads, patience=PATIENCE)

    async def ask_together() -> list[int]:
        asking = [asyncio.create_task(probe.answer()) for _ in range(5)]
        await asyncio.sleep(0)
        store.free.set()
        return await asyncio.gather(*asking)

    assert asyncio.run(ask_together()) == [1] * 5


def test_an_answer_is_not_kept_for_the_next_question(threads: ThreadPoolExecutor) -> None:
    store = SlowStore()
    store.free.set()
    probe = Probe(store.ask, threads)

    async def ask_twice() -> list[int]:
        return [await probe.answer(), await probe.answer()]

    assert asyncio.run(ask_twice()) == [1, 2]
