"""Dead letters: jobs after their fifth try."""

from datetime import datetime

import pytest

from sparks.jobs.port import MAX_TRIES, DeadJob, Job, QueueCounts
from tests.conformance.jobs.engines import Queue


def dead_kinds(queue: Queue) -> list[str]:
    return sorted(dead.job.kind for dead in queue.jobs.dead())


def kill(queue: Queue, *kinds: str, group: str | None = None) -> list[str]:
    """Makes dead letters of these kinds, one after the other; returns their ids."""
    known = {dead.job_id for dead in queue.jobs.dead()}
    for kind in kinds:
        queue.send(kind, group=group)
        queue.fail(kind)
    return [dead.job_id for dead in queue.jobs.dead() if dead.job_id not in known]


def test_a_poison_job_ends_in_the_dead_letters_while_the_others_go_on(queue: Queue) -> None:
    queue.send("a", "poison", "b")
    queue.fail("poison", reason="it does not work")
    queue.send("c")
    assert queue.kinds() == ["c"]
    [dead] = queue.jobs.dead()
    assert (dead.job.kind, dead.tries, dead.reason) == ("poison", MAX_TRIES, "it does not work")


def test_a_dead_letter_has_all_details_of_its_job(queue: Queue) -> None:
    queue.jobs.send(Job("poison", {"image": "é😀\x00"}))
    sent: list[tuple[str, datetime]] = []
    for _ in range(MAX_TRIES):
        delivery = queue.receive_one()
        sent.append((delivery.job_id, delivery.sent))
        queue.jobs.retry_later(delivery, delay=0, reason=f"try {delivery.tries}")
    assert len(set(sent)) == 1
    [(job_id, when)] = set(sent)
    assert queue.jobs.dead() == [DeadJob(Job("poison", {"image": "é😀\x00"}), job_id, when, MAX_TRIES, "try 5")]


def test_a_job_is_not_dead_before_its_fifth_try(queue: Queue) -> None:
    queue.send("poison")
    queue.fail("poison", times=4)
    assert queue.jobs.dead() == []
    assert queue.receive_one().tries == 5
    assert queue.jobs.dead() == []


@pytest.mark.parametrize("group", [None, "g"])
def test_a_job_dies_when_its_fifth_lease_ends(queue: Queue, group: str | None) -> None:
    queue.send("poison", group=group)
    queue.fail("poison", times=4, reason="an earlier one")
    job_id = queue.receive_one(lease=1).job_id
    queue.let_pass(1)
    assert queue.receive() == []
    [dead] = queue.jobs.dead()
    assert (dead.job_id, dead.job.kind, dead.tries, dead.reason) == (job_id, "poison", MAX_TRIES, None)


def test_a_job_is_dead_as_soon_as_its_fifth_lease_has_ended(exact_queue: Queue) -> None:
    exact_queue.send("poison")
    exact_queue.fail("poison", times=4)
    delivery = exact_queue.receive_one(lease=10)
    exact_queue.let_pass(10)
    assert exact_queue.jobs.counts() == QueueCounts(0, 0, 0, dead=1)
    assert not exact_queue.jobs.extend(delivery, lease=60)
    exact_queue.jobs.retry_later(delivery, delay=0, reason="too late")
    assert [dead.reason for dead in exact_queue.jobs.dead()] == [None]


def test_the_fifth_lease_can_be_extended_and_finished(queue: Queue) -> None:
    queue.send("slow")
    queue.fail("slow", times=4)
    delivery = queue.receive_one(lease=1)
    assert queue.jobs.extend(delivery, lease=60)
    queue.let_pass(1)
    assert queue.receive() == []
    queue.jobs.done(delivery)
    assert queue.jobs.counts() == QueueCounts(0, 0, 0, 0)


