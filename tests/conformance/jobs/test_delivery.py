"""Sending, receiving and finishing."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Delivery, Job, Jobs, QueueCounts
from sparks.sqlitefile import SqliteFile
from tests.conformance.jobs.engines import Queue, sqs_queue


def test_nothing_is_received_from_an_empty_queue(queue: Queue) -> None:
    assert queue.receive() == []


def test_a_job_is_received_once_and_gone_when_done(queue: Queue) -> None:
    queue.send("one")
    delivery = queue.receive_one()
    assert queue.receive() == []
    queue.jobs.done(delivery)
    assert queue.jobs.counts() == QueueCounts(0, 0, 0, 0)


def test_a_delivery_tells_the_job_its_try_and_when_it_was_sent(queue: Queue) -> None:
    queue.jobs.send(Job("one", {"image": "x"}))
    delivery = queue.receive_one()
    assert delivery.job == Job("one", {"image": "x"})
    assert delivery.tries == 1
    assert delivery.sent.tzinfo is UTC


def test_done_may_be_called_twice(queue: Queue) -> None:
    queue.send("one")
    delivery = queue.receive_one()
    queue.jobs.done(delivery)
    queue.jobs.done(delivery)
    assert queue.jobs.counts() == QueueCounts(0, 0, 0, 0)


def test_no_more_jobs_than_asked_for_are_received(queue: Queue) -> None:
    queue.send(*"abcdefghijkl")
    assert [len(queue.receive(most)) for most in (3, 10, 10)] == [3, 9, 0]


def test_jobs_with_and_without_groups_come_in_one_batch(queue: Queue) -> None:
    queue.send("a", "b")
    queue.send("c", group="g")
    queue.send("d", group="h")
    assert queue.kinds() == ["a", "b", "c", "d"]


def test_a_batch_of_one_takes_turns_between_jobs_with_and_without_groups(queue: Queue) -> None:
    queue.send("plain", "plain")
    queue.send("ordered", group="g")
    queue.send("ordered", group="h")
    first_three = {queue.receive_one().job.kind for _ in range(3)}
    assert first_three == {"plain", "ordered"}


def test_every_job_and_every_receipt_has_a_name_of_its_own(queue: Queue) -> None:
    queue.send("a", "b", "c")
    deliveries = queue.receive()
    assert len({delivery.job_id for delivery in deliveries}) == 3
    assert len({delivery.receipt for delivery in deliveries}) == 3


def test_another_worker_sees_the_same_queue(queue: Queue) -> None:
    queue.send("one")
    other = queue.another()
    [delivery] = other.receive(wait=0)
    queue.jobs.done(delivery)
    assert other.counts() == QueueCounts(0, 0, 0, 0)


def test_a_delayed_job_waits(exact_queue: Queue) -> None:
    exact_queue.jobs.send(Job("later", {}), delay=900)
    exact_queue.send("now")
    exact_queue.jobs.done(exact_queue.receive_one())
    exact_queue.let_pass(899)
    assert exact_queue.receive() == []
    exact_queue.let_pass(1)
    assert exact_queue.receive_one().job.kind == "later"


def test_jobs_come_oldest_first(exact_queue: Queue) -> None:
    for kind, delay in (("third", 3), ("first", 1), ("second", 2)):
        exact_queue.jobs.send(Job(kind, {}), delay=delay)
    exact_queue.let_pass(3)
    assert [exact_queue.receive_one().job.kind for _ in range(3)] == ["first", "second", "third"]


def test_sent_is_the_time_of_sending(exact_queue: Queue) -> None:
    exact_queue.jobs.send(Job("later", {}), delay=100)
    exact_queue.let_pass(100)
    assert exact_queue.receive_one().sent == datetime.fromtimestamp(1_800_000_000, UTC)


def test_sent_is_now_on_a_server(tmp_path: Path) -> None:
    with ExitStack() as stack:
        queue = sqs_queue(tmp_path, stack)
        queue.send("one")
        assert abs(queue.receive_one().sent - datetime.now(UTC)) < timedelta(minutes=1)


def test_a_receiver_that_waits_gets_the_job_that_comes(queue: Queue) -> None:
    for group in (None, "g"):
        with ThreadPoolExecutor() as pool:
            waiting = pool.submit(queue.another().receive, wait=20)
            queue.send("one", group=group)
            [delivery] = waiting.result()
        assert delivery.job.kind == "one"


def test_several_receivers_that_wait_share_what_comes(queue: Queue) -> None:
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(queue.another().receive, most=1, wait=20) for _ in range(3)]
        queue.send("a", "b", "c")
        received = [delivery.job.kind for receiver in waiting for delivery in receiver.result()]
    assert sorted(received) == ["a", "b", "c"]


@pytest.mark.parametrize("wait", [0.3, 1.2])
def test_a_receiver_waits_as_long_as_it_said(queue: Queue, wait: float) -> None:
    began = time.monotonic()
    assert queue.jobs.receive(wait=wait) == []
    assert time.monotonic() - began >= wait


def live(engine: str, folder: Path, stack: ExitStack) -> Jobs:
    """A queue with the real clock."""
    if engine == "memory":
        return MemoryJobs()
    if engine == "sqs":
        return sqs_queue(folder, stack).jobs
    file = SqliteFile(folder / "sparks.db")
    stack.callback(file.close)
    return EmbeddedJobs(file, poll_interval=60)


@pytest.mark.parametrize("engine", ["memory", "embedded", "sqs"])
def test_a_receiver_that_waits_gets_a_job_when_its_delay_is_over(engine: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        jobs = live(engine, tmp_path, stack)
        jobs.send(Job("soon", {}), delay=0.2)
        assert jobs.receive(wait=0) == []
        [delivery] = jobs.receive(wait=20)
        assert delivery.job.kind == "soon"
        jobs.close()


def test_closing_ends_a_receiver_that_waits(queue: Queue) -> None:
    jobs = queue.another()
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(jobs.receive, wait=20)
        jobs.close()
        assert waiting.result(timeout=10) == []


def test_close_may_be_called_twice(queue: Queue) -> None:
    jobs = queue.another()
    jobs.close()
    jobs.close()


def test_a_queue_that_can_be_reached_passes_the_check(queue: Queue) -> None:
    queue.jobs.check()


def test_the_counts_distinguish_the_states(queue: Queue) -> None:
    queue.send("dead")
    queue.fail("dead")
    queue.send(*"abcdef")
    queue.jobs.send(Job("delayed", {}), delay=900)
    queue.receive(2)
    assert queue.jobs.counts() == QueueCounts(waiting=4, delayed=1, leased=2, dead=1)


def test_the_counts_follow_the_clock(exact_queue: Queue) -> None:
    exact_queue.send("leased")
    exact_queue.receive(lease=10)
    exact_queue.jobs.send(Job("delayed", {}), delay=10)
    exact_queue.send("first", "second", group="g")
    assert exact_queue.jobs.counts() == QueueCounts(waiting=1, delayed=2, leased=1, dead=0)
    exact_queue.let_pass(10)
    assert exact_queue.jobs.counts() == QueueCounts(waiting=3, delayed=1, leased=0, dead=0)


def test_a_job_that_waits_for_a_retry_counts_as_delayed(exact_queue: Queue) -> None:
    exact_queue.send("one")
    exact_queue.jobs.retry_later(exact_queue.receive_one(), delay=5)
    assert exact_queue.jobs.counts() == QueueCounts(waiting=0, delayed=1, leased=0, dead=0)


def test_many_senders_and_receivers_lose_nothing(queue: Queue) -> None:
    """20 threads send, a third of the jobs with a group and a third with a deduplication key, while 5 receive."""
    sent = {f"{sender}-{number}" for sender in range(20) for number in range(6)}
    received: list[str] = []
    everything = threading.Event()

    def send_all(sender: int) -> None:
        for number in range(6):
            name = f"{sender}-{number}"
            group = str(sender) if number % 3 == 1 else None
            deduplication = name if number % 3 == 2 else None
            queue.jobs.send(Job("kind", {"name": name}), group=group, deduplication=deduplication)

    def receive_all(jobs: Jobs) -> None:
        while not everything.is_set():
            for delivery in jobs.receive(wait=0.1):
                finish(jobs, delivery)

    def finish(jobs: Jobs, delivery: Delivery) -> None:
        received.append(delivery.job.body["name"])
        jobs.done(delivery)
        if sent <= set(received):
            everything.set()

    with ThreadPoolExecutor(25) as pool:
        receivers = [pool.submit(receive_all, queue.another()) for _ in range(5)]
        senders = [pool.submit(send_all, sender) for sender in range(20)]
        everything.wait(60)
        everything.set()
    for thread in senders + receivers:
        thread.result()
    assert sorted(received) == sorted(sent)
    assert queue.jobs.counts() == QueueCounts(0, 0, 0, 0)
