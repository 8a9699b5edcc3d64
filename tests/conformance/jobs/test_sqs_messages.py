"""Messages of SQS that are moved halfway, come from other programs, or stay leased for long."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sparks.jobs.port import MAX_LEASE, Job, QueueCounts
from sparks.jobs.sqs import SqsJobs
from sparks.jobs.sqs.messages import FOREIGN, Receipt
from sparks.jobs.sqs.queues import find_queues
from sparks.model.errors import Busy
from tests.conformance.jobs.engines import Queue, sqs_queue
from tests.conformance.jobs.refusals import refusing

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    with ExitStack() as stack:
        yield sqs_queue(tmp_path, stack)


def test_a_retry_after_the_fifth_lease_ended_creates_no_second_dead_letter(queue: Queue) -> None:
    queue.send("poison")
    queue.fail("poison", times=4)
    late = queue.receive_one(lease=1)
    queue.let_pass(1)
    assert queue.receive() == []
    queue.jobs.retry_later(late, delay=0, reason="too late")
    assert [dead.reason for dead in queue.jobs.dead()] == [None]
    assert queue.jobs.counts() == QueueCounts(0, 0, 0, dead=1)


@pytest.mark.parametrize("group", [None, "g"])
def test_a_job_whose_worker_ended_while_moving_it_is_one_dead_letter(
    client: "SQSClient", sqs_jobs: SqsJobs, group: str | None
) -> None:
    """It was copied to the dead letters but not yet deleted from the queue, so SQS moves it there, too."""
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
    assert sqs_jobs.counts() == QueueCounts(waiting=1, delayed=0, leased=0, dead=0)


@pytest.mark.parametrize(
    "text", ["no JSON", "[1]", '"x"', "[" * 5000, '{"kind": 1, "body": {}}', '{"kind": "a", "body": []}']
)
def test_a_message_that_is_not_a_job_becomes_a_job_of_an_unknown_kind(
    client: "SQSClient", sqs_jobs: SqsJobs, prefix: str, text: str
) -> None:
    pair, _ = find_queues(client, prefix)
    client.send_message(QueueUrl=pair.url, MessageBody=text)
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
    pair, _ = find_queues(client, prefix)
    answer = client.send_message(QueueUrl=pair.url, MessageBody='{"kind": "by-hand", "body": {"a": 1}}')
    [delivery] = sqs_jobs.receive(wait=0)
    assert (delivery.job, delivery.job_id) == (Job("by-hand", {"a": 1}), answer["MessageId"])


@pytest.mark.parametrize("sent", ["1e300", "-1e300", "NaN", "Infinity"])
def test_a_wrong_time_in_a_message_does_not_stop_the_queue(
    client: "SQSClient", sqs_jobs: SqsJobs, prefix: str, sent: str
) -> None:
    pair, _ = find_queues(client, prefix)
    client.send_message(QueueUrl=pair.url, MessageBody=f'{{"id": "x", "sent": {sent}, "kind": "a", "body": {{}}}}')
    assert [delivery.job_id for delivery in sqs_jobs.receive(wait=0)] == ["x"]


def test_no_job_is_kept_longer_than_sqs_allows(client: "SQSClient", sqs_jobs: SqsJobs) -> None:
    """SQS counts 12 hours from the delivery of the message."""
    asked: list[int] = []
    client.meta.events.register(
        "provide-client-params.sqs.ChangeMessageVisibility",
        lambda params, **_: asked.append(params["VisibilityTimeout"]),
    )
    sqs_jobs.send(Job("kind", {}))
    [delivery] = sqs_jobs.receive(wait=0)
    receipt = replace(Receipt.parse(delivery.receipt), received=time.time() - MAX_LEASE + 100)
    assert sqs_jobs.extend(replace(delivery, receipt=str(receipt)), lease=3600)
    assert 0 < asked[0] <= 100
    over = replace(receipt, received=time.time() - MAX_LEASE)
    assert not sqs_jobs.extend(replace(delivery, receipt=str(over)), lease=3600)
    assert len(asked) == 1
