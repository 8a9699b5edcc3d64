"""Deletion of jobs whose body holds a text."""

import pytest

from sparks.jobs.port import Job, Jobs, QueueCounts
from tests.conformance.jobs.engines import Queue

ABOUT = "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a"
OTHER = "0198653a-6ebd-7f4e-8000-000000000000"


def send(jobs: Jobs, kind: str, text: str = ABOUT, *, group: str | None = None, delay: float = 0) -> None:
    jobs.send(Job(kind, {"image_id": text, "owner": "ann@example.com"}), group=group, delay=delay)


def kill(queue: Queue, kind: str, text: str = ABOUT, *, group: str | None = None) -> None:
    send(queue.jobs, kind, text, group=group)
    queue.fail(kind, reason="it does not work")


def test_drop_about_deletes_dead_letters_with_the_text_and_no_others(queue: Queue) -> None:
    kill(queue, "a")
    kill(queue, "b", OTHER)
    kill(queue, "c", group="g")
    assert queue.jobs.drop_about(ABOUT) == 2
    assert [dead.job.kind for dead in queue.jobs.dead()] == ["b"]
    assert queue.jobs.drop_about(ABOUT) == 0
    assert queue.receive() == []


def test_drop_about_finds_nothing_where_no_job_has_the_text(queue: Queue) -> None:
    assert queue.jobs.drop_about(ABOUT) == 0
    send(queue.jobs, "other", OTHER)
    assert queue.jobs.drop_about(ABOUT) == 0
    assert queue.kinds() == ["other"]


def test_drop_about_deletes_waiting_and_delayed_jobs(exact_queue: Queue) -> None:
    send(exact_queue.jobs, "now")
    send(exact_queue.jobs, "later", delay=60)
    send(exact_queue.jobs, "other", OTHER)
    assert exact_queue.jobs.drop_about(ABOUT) == 2
    exact_queue.let_pass(60)
    assert exact_queue.kinds() == ["other"]


def test_finishing_a_job_that_was_dropped_while_it_ran_does_nothing(exact_queue: Queue) -> None:
    send(exact_queue.jobs, "leased")
    delivery = exact_queue.receive_one()
    assert exact_queue.another().drop_about(ABOUT) == 1
    assert not exact_queue.jobs.extend(delivery, lease=60)
    exact_queue.jobs.retry_later(delivery, delay=0, reason="too late")
    exact_queue.jobs.done(delivery)
    assert exact_queue.jobs.counts() == QueueCounts(0, 0, 0, 0)


def test_a_job_dropped_during_its_last_try_becomes_no_dead_letter(exact_queue: Queue) -> None:
    send(exact_queue.jobs, "doomed")
    exact_queue.fail("doomed", times=4)
    exact_queue.receive_one(lease=10)
    assert exact_queue.jobs.drop_about(ABOUT) == 1
    exact_queue.let_pass(10)
    assert exact_queue.jobs.dead() == []


@pytest.mark.parametrize("leased", [False, True])
def test_a_group_continues_without_its_dropped_jobs(exact_queue: Queue, *, leased: bool) -> None:
    for kind, text in (("a", ABOUT), ("b", ABOUT), ("c", OTHER), ("d", ABOUT)):
        send(exact_queue.jobs, kind, text, group="g")
    if leased:
        exact_queue.receive_one()
    assert exact_queue.jobs.drop_about(ABOUT) == 3
    assert exact_queue.kinds() == ["c"]


@pytest.mark.parametrize(
    ("body", "about"),
    [
        ({"event": {"ids": [OTHER, [ABOUT]]}}, True),
        ({ABOUT: 1}, True),
        ({"address": f"/api/photos/{ABOUT}"}, False),
        ({"words": f'he said "{ABOUT}"'}, False),
        ({"words": f'"{ABOUT}'}, False),
        ({"number": 5}, False),
    ],
    ids=str,
)
def test_drop_about_matches_whole_values_and_keys_at_any_depth(
    exact_queue: Queue, body: dict[str, object], about: bool
) -> None:
    exact_queue.jobs.send(Job("one", body))
    assert exact_queue.jobs.drop_about(ABOUT) == about
    assert exact_queue.kinds() == ([] if about else ["one"])


@pytest.mark.parametrize("text", ["ann@example.com", "é😀\x00", '"\\', "\udcff"], ids=ascii)
def test_drop_about_takes_any_text(exact_queue: Queue, text: str) -> None:
    exact_queue.jobs.send(Job("one", {"who": text}))
    exact_queue.jobs.send(Job("longer", {"who": f"jo{text}"}))
    assert exact_queue.jobs.drop_about(text) == 1
    assert exact_queue.kinds() == ["longer"]
