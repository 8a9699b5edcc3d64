"""Messages of SQS that are buried halfway, that others sent, or that are kept for long."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sparks.jobs.port import MOST_LEASE, Counts, Job
from sparks.jobs.sqs import SqsJobs
from sparks.jobs.sqs.messages import FOREIGN, Receipt
from sparks.jobs.sqs.queues import find_lanes
from sparks.model.errors import Busy
from tests.conformance.jobs.engines import Queue, sqs_queue
from tests.conformance.jobs.refusals import refusing

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    with ExitStack() as stack:
        yield sqs_queue(tmp_path, stack)


def test_whoever_comes_late_for_the_fifth_time_buries_nothing(queue: Queue) -> None:
    queue.send("poison")
    queue.fail("poison", times=4)
    late = queue.receive_one(lease=1)
    queue.let_pass(1)
    assert queue.receive() == []
    queue.jobs.retry_later(late, delay=0, reason="too late")
    assert [dead.reason for dead in queue.jobs.dead()] == [None]
    assert queue.jobs.counts() == Counts(0, 0, 0, dead=1)


@pytest.mark.parametrize("group", [None, "g"])
def test_a_job_buried_by_a_worker_that_ended_meanwhile_is_dead_once(
    client: "SQSClient", sqs_jobs: SqsJobs, group: str | None
) -> None:
    """It was put to the dead letters and not yet taken from the queue, and so SQS buries it too."""
    sqs_jobs.send(Job("poison", {}), group=group)
    for _ in range(4):
        sqs_jobs.retry_later(sqs_jobs.receive(wait=0)[0], delay=0)
    [delivery] = sqs_jobs.receive(wait=0)
    with refusing(client, "DeleteMessage", "InternalFailure", status=500), pytest.raises(Busy):
        sqs_jobs.retry_later(delivery, delay=0, reason="why")
    sqs_jobs.extend(delivery, lease=1)
    assert sqs_jobs.receive(wait=1.5) == []
    assert sqs_jobs.counts().dead == 2
    assert [dead.job_id for dead in sqs_jobs.dead()] == [delivery.job_id]
    assert sqs_jobs.retry_dead([delivery.job_id]) == 1
    assert sqs_jobs.counts() == Counts(waiting=1, delayed=0, leased=0, dead=0)


@pytest.mark.parametrize(
    "text", ["no JSON", "[1]", '"x"', "[" * 5000, '{"kind": 1, "body": {}}', '{"kind": "a", "body": []}']
)
def test_a_message_that_is_no_job_is_one_of_a_kind_that_nobody_knows(
    client: "SQSClient", sqs_jobs: SqsJobs, prefix: str, text: str
) -> None:
    lane, _ = find_lanes(client, prefix)
    client.send_message(QueueUrl=lane.url, MessageBody=text)
    sqs_jobs.send(Job("good", {}))
    for _ in range(5):
        for delivery in sqs_jobs.receive(wait=0):
            if delivery.job.kind == FOREIGN:
                assert delivery.job.body == {"message": text}
                sqs_jobs.retry_later(delivery, delay=0, reason="foreign")
    [dead] = sqs_jobs.dead()
    assert (dead.job, dead.reason) == (Job(FOREIGN, {"message": text}), "foreign")
    assert sqs_jobs.drop_dead([dead.job_id]) == 1


def test_a_kind_and_a_body_are_enough_for_a_message(client: "SQSClient", sqs_jobs: SqsJobs, prefix: str) -> None:
    lane, _ = find_lanes(client, prefix)
    answer = client.send_message(QueueUrl=lane.url, MessageBody='{"kind": "by-hand", "body": {"a": 1}}')
    [delivery] = sqs_jobs.receive(wait=0)
    assert (delivery.job, delivery.job_id) == (Job("by-hand", {"a": 1}), answer["MessageId"])


@pytest.mark.parametrize("sent", ["1e300", "-1e300", "NaN", "Infinity"])
def test_no_time_that_a_message_claims_stops_the_queue(
    client: "SQSClient", sqs_jobs: SqsJobs, prefix: str, sent: str
) -> None:
    lane, _ = find_lanes(client, prefix)
    client.send_message(QueueUrl=lane.url, MessageBody=f'{{"id": "x", "sent": {sent}, "kind": "a", "body": {{}}}}')
    assert [delivery.job_id for delivery in sqs_jobs.receive(wait=0)] == ["x"]


def test_no_job_is_kept_longer_than_sqs_allows(client: "SQSClient", sqs_jobs: SqsJobs) -> None:
    """SQS counts its 12 hours from when the message was received."""
    asked: list[int] = []
    client.meta.events.register(
        "provide-client-params.sqs.ChangeMessageVisibility",
        lambda params, **_: asked.append(params["VisibilityTimeout"]),
    )
    sqs_jobs.send(Job("kind", {}))
    [delivery] = sqs_jobs.receive(wait=0)
    receipt = replace(Receipt.parse(delivery.receipt), received=time.time() - MOST_LEASE + 100)
    assert sqs_jobs.extend(replace(delivery, receipt=str(receipt)), lease=3600)
    assert 0 < asked[0] <= 100
    over = replace(receipt, received=time.time() - MOST_LEASE)
    assert not sqs_jobs.extend(replace(delivery, receipt=str(over)), lease=3600)
    assert len(asked) == 1
