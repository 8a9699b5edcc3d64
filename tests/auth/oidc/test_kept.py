"""A document from elsewhere, kept for a while."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparks.auth.oidc.kept import Kept
from sparks.model.errors import Unavailable
from tests.auth.oidc.conftest import Clock
from tests.servers.process import wait_until


class Source:
    """Counts how often it is asked; fails while it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.down = False

    def load(self) -> int:
        self.asked += 1
        if self.down:
            raise Unavailable("it is down")
        return self.asked


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def kept(source: Source, clock: Clock) -> Kept[int]:
    return Kept(source.load, good_for=3600, pause=60, clock=clock.seconds)


def test_it_is_loaded_when_it_is_first_asked_for(kept: Kept[int], source: Source) -> None:
    assert source.asked == 0

    assert [kept.get(), kept.get()] == [1, 1]


def test_it_is_loaded_again_when_it_is_old(kept: Kept[int], clock: Clock) -> None:
    kept.get()
    clock.go_on(3599)
    assert kept.get() == 1

    clock.go_on(1)
    assert kept.get() == 2


def test_it_can_be_renewed_before(kept: Kept[int], clock: Clock) -> None:
    kept.get()
    clock.go_on(60)

    assert kept.renewed() == 2


def test_it_is_not_renewed_twice_within_the_pause(kept: Kept[int], clock: Clock) -> None:
    kept.get()
    clock.go_on(59.9)

    assert [kept.renewed() for _ in range(100)] == [1] * 100


def test_what_was_loaded_stays_good_while_the_source_is_down(kept: Kept[int], source: Source, clock: Clock) -> None:
    kept.get()
    source.down = True
    clock.go_on(4000)

    assert [kept.get() for _ in range(100)] == [1] * 100
    assert source.asked == 2


def test_what_never_came_is_not_asked_for_without_a_pause(kept: Kept[int], source: Source, clock: Clock) -> None:
    source.down = True
    for _ in range(100):
        with pytest.raises(Unavailable, match="it is down"):
            kept.get()
    assert source.asked == 1

    source.down = False
    clock.go_on(60)
    assert kept.get() == 2


class Gated:
    """A source that answers when it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.open = threading.Event()

    def load(self) -> int:
        self.asked += 1
        asked = self.asked
        assert self.open.wait(30)
        return asked


def test_many_who_ask_at_once_ask_once(clock: Clock) -> None:
    source = Gated()
    kept = Kept(source.load, good_for=3600, pause=60, clock=clock.seconds)
    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(kept.get) for _ in range(8)]
        wait_until(lambda: source.asked == 1, what="the first to ask")
        source.open.set()

        assert [answer.result(30) for answer in answers] == [1] * 8


def test_nobody_waits_for_what_is_there_already(clock: Clock) -> None:
    source = Gated()
    source.open.set()
    kept = Kept(source.load, good_for=3600, pause=60, clock=clock.seconds)
    kept.get()
    source.open.clear()
    clock.go_on(3600)
    with ThreadPoolExecutor(1) as threads:
        first: Callable[[], int] = threads.submit(kept.get).result
        wait_until(lambda: source.asked == 2, what="somebody to load it again")

        assert kept.get() == 1

        source.open.set()
        assert first() == 2
