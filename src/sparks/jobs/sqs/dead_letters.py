"""Dead letters of SQS, received to be listed and then returned.

SQS shows a message only by delivering it, so dead letters are borrowed and put back. A concurrent call may miss the
borrowed ones. If the process ends meanwhile, they are back within a minute. SQS lends at most ten messages of one group
at a time.
"""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from sparks.jobs.port import DeadJob
from sparks.jobs.sqs.messages import Message, read_dead, write_message
from sparks.jobs.sqs.queues import QueuePair, send_message

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

BATCH_SIZE: Final = 10
BORROW_SECONDS: Final = 60


def list_dead_letters(client: "SQSClient", queues: QueuePair, *, most: int, wait: int) -> list[DeadJob]:
    """Lists each job once. A job may be here twice if its worker ended while it moved the job."""
    jobs: dict[str, DeadJob] = {}
    handles: list[str] = []
    for message in _borrow(client, queues, most=most, wait=wait):
        job = read_dead(message)
        jobs[job.job_id] = job
        handles.append(message["ReceiptHandle"])
    _put_back(client, queues, handles)
    return list(jobs.values())


def take_dead_letters(client: "SQSClient", queues: QueuePair, job_ids: set[str], *, again: bool, wait: int) -> set[str]:
    """Deletes the dead letters of these jobs, with `again` after sending them; returns the ids that were found."""
    found: set[str] = set()
    handles: list[str] = []
    for message in _borrow(client, queues, most=math.inf, wait=wait):
        job = read_dead(message)
        if job.job_id not in job_ids:
            handles.append(message["ReceiptHandle"])
            continue
        if again and job.job_id not in found:
            _send_again(client, queues, message, job)
        client.delete_message(QueueUrl=queues.dead_url, ReceiptHandle=message["ReceiptHandle"])
        found.add(job.job_id)
    _put_back(client, queues, handles)
    return found


def _borrow(client: "SQSClient", queues: QueuePair, *, most: float, wait: int) -> Iterator[Message]:
    message_ids: set[str] = set()
    while len(message_ids) < most:
        messages = client.receive_message(
            QueueUrl=queues.dead_url,
            MaxNumberOfMessages=int(min(BATCH_SIZE, most - len(message_ids))),
            WaitTimeSeconds=wait,
            VisibilityTimeout=BORROW_SECONDS,
            MessageSystemAttributeNames=["SentTimestamp", "MessageGroupId"],
        ).get("Messages", [])
        new_messages = [message for message in messages if message["MessageId"] not in message_ids]
        if not new_messages:
            return
        message_ids.update(message["MessageId"] for message in new_messages)
        yield from new_messages


def _put_back(client: "SQSClient", queues: QueuePair, handles: Sequence[str]) -> None:
    for start in range(0, len(handles), BATCH_SIZE):
        client.change_message_visibility_batch(
            QueueUrl=queues.dead_url,
            Entries=[
                {"Id": str(number), "ReceiptHandle": handle, "VisibilityTimeout": 0}
                for number, handle in enumerate(handles[start : start + BATCH_SIZE])
            ],
        )


def _send_again(client: "SQSClient", queues: QueuePair, message: Message, job: DeadJob) -> None:
    text = write_message(job.job, job_id=job.job_id, sent=job.sent.timestamp())
    group = message["Attributes"].get("MessageGroupId")
    send_message(client, queues.url, text, group=group, key=f"again-{message['MessageId']}")
