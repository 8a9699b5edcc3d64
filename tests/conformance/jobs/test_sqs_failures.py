"""Errors of SQS, mapped to errors of Sparks."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from sparks.jobs.port import Delivery, Job, Jobs, QueueCounts
from sparks.jobs.sqs import SqsJobs, create_queues
from sparks.jobs.sqs.messages import Receipt
from sparks.jobs.sqs.queues import connect, find_queues
from sparks.model.errors import Busy, SparksError, Unavailable
from tests.conformance.jobs.engines import sqs_client
from tests.conformance.jobs.refusals import refusing
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, ministack
from tests.servers.process import free_port

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

CALLS: dict[str, Callable[[Jobs, Delivery], object]] = {
    "send": lambda jobs, _: jobs.send(Job("kind", {})),
    "receive": lambda jobs, _: jobs.receive(wait=0),
    "done": lambda jobs, delivery: jobs.done(delivery),
    "retry_later": lambda jobs, delivery: jobs.retry_later(delivery, delay=1),
    "bury": lambda jobs, delivery: jobs.retry_later(replace(delivery, tries=5), delay=1),
    "extend": lambda jobs, delivery: jobs.extend(delivery, lease=60),
    "dead": lambda jobs, _: jobs.dead(),
    "retry_dead": lambda jobs, _: jobs.retry_dead(["id"]),
    "drop_dead": lambda jobs, _: jobs.drop_dead(["id"]),
    "counts": lambda jobs, _: jobs.counts(),
    "check": lambda jobs, _: jobs.check(),
}


@pytest.mark.parametrize("call", CALLS)
def test_an_error_about_missing_queues_says_how_to_create_them(client: "SQSClient", prefix: str, call: str) -> None:
    jobs = SqsJobs(client, prefix)
    delivery = Delivery(
        Job("kind", {}), "id", str(Receipt(False, "id", None, time.time(), "handle")), 1, datetime.now(UTC)
    )
    with pytest.raises(Unavailable, match=f"{prefix} does not exist: run `sparks create`"):
        CALLS[call](jobs, delivery)


def test_queues_that_are_created_later_are_found(client: "SQSClient", prefix: str) -> None:
    jobs = SqsJobs(client, prefix)
    with pytest.raises(Unavailable):
        jobs.check()
    create_queues(client, prefix)
    jobs.check()


def test_a_deleted_queue_is_unavailable(client: "SQSClient", sqs_jobs: SqsJobs, prefix: str) -> None:
    sqs_jobs.check()
    for pair in find_queues(client, prefix):
        client.delete_queue(QueueUrl=pair.url)
    with pytest.raises(Unavailable, match="sparks create"):
        sqs_jobs.check()


def test_a_server_that_cannot_be_reached_is_unavailable(prefix: str) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    client = connect(region=REGION, endpoint=nowhere, access_key=ACCESS_KEY, secret_key=SECRET_KEY, attempts=1)
    with pytest.raises(Unavailable, match="cannot be reached"):
        SqsJobs(client, prefix).check()
    with pytest.raises(Unavailable, match="cannot be reached"):
        create_queues(client, prefix)


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("RequestThrottled", 400, Busy),
        ("ThrottlingException", 400, Busy),
        ("KmsThrottled", 400, Busy),
        ("OverLimit", 400, Busy),
        ("InternalFailure", 500, Busy),
        ("ServiceUnavailable", 503, Busy),
        ("AccessDeniedException", 400, Unavailable),
        ("QueueDoesNotExist", 400, Unavailable),
        ("InvalidParameterValue", 400, Unavailable),
    ],
)
def test_errors_of_sqs_become_errors_of_sparks(
    client: "SQSClient", sqs_jobs: SqsJobs, code: str, status: int, error: type[SparksError]
) -> None:
    sqs_jobs.send(Job("kind", {}))
    [delivery] = sqs_jobs.receive(wait=0)
    with refusing(client, "*", code, status=status):
        for call in CALLS.values():
            with pytest.raises(error):
                call(sqs_jobs, delivery)


def test_a_short_throttling_raises_no_error(prefix: str) -> None:
    create_queues(sqs_client(), prefix)
    client = connect(region=REGION, endpoint=ministack(), access_key=ACCESS_KEY, secret_key=SECRET_KEY)
    answers = 0

    def count(**_: Any) -> None:
        nonlocal answers
        answers += 1
        if answers == 1:
            refusal.close()

    with ExitStack() as refusal:
        refusal.enter_context(refusing(client, "SendMessage", "RequestThrottled"))
        client.meta.events.register("response-received.sqs.SendMessage", count)
        SqsJobs(client, prefix).send(Job("kind", {}))
    assert answers == 2


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("MessageNotInflight", ""),
        ("AWS.SimpleQueueService.MessageNotInflight", ""),
        ("ReceiptHandleIsInvalid", "The input receipt handle is invalid."),
        (
            "InvalidParameterValue",
            "Value x for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.",
        ),
    ],
)
def test_a_lease_that_has_ended_is_no_error(client: "SQSClient", sqs_jobs: SqsJobs, code: str, message: str) -> None:
    sqs_jobs.send(Job("kind", {}))
    [delivery] = sqs_jobs.receive(wait=0)
    with (
        refusing(client, "ChangeMessageVisibility", code, message=message),
        refusing(client, "DeleteMessage", code, message=message),
    ):
        assert not sqs_jobs.extend(delivery, lease=60)
        sqs_jobs.done(delivery)
        sqs_jobs.retry_later(delivery, delay=0)
        sqs_jobs.retry_later(replace(delivery, tries=5), delay=0)
    assert sqs_jobs.counts() == QueueCounts(waiting=0, delayed=0, leased=1, dead=0)
