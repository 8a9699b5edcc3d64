"""A queue on each engine, and a way to let time pass on it."""

import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Delivery, Job, Jobs
from sparks.jobs.sqs import SqsJobs, create_queues
from sparks.jobs.sqs.queues import connect
from sparks.model.migration import MigrationPhase, WriteSide
from sparks.sqlitefile import SqliteFile
from tests.migrate.engines.memory_sides import Sides, new_stores
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, ministack
from tests.servers.process import wait_until

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class Clock:
    """A clock that moves only by `advance`."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@dataclass(frozen=True)
class Queue:
    """`another` is the same queue as another worker opens it; `exact` engines have exact counts and a clock to set."""

    jobs: Jobs
    another: Callable[[], Jobs]
    let_pass: Callable[[float], None]
    exact: bool

    def send(self, *kinds: str, group: str | None = None) -> None:
        for kind in kinds:
            self.jobs.send(Job(kind, {}), group=group)

    def receive(self, most: int = 10, *, lease: float = 60) -> list[Delivery]:
        """The jobs that can be received now."""
        return self.jobs.receive(most=most, wait=0, lease=lease)

    def receive_one(self, *, lease: float = 60) -> Delivery:
        [delivery] = self.receive(1, lease=lease)
        return delivery

    def kinds(self) -> list[str]:
        """The kinds of the jobs that can be received now; they stay leased."""
        return sorted(delivery.job.kind for delivery in self.receive())

    def fail(self, kind: str, *, times: int = 5, reason: str | None = None) -> None:
        """Fails the jobs of this kind again and again, and finishes all others."""
        for _ in range(times):
            for delivery in self.receive():
                if delivery.job.kind == kind:
                    self.jobs.retry_later(delivery, delay=0, reason=reason)
                else:
                    self.jobs.done(delivery)


def memory_queue(_folder: Path, _stack: ExitStack) -> Queue:
    clock = Clock()
    jobs = MemoryJobs(clock=clock)
    return Queue(jobs, lambda: jobs, clock.advance, exact=True)


def moved_queue(_folder: Path, _stack: ExitStack) -> Queue:
    """The queue of a library that has moved, beside the one that it has left."""
    clock = Clock()
    old, new = (new_stores(jobs=MemoryJobs(clock=clock)) for _ in range(2))
    sides = Sides(source=old, target=new)
    sides.state = replace(sides.state, phase=MigrationPhase.CUTOVER, writes=WriteSide.TARGET, turn=1)
    sides.capture()
    jobs = sides.process().jobs
    return Queue(jobs, lambda: jobs, clock.advance, exact=True)


def embedded_queue(folder: Path, stack: ExitStack) -> Queue:
    clock = Clock()

    def open_jobs() -> EmbeddedJobs:
        file = SqliteFile(folder / "sparks.db")
        stack.callback(file.close)
        jobs = EmbeddedJobs(file, clock=clock)
        stack.callback(jobs.close)
        return jobs

    return Queue(open_jobs(), open_jobs, clock.advance, exact=True)


def sqs_queue(_folder: Path, _stack: ExitStack) -> Queue:
    prefix = f"jobs-{uuid.uuid4().hex}"
    create_queues(sqs_client(), prefix)

    def open_jobs() -> SqsJobs:
        return SqsJobs(sqs_client(), prefix, dead_wait=0)

    return Queue(open_jobs(), open_jobs, wait_for, exact=False)


@cache
def sqs_client() -> "SQSClient":
    return connect(region=REGION, endpoint=ministack(), access_key=ACCESS_KEY, secret_key=SECRET_KEY)


def wait_for(seconds: float) -> None:
    """A server's clock cannot be set, so the test waits."""
    end = time.monotonic() + seconds
    wait_until(lambda: time.monotonic() > end, what="time to pass")


ENGINES = {"memory": memory_queue, "moved": moved_queue, "embedded": embedded_queue, "sqs": sqs_queue}
