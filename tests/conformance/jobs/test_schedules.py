"""Seeded schedules of everything that can go wrong between a queue and its workers."""

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import MAX_TRIES, Delivery, Job, Jobs, QueueCounts
from sparks.sqlitefile import SqliteFile
from tests.conformance.jobs.engines import Clock

JOBS: Final = 12
STEPS: Final = 45
ROUNDS: Final = 60


class Schedule:
    """Workers that crash, lose their `done`, finish late, retry and extend, on a clock that jumps.

    A job's effect is idempotent: `ran` notes each time it happened, and what a user sees is that it did.
    """

    def __init__(self, jobs: Jobs, clock: Clock, seed: int) -> None:
        self._jobs = jobs
        self._clock = clock
        self._random = random.Random(seed)
        self._to_send = [f"job-{number}" for number in range(JOBS)]
        self._groups = {name: self._random.choice([None, None, "a", "b"]) for name in self._to_send}
        self._poison = {name for name in self._to_send if self._random.random() < 0.15}
        self._in_hand: list[Delivery] = []
        self._leases: dict[str, tuple[str, float]] = {}
        self._died: set[str] = set()
        self.ran: list[str] = []
        self.tries: dict[str, int] = dict.fromkeys(self._to_send, 0)

    def run(self) -> None:
        acts = [self._send, self._send, self._receive, self._receive, self._work, self._work, self._work, self._leap]
        for _ in range(STEPS):
            self._random.choice(acts)()
        while self._to_send:
            self._send()
        self._finish_all()

    def check(self) -> None:
        good = self.tries.keys() - self._poison
        assert set(self.ran) == good
        dead = self._jobs.dead()
        assert {job.job.body["name"] for job in dead} == self._poison
        assert len(dead) == len(self._poison)
        assert all(job.tries == MAX_TRIES == self.tries[job.job.body["name"]] for job in dead)
        assert self._jobs.counts() == QueueCounts(0, 0, 0, dead=len(self._poison))
        for group in ("a", "b"):
            order = [name for name in dict.fromkeys(self.ran) if self._groups[name] == group]
            assert [name for name in order if name not in self._died] == [
                name for name in self.tries if name in order and name not in self._died
            ]

    def _send(self) -> None:
        if self._to_send:
            name = self._to_send.pop(0)
            job, group = Job("kind", {"name": name}), self._groups[name]
            if self._random.random() < 0.3:
                self._jobs.send(job, group=group, deduplication=name)
                self._jobs.send(job, group=group, deduplication=name)
            elif group is None and self._random.random() < 0.3:
                self._jobs.send(job, delay=self._random.uniform(0, 20))
            else:
                self._jobs.send(job, group=group)

    def _receive(self) -> None:
        lease = self._random.uniform(1, 20)
        for delivery in self._jobs.receive(most=self._random.randint(1, 4), wait=0, lease=lease):
            self._note(delivery, lease)
            self._in_hand.append(delivery)

    def _note(self, delivery: Delivery, lease: float) -> None:
        name = delivery.job.body["name"]
        self.tries[name] = delivery.tries
        group = self._groups[name]
        if group is not None:
            _, until = self._leases.get(group, ("", 0.0))
            assert until <= self._clock.now, f"{name} came while another of its group was leased"
            self._leases[group] = (delivery.receipt, self._clock.now + lease)

    def _work(self) -> None:
        """Acts as a worker on a job that it received, perhaps long ago, and perhaps finished already."""
        if self._in_hand:
            delivery = self._in_hand.pop(self._random.randrange(len(self._in_hand)))
            fate = self._random.random()
            if fate < 0.1:
                self._extend(delivery)
            elif fate < 0.2:
                return  # the worker crashed before it began
            elif delivery.job.body["name"] in self._poison:
                self._give_back(delivery)
            else:
                self._succeed(delivery, fate)

    def _succeed(self, delivery: Delivery, fate: float) -> None:
        self.ran.append(delivery.job.body["name"])
        if fate < 0.35:
            return  # the worker crashed, or its `done` was lost
        if fate < 0.45:
            self._give_back(delivery)
        else:
            self._jobs.done(delivery)
            self._release(delivery)
        if fate > 0.9:
            self._in_hand.append(delivery)  # delivered twice, or the response was lost: all of this again, later

    def _extend(self, delivery: Delivery) -> None:
        lease = self._random.uniform(1, 20)
        group = self._groups[delivery.job.body["name"]]
        if self._jobs.extend(delivery, lease=lease) and group is not None:
            self._leases[group] = (delivery.receipt, self._clock.now + lease)
        self._in_hand.append(delivery)

    def _give_back(self, delivery: Delivery) -> None:
        self._jobs.retry_later(delivery, delay=self._random.uniform(0, 10), reason="poison")
        self._release(delivery)

    def _release(self, delivery: Delivery) -> None:
        group = self._groups[delivery.job.body["name"]]
        if group is not None and self._leases.get(group, ("", 0.0))[0] == delivery.receipt:
            del self._leases[group]

    def _leap(self) -> None:
        self._clock.advance(self._random.choice([0.5, 3, 12, 40]))

    def _finish_all(self) -> None:
        """From now on no worker fails, and dead letters are handled."""
        for _ in range(ROUNDS):
            self._clock.advance(60)
            for delivery in self._jobs.receive(wait=0):
                self._note(delivery, 60)
                if delivery.job.body["name"] in self._poison:
                    self._give_back(delivery)
                else:
                    self.ran.append(delivery.job.body["name"])
                    self._jobs.done(delivery)
                    self._release(delivery)
            good = [job for job in self._jobs.dead() if job.job.body["name"] not in self._poison]
            self._died |= {job.job.body["name"] for job in good}
            if good:
                self._jobs.retry_dead([job.job_id for job in good])
            elif self._jobs.counts() == QueueCounts(0, 0, 0, dead=len(self._poison)):
                return


