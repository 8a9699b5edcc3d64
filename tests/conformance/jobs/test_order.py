"""Groups, which keep an order, and deduplication, which drops repeated jobs."""

import time
from concurrent.futures import ThreadPoolExecutor

from sparks.jobs.port import Delivery, Job, Jobs, QueueCounts
from tests.conformance.jobs.engines import Queue


def numbers(deliveries: list[Delivery]) -> list[int]:
    return [delivery.job.body["number"] for delivery in deliveries]


def send_numbers(jobs: Jobs, count: int, *, group: str) -> None:
    for number in range(count):
        jobs.send(Job("number", {"number": number}), group=group)


def test_jobs_of_a_group_come_one_at_a_time_in_the_order_they_were_sent(queue: Queue) -> None:
    send_numbers(queue.jobs, 5, group="g")
    for number in range(5):
        delivery = queue.receive_one()
        assert numbers([delivery]) == [number]
        assert queue.receive() == []
        queue.jobs.done(delivery)
    assert queue.jobs.counts() == QueueCounts(0, 0, 0, 0)


def test_a_batch_holds_one_job_of_each_group(queue: Queue) -> None:
    for group in "abc":
        send_numbers(queue.jobs, 3, group=group)
    for number in range(3):
        deliveries = queue.receive()
        assert numbers(deliveries) == [number] * 3
        for delivery in deliveries:
            queue.jobs.done(delivery)


def test_one_group_does_not_wait_for_another(queue: Queue) -> None:
    queue.send("a1", "a2", group="a")
    queue.send("b1", "b2", group="b")
    leased = {delivery.job.kind: delivery for delivery in queue.receive()}
    queue.jobs.done(leased["b1"])
    assert queue.kinds() == ["b2"]


def test_a_group_waits_while_its_first_job_waits_to_be_tried_again(queue: Queue) -> None:
    queue.send("first", "second", group="g")
    queue.jobs.retry_later(queue.receive_one(), delay=1)
    assert queue.receive() == []
    queue.let_pass(1)
    delivery = queue.receive_one()
    assert delivery.job.kind == "first"
    queue.jobs.done(delivery)
    assert queue.kinds() == ["second"]


def test_a_group_begins_again_with_its_first_job_when_a_lease_has_ended(queue: Queue) -> None:
    queue.send("first", "second", group="g")
    queue.receive_one(lease=1)
    queue.let_pass(1)
    delivery = queue.receive_one()
    assert (delivery.job.kind, delivery.tries) == ("first", 2)
    assert queue.receive() == []


def test_a_dead_job_frees_its_group(queue: Queue) -> None:
    queue.send("poison", "next", group="g")
    for _ in range(5):
        queue.jobs.retry_later(queue.receive_one(), delay=0)
    assert [dead.job.kind for dead in queue.jobs.dead()] == ["poison"]
    assert queue.kinds() == ["next"]


def test_a_job_whose_fifth_lease_has_ended_frees_its_group(queue: Queue) -> None:
    queue.send("poison", "next", group="g")
    for _ in range(4):
        queue.jobs.retry_later(queue.receive_one(), delay=0)
    assert queue.receive_one(lease=1).tries == 5
    assert queue.receive() == []
    queue.let_pass(1)
    assert queue.kinds() == ["next"]
    assert [dead.job.kind for dead in queue.jobs.dead()] == ["poison"]


def test_a_dead_job_sent_again_goes_to_the_end_of_its_group(queue: Queue) -> None:
    queue.send("poison", "second", "third", group="g")
    for _ in range(5):
        queue.jobs.retry_later(queue.receive_one(), delay=0)
    queue.jobs.retry_dead([dead.job_id for dead in queue.jobs.dead()])
    came = []
    for _ in range(3):
        delivery = queue.receive_one()
        came.append(delivery.job.kind)
        assert queue.receive() == []
        queue.jobs.done(delivery)
    assert came == ["second", "third", "poison"]


def test_all_dead_jobs_of_a_group_can_be_dropped(queue: Queue) -> None:
    """One by one, because an engine may show only the first few of a group."""
    for _ in range(12):
        queue.send("poison", group="g")
        queue.fail("poison")
    dropped = 0
    for _ in range(12):
        dropped += queue.jobs.drop_dead([dead.job_id for dead in queue.jobs.dead()])
    assert dropped == 12
    assert queue.jobs.counts() == QueueCounts(0, 0, 0, 0)


def test_a_group_that_ran_empty_goes_on_with_the_next_job(queue: Queue) -> None:
    for _ in range(3):
        queue.send("one", group="g")
        queue.jobs.done(queue.receive_one())
    assert queue.receive() == []


def test_a_receiver_that_waits_gets_the_next_of_a_group_when_the_first_is_done(queue: Queue) -> None:
    queue.send("first", "second", group="g")
    first = queue.receive_one()
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(queue.another().receive, wait=20)
        queue.jobs.done(first)
        assert [delivery.job.kind for delivery in waiting.result()] == ["second"]


def test_a_group_keeps_its_order_with_several_receivers(queue: Queue) -> None:
    """Each job is finished before any receiver gets the next of its group."""
    for group in "ab":
        send_numbers(queue.jobs, 10, group=group)
    finished: list[int] = []

    def work(jobs: Jobs) -> None:
        deadline = time.monotonic() + 60
        while len(finished) < 20 and time.monotonic() < deadline:
            for delivery in jobs.receive(most=2, wait=0.1):
                finished.extend(numbers([delivery]))
                jobs.done(delivery)

    with ThreadPoolExecutor() as pool:
        for worker in [pool.submit(work, queue.another()) for _ in range(4)]:
            worker.result()
    assert len(finished) == 20
    assert all(finished.index(number) < finished.index(number + 1) for number in range(9))
    assert sorted(finished) == sorted([*range(10)] * 2)


def test_a_job_with_a_known_deduplication_key_is_dropped(queue: Queue) -> None:
    for kind in ("first", "second"):
        queue.jobs.send(Job(kind, {}), deduplication="key")
    queue.jobs.send(Job("third", {}), deduplication="other key")
    assert queue.kinds() == ["first", "third"]


def test_a_repeated_job_is_dropped_also_when_the_first_is_done_or_of_another_group(queue: Queue) -> None:
    queue.jobs.send(Job("one", {}), deduplication="key", group="g")
    queue.jobs.done(queue.receive_one())
    queue.jobs.send(Job("one", {}), deduplication="key")
    queue.jobs.send(Job("one", {}), deduplication="key", group="h")
    assert queue.receive() == []


def test_jobs_with_deduplication_keys_do_not_wait_for_each_other(queue: Queue) -> None:
    for key in "abc":
        queue.jobs.send(Job(key, {}), deduplication=key)
    assert queue.kinds() == ["a", "b", "c"]


def test_a_deduplication_key_is_known_for_five_minutes_from_the_first(exact_queue: Queue) -> None:
    def send(kind: str) -> None:
        exact_queue.jobs.send(Job(kind, {}), deduplication="key")

    send("first")
    exact_queue.let_pass(299)
    send("dropped")
    exact_queue.let_pass(1)
    send("second")
    send("dropped")
    assert exact_queue.kinds() == ["first", "second"]


def test_a_dead_job_with_a_deduplication_key_can_be_sent_again(queue: Queue) -> None:
    queue.jobs.send(Job("poison", {}), deduplication="key")
    queue.fail("poison")
    assert queue.jobs.retry_dead([dead.job_id for dead in queue.jobs.dead()]) == 1
    assert queue.kinds() == ["poison"]
