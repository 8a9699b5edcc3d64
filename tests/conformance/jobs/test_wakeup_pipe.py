"""Wake-up of workers without polling. They poll only once a minute here, so one that wakes earlier was woken."""

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.port import Job
from sparks.jobs.wakeup_pipe import WakeupPipe
from sparks.sqlitefile import SqliteFile
from tests.servers.process import wait_until


class CountingFile(SqliteFile):
    reads = 0

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        self.reads += 1
        return super().read(sql, values)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[CountingFile]:
    file = CountingFile(tmp_path / "sparks.db")
    yield file
    file.close()


@pytest.fixture
def jobs(file: CountingFile) -> Iterator[EmbeddedJobs]:
    with closing(EmbeddedJobs(file, poll_interval=60)) as jobs:
        yield jobs


def open_ends(pipe: Path) -> int:
    """Number of descriptors of the file that this process has."""
    return sum(descriptor.resolve() == pipe for descriptor in Path("/proc/self/fd").iterdir())


def woken_by(act: Callable[[], object], jobs: EmbeddedJobs, file: CountingFile) -> list[str]:
    """The kinds that a waiting receiver gets after the act; without being woken, it would poll after 20 seconds."""
    before = file.reads
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(jobs.receive)
        wait_until(lambda: file.reads > before, what="a receiver that has looked")
        act()
        return [delivery.job.kind for delivery in waiting.result(timeout=15)]


def test_sending_wakes_a_receiver(jobs: EmbeddedJobs, file: CountingFile) -> None:
    assert woken_by(lambda: jobs.send(Job("one", {})), jobs, file) == ["one"]


def test_a_waiting_receiver_gets_a_job_with_a_short_delay_in_time(jobs: EmbeddedJobs, file: CountingFile) -> None:
    jobs.send(Job("long", {}), delay=900)
    assert woken_by(lambda: jobs.send(Job("short", {}), delay=0.1), jobs, file) == ["short"]


def test_finishing_a_job_wakes_a_receiver_for_the_next_of_its_group(jobs: EmbeddedJobs, file: CountingFile) -> None:
    for kind in ("first", "second"):
        jobs.send(Job(kind, {}), group="g")
    [first] = jobs.receive()
    assert woken_by(lambda: jobs.done(first), jobs, file) == ["second"]


def test_a_retry_wakes_a_receiver(jobs: EmbeddedJobs, file: CountingFile) -> None:
    jobs.send(Job("one", {}))
    [delivery] = jobs.receive()
    assert woken_by(lambda: jobs.retry_later(delivery, delay=0), jobs, file) == ["one"]


def test_sending_a_dead_letter_again_wakes_a_receiver(jobs: EmbeddedJobs, file: CountingFile) -> None:
    jobs.send(Job("poison", {}))
    for _ in range(5):
        jobs.retry_later(jobs.receive()[0], delay=0)
    [dead] = jobs.dead()
    assert woken_by(lambda: jobs.retry_dead([dead.job_id]), jobs, file) == ["poison"]


def test_a_receiver_that_leaves_jobs_behind_wakes_the_others(jobs: EmbeddedJobs, file: CountingFile) -> None:
    """The first worker may have read the byte that was sent with them."""
    jobs.send(Job("one", {}))
    jobs.send(Job("two", {}))
    assert [delivery.job.kind for delivery in jobs.receive(most=1)] == ["one"]
    with closing(WakeupPipe(file.path.with_name("sparks.db-main.wake"))) as wakeup, ThreadPoolExecutor() as pool:
        pool.submit(wakeup.wait, 60).result(timeout=30)
    assert [delivery.job.kind for delivery in jobs.receive(most=1)] == ["two"]


def test_a_receiver_that_waits_writes_nothing_and_seldom_reads(file: CountingFile) -> None:
    """Also while other workers have leased jobs, and after a wake-up for jobs that others took."""
    jobs = EmbeddedJobs(file, poll_interval=0.1)
    jobs.send(Job("leased", {}))
    jobs.send(Job("delayed", {}), delay=900)
    jobs.receive()
    with closing(WakeupPipe(file.path.with_name("sparks.db-main.wake"))) as wakeup:
        for _ in range(1000):
            wakeup.wake()
    commits, reads = file._commits.count, file.reads
    assert jobs.receive(wait=0.5) == []
    assert file._commits.count == commits
    assert file.reads - reads <= 7


def test_waking_does_not_block_where_no_worker_waits(tmp_path: Path) -> None:
    wakeup = WakeupPipe(tmp_path / "pipe")
    for _ in range(100_000):
        wakeup.wake()
    wakeup.drain()
    wakeup.close()
    wakeup.wake()


def test_all_waiting_threads_wake(tmp_path: Path) -> None:
    pipes = [WakeupPipe(tmp_path / "pipe") for _ in range(2)]
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(wakeup.wait, 60) for wakeup in pipes for _ in range(2)]
        pipes[0].wake()
        for listener in waiting:
            listener.result(timeout=30)
    for wakeup in pipes:
        wakeup.close()


def test_without_a_pipe_jobs_are_found_by_polling(file: CountingFile, caplog: pytest.LogCaptureFixture) -> None:
    file.path.with_name("sparks.db-main.wake").write_text("not a pipe")
    with caplog.at_level(logging.WARNING):
        jobs = EmbeddedJobs(file, poll_interval=0.05)
    assert "is not a pipe" in caplog.text
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(jobs.receive)
        jobs.send(Job("one", {}))
        assert len(waiting.result()) == 1
    jobs.close()


def test_a_pipe_that_cannot_be_created_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        WakeupPipe(tmp_path / "missing" / "pipe").close()
    assert "No such file" in caplog.text


def test_a_closed_pipe_releases_its_descriptor(tmp_path: Path) -> None:
    for _ in range(3):
        wakeup = WakeupPipe(tmp_path / "pipe")
        assert open_ends(tmp_path / "pipe") == 1
        wakeup.close()
        wakeup.wait(60)
    assert open_ends(tmp_path / "pipe") == 0


def test_a_pipe_that_is_closed_while_threads_wait_releases_its_descriptor(tmp_path: Path) -> None:
    wakeup = WakeupPipe(tmp_path / "pipe")
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(wakeup.wait, 60) for _ in range(3)]
        wait_until(lambda: wakeup._waiters == 3, what="three waiting threads")
        wakeup.close()
        for listener in waiting:
            listener.result(timeout=30)
    assert open_ends(tmp_path / "pipe") == 0
