"""Jobs in the SQLite file: restarts, erasure, clocks and query plans."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sparks.jobs import embedded
from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.port import Job, QueueCounts
from sparks.model.errors import BadSetting
from sparks.sqlitefile import SqliteFile
from tests.conformance.jobs.engines import Clock
from tests.servers.process import wait_until


@pytest.fixture
def file(tmp_path: Path) -> Iterator[SqliteFile]:
    """A file that is opened for the second time: the first time, its log has something to erase."""
    with closing(SqliteFile(tmp_path / "sparks.db")) as new, closing(EmbeddedJobs(new)):
        pass
    with closing(SqliteFile(tmp_path / "sparks.db", erase_after=0.05)) as file:
        yield file


def traces(file: SqliteFile, *words: str) -> list[str]:
    """The texts that the files on the disk contain."""
    contents = [path.read_bytes() for path in file.path.parent.iterdir() if path.is_file()]
    return [word for word in words if any(word.encode() in content for content in contents)]


def test_jobs_outlive_the_process(tmp_path: Path) -> None:
    for kind in ("first", "second"):
        file = SqliteFile(tmp_path / "sparks.db")
        EmbeddedJobs(file).send(Job(kind, {}))
        file.close()
    file = SqliteFile(tmp_path / "sparks.db")
    assert [delivery.job.kind for delivery in EmbeddedJobs(file).receive(wait=0)] == ["first", "second"]
    file.close()


def test_queues_in_one_file_are_independent(file: SqliteFile) -> None:
    queues = [EmbeddedJobs(file, name) for name in ("main", "other")]
    for queue in queues:
        queue.send(Job("one", {}), group="g", deduplication="d")
        queue.send(Job("two", {}), group="g")
    for queue in queues:
        assert [delivery.job.kind for delivery in queue.receive(wait=0)] == ["one"]
        assert queue.counts() == QueueCounts(waiting=0, delayed=1, leased=1, dead=0)


@pytest.mark.parametrize("name", ["", "../main", "a b", "x" * 81])
def test_a_queue_needs_a_name_that_can_be_part_of_a_file_name(file: SqliteFile, name: str) -> None:
    with pytest.raises(BadSetting):
        EmbeddedJobs(file, name)


def test_a_finished_job_leaves_no_trace_on_the_disk(file: SqliteFile) -> None:
    jobs = EmbeddedJobs(file)
    jobs.send(Job("kind", {"image": "finished-image"}), group="some-group", deduplication="some-key")
    assert traces(file, "finished-image", "some-group", "some-key") == ["finished-image"]
    jobs.done(jobs.receive()[0])
    wait_until(lambda: traces(file, "finished-image") == [], what="the erasure")


def test_a_dropped_dead_letter_leaves_no_trace_on_the_disk(file: SqliteFile) -> None:
    jobs = EmbeddedJobs(file)
    jobs.send(Job("kind", {"image": "dropped-image"}))
    for _ in range(5):
        jobs.retry_later(jobs.receive()[0], delay=0, reason="some-reason")
    assert traces(file, "dropped-image", "some-reason") == ["dropped-image", "some-reason"]
    jobs.drop_dead([dead.job_id for dead in jobs.dead()])
    wait_until(lambda: traces(file, "dropped-image", "some-reason") == [], what="the erasure")


def test_deduplication_keys_do_not_pile_up(file: SqliteFile) -> None:
    clock = Clock()
    jobs = EmbeddedJobs(file, clock=clock)
    for number in range(10):
        jobs.send(Job("kind", {}), deduplication=str(number))
        clock.advance(100)
    assert file.read("SELECT count(*) FROM jobs_seen") == [(3,)]


def test_no_lease_is_stuck_when_the_clock_is_set_back(file: SqliteFile) -> None:
    clock = Clock()
    jobs = EmbeddedJobs(file, clock=clock)
    jobs.send(Job("one", {}), group="g")
    jobs.send(Job("two", {}), group="g")
    jobs.receive(wait=0)
    clock.advance(-24 * 3600)
    [delivery] = jobs.receive(wait=0)
    assert (delivery.job.kind, delivery.tries) == ("one", 2)
    jobs.done(delivery)
    assert [delivery.job.kind for delivery in jobs.receive(wait=0)] == ["two"]


def test_no_lease_is_stuck_when_the_clock_is_set_forward_and_back(file: SqliteFile) -> None:
    clock = Clock()
    jobs = EmbeddedJobs(file, clock=clock)
    clock.advance(24 * 3600)
    jobs.send(Job("one", {}))
    jobs.receive(wait=0)
    clock.advance(-24 * 3600)
    assert [delivery.tries for delivery in jobs.receive(wait=0)] == [2]


STATEMENTS = (
    "INSERT NEXT DUE LEASE RESET_CLOCK ANY_EXHAUSTED MARK_DEAD ADVANCE FINISH RETRY MARK_FAILED EXTEND TAKE_DEAD "
    "INSERT_KEY DELETE_OLD_KEYS"
)


@pytest.mark.parametrize("name", STATEMENTS.split())
def test_no_statement_scans_the_whole_backlog(file: SqliteFile, name: str) -> None:
    EmbeddedJobs(file).close()
    sql = re.sub(r"\?\d*", "1", getattr(embedded, name))
    plan = [str(row[3]) for row in file.read(f"EXPLAIN QUERY PLAN {sql}")]
    assert [step for step in plan if step.startswith("SCAN") and step != "SCAN CONSTANT ROW"] == []
