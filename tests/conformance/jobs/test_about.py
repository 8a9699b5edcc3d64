"""Jobs that are about something that is gone."""

import pytest

from sparks.jobs.port import Counts, Job, Jobs
from tests.conformance.jobs.engines import Queue

ABOUT = "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a"
OTHER = "0198653a-6ebd-7f4e-8000-000000000000"


def send(jobs: Jobs, kind: str, text: str = ABOUT, *, group: str | None = None, delay: float = 0) -> None:
    jobs.send(Job(kind, {"image_id": text, "owner": "ann@example.com"}), group=group, delay=delay)


def kill(queue: Queue, kind: str, text: str = ABOUT, *, group: str | None = None) -> None:
    send(queue.jobs, kind, text, group=group)
    queue.fail(kind, reason="it does not work")


def test_dead_letters_about_it_are_dropped_and_no_others(queue: Queue) -> None:
    kill(queue, "a")
    kill(queue, "b", OTHER)
    kill(queue, "c", group="g")
    assert queue.jobs.drop_about(ABOUT) == 2
    assert [dead.job.kind for dead in queue.jobs.dead()] == ["b"]
    assert queue.jobs.drop_about(ABOUT) == 0
    assert queue.receive() == []


def test_nothing_about_it_is_nothing_to_drop(queue: Queue) -> None:
    assert queue.jobs.drop_about(ABOUT) == 0
    send(queue.jobs, "other", OTHER)
    assert queue.jobs.drop_about(ABOUT) == 0
    assert queue.kinds() == ["other"]


def test_jobs_that_wait_now_or_for_later_are_dropped(exact_queue: Queue) -> None:
    send(exact_queue.jobs, "now")
    send(exact_queue.jobs, "later", delay=60)
    send(exact_queue.jobs, "other", OTHER)
    assert exact_queue.jobs.drop_about(ABOUT) == 2
    exact_queue.let_pass(60)
    assert exact_queue.kinds() == ["other"]


def test_a_job_that_is_dropped_while_it_runs_is_over_for_who_runs_it(exact_queue: Queue) -> None:
    send(exact_queue.jobs, "leased")
    delivery = exact_queue.receive_one()
    assert exact_queue.another().drop_about(ABOUT) == 1
    assert not exact_queue.jobs.extend(delivery, lease=60)
    exact_queue.jobs.retry_later(delivery, delay=0, reason="too late")
    exact_queue.jobs.done(delivery)
    assert exact_queue.jobs.counts() == Counts(0, 0, 0, 0)


def test_one_that_was_tried_for_the_last_time_never_gets_to_the_dead_letters(exact_queue: Queue) -> None:
    send(exact_queue.jobs, "doomed")
    exact_queue.fail("doomed", times=4)
    exact_queue.receive_one(lease=10)
    assert exact_queue.jobs.drop_about(ABOUT) == 1
    exact_queue.let_pass(10)
    assert exact_queue.jobs.dead() == []


@pytest.mark.parametrize("leased", [False, True])
def test_a_group_goes_on_without_them(exact_queue: Queue, *, leased: bool) -> None:
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
def test_the_text_is_found_by_itself_wherever_it_stands(
    exact_queue: Queue, body: dict[str, object], about: bool
) -> None:
    exact_queue.jobs.send(Job("one", body))
    assert exact_queue.jobs.drop_about(ABOUT) == about
    assert exact_queue.kinds() == ([] if about else ["one"])


@pytest.mark.parametrize("text", ["ann@example.com", "é😀\x00", '"\\', "\udcff"], ids=ascii)
def test_the_text_may_be_anything(exact_queue: Queue, text: str) -> None:
    exact_queue.jobs.send(Job("one", {"who": text}))
    exact_queue.jobs.send(Job("longer", {"who": f"jo{text}"}))
    assert exact_queue.jobs.drop_about(text) == 1
    assert exact_queue.kinds() == ["longer"]
