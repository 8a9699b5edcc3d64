"""Throttle of the backfill: a rate, and pauses for a source that answers slowly."""

from typing import Any

from sparks.library.throttle import Throttle


class Clock:
    """A clock that moves only by sleeping and by reading pages."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def read_pages(throttle: Throttle, clock: Clock, pages: list[tuple[int, float]]) -> list[float]:
    """Reads pages of so many rows that take so long; the times at which the reads began."""
    began = []

    def page(rows: int, seconds: float) -> list[Any]:
        began.append(clock.now)
        clock.now += seconds
        return [{}] * rows

    for rows, seconds in pages:
        throttle.read(lambda rows=rows, seconds=seconds: page(rows, seconds))  # type: ignore[misc]
    return began


def test_without_a_rate_pages_follow_each_other_at_once() -> None:
    clock = Clock()
    assert read_pages(Throttle(None, clock=clock, sleep=clock.sleep), clock, [(500, 0.1)] * 3) == [0.0, 0.1, 0.2]


def test_a_rate_is_kept_also_where_reading_takes_time() -> None:
    clock = Clock()
    throttle = Throttle(100, clock=clock, sleep=clock.sleep)
    assert read_pages(throttle, clock, [(500, 0.1), (100, 0.1), (500, 0.1)]) == [0.0, 5.0, 6.0]


def test_a_source_that_answers_slower_than_usual_gets_a_pause_as_long_as_its_answer() -> None:
    clock = Clock()
    throttle = Throttle(None, clock=clock, sleep=clock.sleep)
    began = read_pages(throttle, clock, [(10, 0.1)] * 10 + [(10, 2.0), (10, 0.1), (10, 0.1)])
    assert began[11] - began[10] == 4.0
    assert began[12] - began[11] < 0.2
