"""Several processes on one SQLite file. No worker polls here, so one that wakes was woken."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.port import Job, QueueCounts
from sparks.sqlitefile import SqliteFile


@contextmanager
def worker(database: Path, task: str) -> Iterator[subprocess.Popen[str]]:
    """A worker process that has opened the queue when the block begins, and is gone when it ends."""
    command = [sys.executable, "-m", "tests.conformance.jobs.worker", str(database), task]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert line_of(process) == "ready"
            yield process
        finally:
            process.kill()


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "sparks.db"


@pytest.fixture
def jobs(database: Path) -> Iterator[EmbeddedJobs]:
    file = SqliteFile(database)
    jobs = EmbeddedJobs(file, poll_interval=60)
    yield jobs
    jobs.close()
    file.close()


def test_a_worker_in_another_process_wakes_when_a_job_is_sent(jobs: EmbeddedJobs, database: Path) -> None:
    with worker(database, "run") as process:
        for kind in ("one", "two", "stop"):
            jobs.send(Job(kind, {}))
            assert line_of(process) == kind
        assert process.wait() == 0
    assert jobs.counts() == QueueCounts(0, 0, 0, 0)


def test_a_job_sent_by_another_process_wakes_a_worker_here(jobs: EmbeddedJobs, database: Path) -> None:
    with worker(database, "send"):
        [delivery] = jobs.receive()
    assert delivery.job.kind == "from-afar"


def test_the_job_of_a_worker_that_was_killed_goes_to_another(jobs: EmbeddedJobs, database: Path) -> None:
    jobs.send(Job("one", {}))
    with worker(database, "hold") as process:
        assert line_of(process) == "one"
        process.kill()
        process.wait()
        [delivery] = jobs.receive()
    assert (delivery.job.kind, delivery.tries) == ("one", 2)


def test_two_processes_share_the_jobs_and_each_is_run_once(jobs: EmbeddedJobs, database: Path) -> None:
    kinds = [f"job-{number}" for number in range(60)]
    done: list[str] = []
    with worker(database, "run") as process:
        for kind in kinds:
            jobs.send(Job(kind, {}))
        while deliveries := jobs.receive(most=1, wait=0):
            done += [delivery.job.kind for delivery in deliveries]
            jobs.done(*deliveries)
        jobs.send(Job("stop", {}))
        assert process.stdout is not None
        done += [line.strip() for line in process.stdout]
    assert sorted(done) == sorted([*kinds, "stop"])
    assert jobs.counts() == QueueCounts(0, 0, 0, 0)
