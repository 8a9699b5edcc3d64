"""Waking workers without polling. Where they look by themselves only once a minute, whoever wakes was woken."""

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sparks.jobs.bell import Bell
from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.port import Job
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
    with closing(EmbeddedJobs(file, look_every=60)) as jobs:
        yield jobs


def open_ends(pipe: Path) -> int:
    """How many times this process has it open."""
    return sum(descriptor.resolve() == pipe for descriptor in Path("/proc/self/fd").iterdir())


def woken_by(act: Callable[[], object], jobs: EmbeddedJobs, file: CountingFile) -> list[str]:
    """The kinds that a receiver gets who had found nothing before the act, and would look again after 20 seconds."""
    before = file.reads
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(jobs.receive)
        wait_until(lambda: file.reads > before, what="a receiver that has looked")
        act()
        return [delivery.job.kind for delivery in waiting.result(timeout=15)]


def test_sending_wakes_a_receiver(jobs: EmbeddedJobs, file: CountingFile) -> None:
    assert woken_by(lambda: jobs.send(Job("one", {})), jobs, file) == ["one"]


def test_a_short_delay_is_heard_of(jobs: EmbeddedJobs, file: CountingFile) -> None:
    jobs.send(Job("long", {}), delay=900)
    assert woken_by(lambda: jobs.send(Job("short", {}), delay=0.1), jobs, file) == ["short"]


def test_finishing_a_job_wakes_a_receiver_for_the_next_of_its_group(jobs: EmbeddedJobs, file: CountingFile) -> None:
    for kind in ("first", "second"):
        jobs.send(Job(kind, {}), group="g")
    [first] = jobs.receive()
    assert woken_by(lambda: jobs.done(first), jobs, file) == ["second"]


def test_giving_back_wakes_a_receiver(jobs: EmbeddedJobs, file: CountingFile) -> None:
    jobs.send(Job("one", {}))
    [delivery] = jobs.receive()
    assert woken_by(lambda: jobs.retry_later(delivery, delay=0), jobs, file) == ["one"]


def test_sending_a_dead_letter_again_wakes_a_receiver(jobs: EmbeddedJobs, file: CountingFile) -> None:
    jobs.send(Job("poison", {}))
    for _ in range(5):
        jobs.retry_later(jobs.receive()[0], delay=0)
    [dead] = jobs.dead()
    assert woken_by(lambda: jobs.retry_dead([dead.job_id]), jobs, file) == ["poison"]


def test_whoever_leaves_jobs_behind_wakes_the_others(jobs: EmbeddedJobs, file: CountingFile) -> None:
    """The byte that came with them may have been read by the first."""
    jobs.send(Job("one", {}))
    jobs.send(Job("two", {}))
    assert [delivery.job.kind for delivery in jobs.receive(most=1)] == ["one"]
    with closing(Bell(file.path.with_name("sparks.db-main.wake"))) as bell, ThreadPoolExecutor() as pool:
        pool.submit(bell.listen, 60).result(timeout=30)
    assert [delivery.job.kind for delivery in jobs.receive(most=1)] == ["two"]


def test_a_receiver_that_waits_writes_nothing_and_seldom_reads(file: CountingFile) -> None:
    """Also when others hold jobs, and when the bell has rung for what others took."""
    jobs = EmbeddedJobs(file, look_every=0.1)
    jobs.send(Job("leased", {}))
    jobs.send(Job("delayed", {}), delay=900)
    jobs.receive()
    with closing(Bell(file.path.with_name("sparks.db-main.wake"))) as bell:
        for _ in range(1000):
            bell.ring()
    commits, reads = file.commits, file.reads
    assert jobs.receive(wait=0.5) == []
    assert file.commits == commits
    assert file.reads - reads <= 7


def test_a_bell_that_nobody_hears_does_not_block(tmp_path: Path) -> None:
    bell = Bell(tmp_path / "bell")
    for _ in range(100_000):
        bell.ring()
    bell.hush()
    bell.close()
    bell.ring()


def test_all_who_listen_wake(tmp_path: Path) -> None:
    bells = [Bell(tmp_path / "bell") for _ in range(2)]
    with ThreadPoolExecutor() as pool:
        listening = [pool.submit(bell.listen, 60) for bell in bells for _ in range(2)]
        bells[0].ring()
        for listener in listening:
            listener.result(timeout=30)
    for bell in bells:
        bell.close()


def test_without_a_pipe_jobs_are_found_all_the_same(file: CountingFile, caplog: pytest.LogCaptureFixture) -> None:
    file.path.with_name("sparks.db-main.wake").write_text("not a pipe")
    with caplog.at_level(logging.WARNING):
        jobs = EmbeddedJobs(file, look_every=0.05)
    assert "is not a pipe" in caplog.text
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(jobs.receive)
        jobs.send(Job("one", {}))
        assert len(waiting.result()) == 1
    jobs.close()


def test_a_pipe_that_cannot_be_made_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        Bell(tmp_path / "missing" / "bell").close()
    assert "No such file" in caplog.text


def test_a_closed_bell_gives_its_file_back(tmp_path: Path) -> None:
    for _ in range(3):
        bell = Bell(tmp_path / "bell")
        assert open_ends(tmp_path / "bell") == 1
        bell.close()
        bell.listen(60)
    assert open_ends(tmp_path / "bell") == 0


def test_a_bell_that_is_closed_while_someone_listens_gives_its_file_back(tmp_path: Path) -> None:
    bell = Bell(tmp_path / "bell")
    with ThreadPoolExecutor() as pool:
        listening = [pool.submit(bell.listen, 60) for _ in range(3)]
        wait_until(lambda: bell._listeners == 3, what="three who listen")
        bell.close()
        for listener in listening:
            listener.result(timeout=30)
    assert open_ends(tmp_path / "bell") == 0
