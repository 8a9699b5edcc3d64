"""Port of job queues: at-least-once delivery, leases, groups and dead jobs.

A job is a `kind` and a JSON `body`. It may be delivered twice, late or out of order, and its worker must cope with
that. Jobs of one `group` are the exception: they are delivered in the order in which they were sent, one at a time, and
a group waits while its first job is leased or waits for a retry. A dead job does not block its group. A queue is one
stream of jobs with its own dead letters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

MAX_TRIES: Final = 5
MAX_BODY_BYTES: Final = 256 * 1024
MAX_BODY_DEPTH: Final = 100
MAX_NAME: Final = 128
MAX_REASON: Final = 1000
MAX_JOBS: Final = 10
MAX_WAIT: Final = 20
MAX_DELAY: Final = 900
MAX_LEASE: Final = 12 * 3600
DEDUPLICATION_SECONDS: Final = 300


@dataclass(frozen=True, slots=True)
class Job:
    """`kind`: 1 to 80 letters, digits, `-`, `_` or `.`; `body`: a JSON object of at most 256 KiB.

    The size is that of compact JSON in ASCII. Keys are strings, numbers are finite, nothing is nested more than 100
    deep; a tuple arrives as a list. TooLarge for a larger body, BadInput for anything else.
    """

    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A leased job, the `receipt` to finish it with, and the number of this try (from 1).

    `job_id` is the same for every try, and `sent` is the time of the first sending.
    """

    job: Job
    job_id: str
    receipt: str
    tries: int
    sent: datetime


@dataclass(frozen=True, slots=True)
class DeadJob:
    """`reason` comes from the fifth `retry_later`; None where the fifth lease ended without one."""

    job: Job
    job_id: str
    sent: datetime
    tries: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """`waiting` jobs may be received now, `delayed` ones later; `leased` ones are running. Some engines estimate."""

    waiting: int
    delayed: int
    leased: int
    dead: int


class Jobs(Protocol):
    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        """Stores the job; durable when it returns.

        A second job with the same `deduplication` within five minutes of the first is dropped, also where the first is
        finished. `deduplication` and `group` have 1 to 128 characters. BadInput for a `delay` (at most 15 minutes)
        together with either.
        """

    def receive(self, *, most: int = 10, wait: float = 20, lease: float = 60) -> list[Delivery]:
        """Leases up to `most` jobs (1 to 10), waiting up to `wait` seconds (at most 20) for the first; [] where none
        comes.

        A job that is not done when its lease (1 second to 12 hours) ends is delivered to the next receiver; after the
        fifth try, it becomes a dead letter.
        """

    def done(self, delivery: Delivery) -> None:
        """Deletes the finished job. Does nothing where the lease has ended and another worker has the job."""

    def retry_later(self, delivery: Delivery, *, delay: float, reason: str | None = None) -> None:
        """Returns the job to the queue for a retry after `delay` (0 to 12 hours). After the fifth try, it becomes a
        dead letter with the reason (its first 1,000 characters).

        Does nothing where the lease has ended.
        """

    def extend(self, delivery: Delivery, *, lease: float) -> bool:
        """Lets the lease end `lease` seconds from now; False where it has already ended.

        An engine may end a lease 12 hours after the delivery, even if it is extended.
        """

    def dead(self, *, most: int = 100) -> Sequence[DeadJob]:
        """The dead letters, oldest first where the engine keeps their order."""

    def retry_dead(self, job_ids: Sequence[str]) -> int:
        """Sends these dead letters again, with five new tries; returns how many were found.

        They keep their ids and go to the end of their groups.
        """

    def drop_dead(self, job_ids: Sequence[str]) -> int:
        """Deletes these dead letters; returns how many were found."""

    def drop_about(self, text: str) -> int:
        """Deletes the jobs whose body holds exactly this text as a value or a key at any depth: waiting and leased jobs
        and dead letters; returns how many. Their groups continue without them.

        A worker that runs one of them gets no notice, and its `done` does nothing. An engine that cannot show a job
        without delivering it deletes only dead letters; the other jobs reach a worker soon.
        """

    def counts(self) -> QueueCounts:
        """The number of jobs in each state."""

    def check(self) -> None:
        """Raises Unavailable, with the reason, where the queue cannot be reached now."""

    def close(self) -> None:
        """Closes files and connections; a waiting `receive` soon returns []. Closing twice is allowed."""
