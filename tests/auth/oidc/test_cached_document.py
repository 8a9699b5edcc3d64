"""A document of the provider, cached for a while."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparks.auth.oidc.remote_json import CachedDocument
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
def kept(source: Source, clock: Clock) -> CachedDocument[int]:
    return CachedDocument(source.load, good_for=3600, pause=60, clock=clock.seconds)


def test_a_document_is_loaded_at_the_first_get(kept: CachedDocument[int], source: Source) -> None:
    assert source.asked == 0

    assert [kept.get(), kept.get()] == [1, 1]


def test_an_old_document_is_loaded_again(kept: CachedDocument[int], clock: Clock) -> None:
    kept.get()
    clock.go_on(3599)
    assert kept.get() == 1

    clock.go_on(1)
    assert kept.get() == 2


def test_a_document_can_be_reloaded_earlier(kept: CachedDocument[int], clock: Clock) -> None:
    kept.get()
    clock.go_on(60)

    assert kept.reload() == 2


def test_a_document_is_not_reloaded_twice_within_the_pause(kept: CachedDocument[int], clock: Clock) -> None:
    kept.get()
    clock.go_on(59.9)

    assert [kept.reload() for _ in range(100)] == [1] * 100


def test_a_loaded_document_stays_valid_while_the_source_is_down(
    kept: CachedDocument[int], source: Source, clock: Clock
) -> None:
    kept.get()
    source.down = True
    clock.go_on(4000)

    assert [kept.get() for _ in range(100)] == [1] * 100
    assert source.asked == 2


def test_a_document_that_failed_to_load_is_not_requested_within_the_pause(
    kept: CachedDocument[int], source: Source, clock: Clock
) -> None:
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


def test_parallel_gets_load_the_document_once(clock: Clock) -> None:
    source = Gated()
    kept = CachedDocument(source.load, good_for=3600, pause=60, clock=clock.seconds)
    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(kept.get) for _ in range(8)]
        wait_until(lambda: source.asked == 1, what="the first to ask")
        source.open.set()

        assert [answer.result(30) for answer in answers] == [1] * 8


def test_no_thread_waits_for_the_reload_of_a_loaded_document(clock: Clock) -> None:
    source = Gated()
    source.open.set()
    kept = CachedDocument(source.load, good_for=3600, pause=60, clock=clock.seconds)
    kept.get()
    source.open.clear()
    clock.go_on(3600)
    with ThreadPoolExecutor(1) as threads:
        first: Callable[[], int] = threads.submit(kept.get).result
        wait_until(lambda: source.asked == 2, what="a second request")

        assert kept.get() == 1

        source.open.set()
        assert first() == 2
