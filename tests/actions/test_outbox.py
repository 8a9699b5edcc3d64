"""The outbox sends a follow-up delayed before a write, and at once after it."""

import pytest

from sparks.actions.outbox import RECHECK_AFTER, Outbox
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Journey
from sparks.model.errors import Conflict
from sparks.model.events import PhotoChanged

EVENT = PhotoChanged("image1", "ann@example.com")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def ready(jobs: MemoryJobs) -> int:
    """The number of jobs that a worker would get now."""
    return len(jobs.receive(most=10, wait=0))


def test_a_write_is_followed_by_a_prompt_job_and_rechecked_a_minute_later() -> None:
    clock = Clock()
    jobs = MemoryJobs(clock=clock)
    assert Outbox(journey=Journey(), jobs=jobs).send_around(EVENT, lambda: "written") == "written"
    assert ready(jobs) == 1
    clock.now += RECHECK_AFTER
    assert ready(jobs) >= 1


def test_the_recheck_is_sent_before_the_write() -> None:
    jobs = MemoryJobs()
    assert Outbox(journey=Journey(), jobs=jobs).send_around(EVENT, lambda: jobs.counts().delayed) == 1


def test_a_write_that_fails_leaves_only_the_recheck() -> None:
    clock = Clock()
    jobs = MemoryJobs(clock=clock)

    def fail() -> None:
        raise Conflict("changed meanwhile")

    with pytest.raises(Conflict):
        Outbox(journey=Journey(), jobs=jobs).send_around(EVENT, fail)
    assert ready(jobs) == 0
    clock.now += RECHECK_AFTER
    assert ready(jobs) == 1