def run_in_memory(seeds: range) -> None:
    for seed in seeds:
        clock = Clock()
        prove(MemoryJobs(clock=clock), clock, seed)


def run_on_a_file(file: SqliteFile, seeds: range) -> None:
    for seed in seeds:
        clock = Clock()
        jobs = EmbeddedJobs(file, f"seed-{seed}", clock=clock)
        prove(jobs, clock, seed)
        jobs.drop_dead([dead.job_id for dead in jobs.dead()])
        jobs.close()


def prove(jobs: Jobs, clock: Clock, seed: int) -> None:
    schedule = Schedule(jobs, clock, seed)
    try:
        schedule.run()
        schedule.check()
    except AssertionError as error:
        error.add_note(f"seed {seed}")
        raise


@pytest.fixture
def file() -> Iterator[SqliteFile]:
    """In a memory file system where there is one: these tests are about order, not about the disk."""
    memory = Path("/dev/shm")  # noqa: S108  a folder of our own in it
    with tempfile.TemporaryDirectory(prefix="sparks-jobs-", dir=memory if memory.is_dir() else None) as folder:
        file = SqliteFile(Path(folder) / "sparks.db")
        yield file
        file.close()


@pytest.mark.parametrize("block", range(2))
def test_every_job_takes_effect_and_poison_dies_in_memory(block: int) -> None:
    run_in_memory(range(block * 100, block * 100 + 100))


@pytest.mark.parametrize("block", range(4))
def test_every_job_takes_effect_and_poison_dies_on_a_file(file: SqliteFile, block: int) -> None:
    run_on_a_file(file, range(block * 50, block * 50 + 50))
    assert file.verify() == []


@pytest.mark.long
@pytest.mark.parametrize("block", range(10))
def test_every_job_takes_effect_and_poison_dies_ten_thousand_times(file: SqliteFile, block: int) -> None:
    seeds = range(block * 1000, block * 1000 + 1000)
    run_in_memory(seeds)
    run_on_a_file(file, seeds)
    assert file.verify() == []
