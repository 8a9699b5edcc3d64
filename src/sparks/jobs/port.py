"""Jobs: sent once, run at least once, never lost.

A job is a `kind` and a JSON `body`. It may come twice, late or out of order; whoever runs it must stand that. Jobs of
one `group` are the exception: they come in the order they were sent, one at a time, and a group waits while its first
job is leased or waits to be tried again. A dead job no longer holds its group up. A queue is one stream of jobs with
its own dead letters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

MOST_TRIES: Final = 5
MOST_BODY_BYTES: Final = 256 * 1024
MOST_BODY_DEPTH: Final = 100
MOST_NAME: Final = 128
MOST_REASON: Final = 1000
MOST_JOBS: Final = 10
MOST_WAIT: Final = 20
MOST_DELAY: Final = 900
MOST_LEASE: Final = 12 * 3600
DEDUPLICATION_SECONDS: Final = 300


@dataclass(frozen=True, slots=True)
class Job:
    """`kind`: 1 to 80 letters, digits, `-`, `_` or `.`; `body`: what JSON can say, at most 256 KiB as such.

    Counted are the bytes of compact JSON in ASCII. Keys are strings, numbers are finite, nothing is nested more than
    100 deep; a tuple arrives as a list. A larger body is a TooLarge, anything else a BadInput.
    """

    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A job that was handed out: the `receipt` to finish it with, and which try this is (from 1).

    `job_id` is the same at every try, and `sent` is when it was first sent.
    """

    job: Job
    job_id: str
    receipt: str
    tries: int
    sent: datetime


@dataclass(frozen=True, slots=True)
class DeadJob:
    """`reason` is what the fifth `retry_later` said; None when its fifth lease just ended."""

    job: Job
    job_id: str
    sent: datetime
    tries: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Counts:
    """`waiting` may be received now, `delayed` later, `leased` is being run. Some engines only estimate them."""

    waiting: int
    delayed: int
    leased: int
    dead: int


class Jobs(Protocol):
    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        """Keeps the job; durable when it returns.

        A second job with the same `deduplication` within five minutes of the first is dropped, also when the first is
        finished. `delay` (at most 15 minutes) goes with neither `deduplication` nor `group` (each of 1 to 128
        characters): a BadInput.
        """

    def receive(self, *, most: int = 10, wait: float = 20, lease: float = 60) -> list[Delivery]:
        """Leases up to `most` jobs (1 to 10), waiting up to `wait` seconds (at most 20) for the first; [] when there is
        none.

        A job that is not done when its lease (1 second to 12 hours) ends goes to whoever receives next; after the fifth
        try, to the dead letters.
        """

    def done(self, delivery: Delivery) -> None:
        """The job is finished and gone. When the lease has ended meanwhile and another has the job, nothing happens."""

    def retry_later(self, delivery: Delivery, *, delay: float, reason: str | None = None) -> None:
        """Gives the job back, to be tried again after `delay` (0 to 12 hours); after its fifth try, to the dead letters
        with the reason (its first 1,000 characters).

        When the lease has ended meanwhile, nothing happens.
        """

    def extend(self, delivery: Delivery, *, lease: float) -> bool:
        """The lease ends `lease` seconds from now; False when it has ended already and the job is no longer ours.

        An engine may let nobody keep a job longer than 12 hours, however often the lease is extended.
        """

    def dead(self, *, most: int = 100) -> Sequence[DeadJob]:
        """The dead letters, oldest first where the engine keeps an order."""

    def retry_dead(self, job_ids: Sequence[str]) -> int:
        """Sends these dead letters again, with all their tries before them; returns how many were found.

        They keep their ids, and go to the end of their groups.
        """

    def drop_dead(self, job_ids: Sequence[str]) -> int:
        """Removes these dead letters for good; returns how many were found."""

    def drop_about(self, text: str) -> int:
        """Removes the jobs whose body holds exactly this text, as a value or a name, however deep: those that wait,
        those that are leased and the dead letters; returns how many. Their groups go on without them.

        Whoever runs one of them is not told: nothing happens when they finish it. An engine that shows no job without
        handing it out removes the dead letters alone: all others soon come to whoever runs them.
        """

    def counts(self) -> Counts:
        """How many jobs there are in each state."""

    def check(self) -> None:
        """Raises Unavailable, saying why, unless the queue can be reached right now."""

    def close(self) -> None:
        """Gives back files and connections; a `receive` that waits soon returns []. Closing twice is fine."""
