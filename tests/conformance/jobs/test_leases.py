"""Jobs that are not finished in time, or given back."""

from sparks.jobs.port import Job, QueueCounts
from tests.conformance.jobs.engines import Queue


def test_a_job_whose_lease_has_ended_goes_to_another_worker(queue: Queue) -> None:
    queue.jobs.send(Job("one", {"image": "x"}))
    first = queue.receive_one(lease=1)
    queue.let_pass(1)
    [second] = queue.another().receive(wait=0)
    assert (second.job, second.job_id, second.sent) == (first.job, first.job_id, first.sent)
    assert second.receipt != first.receipt
    assert (first.tries, second.tries) == (1, 2)


def test_a_lost_done_runs_the_job_again(queue: Queue) -> None:
    queue.send("one")
    queue.receive_one(lease=1)
    queue.let_pass(1)
    queue.jobs.done(queue.receive_one())
    assert queue.jobs.counts() == QueueCounts(0, 0, 0, 0)


def test_a_late_done_finishes_the_job_when_no_other_worker_has_it(exact_queue: Queue) -> None:
    exact_queue.send("one")
    delivery = exact_queue.receive_one(lease=1)
    exact_queue.let_pass(5)
    exact_queue.jobs.done(delivery)
    assert exact_queue.jobs.counts() == QueueCounts(0, 0, 0, 0)


def test_a_worker_whose_lease_ended_changes_nothing_for_the_next_one(queue: Queue) -> None:
    queue.send("one")
    late = queue.receive_one(lease=1)
    queue.let_pass(1)
    now = queue.receive_one()
    queue.jobs.done(late)
    queue.jobs.retry_later(late, delay=0)
    assert not queue.jobs.extend(late, lease=1)
    assert queue.receive() == []
    assert queue.jobs.extend(now, lease=60)


def test_a_late_retry_or_extension_does_nothing_even_when_no_worker_has_the_job(exact_queue: Queue) -> None:
    exact_queue.send("one")
    delivery = exact_queue.receive_one(lease=10)
    exact_queue.let_pass(10)
    assert not exact_queue.jobs.extend(delivery, lease=60)
    exact_queue.jobs.retry_later(delivery, delay=60)
    assert exact_queue.receive_one().tries == 2


def test_an_extended_lease_keeps_the_job(queue: Queue) -> None:
    queue.send("one")
    delivery = queue.receive_one(lease=1)
    assert queue.jobs.extend(delivery, lease=60)
    queue.let_pass(1)
    assert queue.receive() == []
    queue.jobs.done(delivery)
    assert queue.jobs.counts() == QueueCounts(0, 0, 0, 0)


def test_an_extension_may_also_end_the_lease_sooner(queue: Queue) -> None:
    queue.send("one")
    assert queue.jobs.extend(queue.receive_one(lease=3600), lease=1)
    queue.let_pass(1)
    assert queue.receive_one().tries == 2


def test_a_finished_job_cannot_be_extended(queue: Queue) -> None:
    queue.send("one")
    delivery = queue.receive_one()
    queue.jobs.done(delivery)
    assert not queue.jobs.extend(delivery, lease=60)


def test_a_retried_job_is_delivered_after_its_delay(queue: Queue) -> None:
    queue.send("one")
    queue.jobs.retry_later(queue.receive_one(), delay=1)
    assert queue.receive() == []
    queue.let_pass(1)
    assert queue.receive_one().tries == 2


def test_a_job_retried_without_delay_is_delivered_at_once(queue: Queue) -> None:
    queue.send("one")
    for tries in (1, 2, 3):
        delivery = queue.receive_one()
        assert delivery.tries == tries
        queue.jobs.retry_later(delivery, delay=0)


def test_a_lease_and_a_delay_may_be_twelve_hours(exact_queue: Queue) -> None:
    exact_queue.send("one")
    delivery = exact_queue.receive_one(lease=43200)
    exact_queue.let_pass(43199)
    exact_queue.jobs.retry_later(delivery, delay=43200)
    exact_queue.let_pass(43199)
    assert exact_queue.receive() == []
    exact_queue.let_pass(1)
    assert exact_queue.receive_one().tries == 2


def test_a_retried_job_does_not_hold_up_the_others(queue: Queue) -> None:
    queue.send("slow", "quick")
    for delivery in queue.receive():
        if delivery.job.kind == "slow":
            queue.jobs.retry_later(delivery, delay=3600)
        else:
            queue.jobs.done(delivery)
    queue.send("quick")
    assert queue.kinds() == ["quick"]
