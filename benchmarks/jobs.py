"""The embedded jobs: how many are sent, received and done in a second, and how many with SQS on ministack."""

import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.frame import Figure, run, seconds
from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.port import Job, Jobs
from sparks.jobs.sqs import SqsJobs, create_queues
from sparks.jobs.sqs.queues import connect
from sparks.sqlitefile import SqliteFile
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, ministack
from tests.servers.process import end_all, make_folder

THREADS: Final = 8
EMBEDDED_JOBS: Final = 4000
SQS_JOBS: Final = 800
ALONE_JOBS: Final = 400
ROUNDS: Final = 3
WAKES: Final = 100


def measure() -> list[Figure]:
    with embedded() as ours, sqs() as theirs:
        rates = [(rate(ours, EMBEDDED_JOBS), rate(theirs, SQS_JOBS)) for _ in range(ROUNDS)]
        alone = ALONE_JOBS / seconds(lambda: run_alone(ours, ALONE_JOBS))
        return [
            Figure(
                "embedded_per_s", median(mine for mine, _ in rates), f"jobs a second, {THREADS} senders and workers"
            ),
            Figure("embedded_vs_sqs", median(mine / peer for mine, peer in rates), "the same / with SQS on ministack"),
            Figure("embedded_alone_per_s", alone, "jobs a second when one thread sends and then works"),
            Figure("embedded_wake_ms", median(wake_times(ours)), "from `send` until a worker that waits has the job"),
        ]


@contextmanager
def embedded() -> Iterator[Jobs]:
    with tempfile.TemporaryDirectory(prefix="sparks-bench-", dir=Path.cwd()) as folder:
        file = SqliteFile(Path(folder) / "sparks.db")
        jobs = EmbeddedJobs(file)
        yield jobs
        jobs.close()
        file.close()


@contextmanager
def sqs() -> Iterator[Jobs]:
    make_folder()
    try:
        client = connect(region=REGION, endpoint=ministack(), access_key=ACCESS_KEY, secret_key=SECRET_KEY)
        prefix = f"bench-{uuid.uuid4().hex}"
        create_queues(client, prefix)
        yield SqsJobs(client, prefix)
        client.close()
    finally:
        end_all()


def job(number: int) -> Job:
    """As large as a job is in practice."""
    return Job("make_renditions", {"imageId": f"{number:08x}-0000-7000-8000-000000000000", "owner": "a@example.org"})


def rate(jobs: Jobs, count: int) -> float:
    """Jobs a second while some send and others work, ten received at a time and each done by itself."""
    return count / seconds(lambda: run_all(jobs, count))


def run_all(jobs: Jobs, count: int) -> None:
    left = Countdown(count)
    with ThreadPoolExecutor(2 * THREADS) as pool:
        tasks = [pool.submit(send_many, jobs, count // THREADS) for _ in range(THREADS)]
        tasks += [pool.submit(work, jobs, left) for _ in range(THREADS)]
        for task in tasks:
            task.result()


def send_many(jobs: Jobs, count: int) -> None:
    for number in range(count):
        jobs.send(job(number))


class Countdown:
    """The number of jobs that are not done yet."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._mutex = threading.Lock()

    def down(self) -> None:
        with self._mutex:
            self._count -= 1

    def __bool__(self) -> bool:
        return self._count > 0


def work(jobs: Jobs, left: Countdown) -> None:
    while left:
        for delivery in jobs.receive(most=10, wait=0.2):
            jobs.done(delivery)
            left.down()


def run_alone(jobs: Jobs, count: int) -> None:
    send_many(jobs, count)
    work(jobs, Countdown(count))


def wake_times(jobs: Jobs) -> list[float]:
    """In milliseconds, commits of `send` and `receive` included."""
    with ThreadPoolExecutor(1) as pool:
        return [wake_time(jobs, pool) for _ in range(WAKES)]


def wake_time(jobs: Jobs, pool: ThreadPoolExecutor) -> float:
    waiting = pool.submit(receive_and_tell, jobs)
    time.sleep(0.005)  # it waits by then
    start = time.perf_counter()
    jobs.send(job(0))
    return 1000 * (waiting.result() - start)


def receive_and_tell(jobs: Jobs) -> float:
    [delivery] = jobs.receive(most=1)
    received = time.perf_counter()
    jobs.done(delivery)
    return received


if __name__ == "__main__":
    run("jobs", measure)