def test_a_dead_letter_sent_again_has_all_tries_left(queue: Queue) -> None:
    [job_id] = kill(queue, "poison")
    assert queue.jobs.retry_dead([job_id]) == 1
    assert queue.jobs.dead() == []
    delivery = queue.receive_one()
    assert (delivery.job_id, delivery.job.kind, delivery.tries) == (job_id, "poison", 1)
    queue.jobs.done(delivery)
    assert queue.jobs.counts() == QueueCounts(0, 0, 0, 0)


@pytest.mark.parametrize("group", [None, "g"])
def test_a_job_may_die_again(queue: Queue, group: str | None) -> None:
    [job_id] = kill(queue, "poison", group=group)
    for _ in range(2):
        assert queue.jobs.retry_dead([job_id]) == 1
        queue.fail("poison", reason="again")
        assert [(dead.job_id, dead.reason) for dead in queue.jobs.dead()] == [(job_id, "again")]


def test_only_the_dead_letters_that_are_named_are_sent_again(queue: Queue) -> None:
    kill(queue, "a", "b", "c", "d")
    ids = {dead.job.kind: dead.job_id for dead in queue.jobs.dead()}
    assert queue.jobs.retry_dead([ids["a"], ids["c"], ids["c"], "unknown"]) == 2
    assert queue.kinds() == ["a", "c"]
    assert dead_kinds(queue) == ["b", "d"]


def test_dropped_dead_letters_are_gone(queue: Queue) -> None:
    kill(queue, "a", "b")
    kill(queue, "c", group="g")
    ids = {dead.job.kind: dead.job_id for dead in queue.jobs.dead()}
    assert queue.jobs.drop_dead([ids["a"], ids["c"], "unknown"]) == 2
    assert dead_kinds(queue) == ["b"]
    assert queue.jobs.drop_dead([ids["a"]]) == 0
    assert queue.receive() == []


def test_nothing_is_found_among_no_dead_letters(queue: Queue) -> None:
    assert queue.jobs.dead() == []
    assert queue.jobs.retry_dead(["unknown"]) == 0
    assert queue.jobs.drop_dead(["unknown"]) == 0
    assert queue.jobs.retry_dead([]) == 0
    assert queue.jobs.drop_dead([]) == 0


def test_a_living_job_is_no_dead_letter(queue: Queue) -> None:
    queue.send("one")
    delivery = queue.receive_one()
    assert queue.jobs.retry_dead([delivery.job_id]) == 0
    assert queue.jobs.drop_dead([delivery.job_id]) == 0
    assert queue.jobs.extend(delivery, lease=60)


def test_looking_at_dead_letters_changes_nothing(queue: Queue) -> None:
    kill(queue, "a", "b")
    assert dead_kinds(queue) == dead_kinds(queue) == ["a", "b"]


def test_no_more_dead_letters_than_asked_for_are_listed(queue: Queue) -> None:
    queue.send(*["poison"] * 12)
    for _ in range(2):
        queue.fail("poison", times=MAX_TRIES)
    assert [len(queue.jobs.dead(most=most)) for most in (1, 11, 12, 100)] == [1, 11, 12, 12]


def test_dead_letters_are_listed_oldest_first(exact_queue: Queue) -> None:
    for kind in ("first", "second", "third"):
        kill(exact_queue, kind)
        exact_queue.let_pass(1)
    assert [dead.job.kind for dead in exact_queue.jobs.dead()] == ["first", "second", "third"]
    assert [dead.job.kind for dead in exact_queue.jobs.dead(most=2)] == ["first", "second"]


@pytest.mark.parametrize("reason", [None, "", "é😀\x00\ufffe", "\udcff of an odd file name", "long" * 1000], ids=ascii)
def test_a_reason_may_be_anything(queue: Queue, reason: str | None) -> None:
    queue.send("poison")
    queue.fail("poison", reason=reason)
    [dead] = queue.jobs.dead()
    assert dead.reason == (None if reason is None else reason[:1000].replace("\udcff", "?"))
