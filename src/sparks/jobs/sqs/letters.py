"""The dead letters of SQS. It shows none without handing them out, so they are borrowed and put back.

[Note: borrowing] Whoever looks at the same moment may miss what is borrowed; should this process end meanwhile, all are
back within a minute. Of one group, SQS lends no more than ten at a time.
"""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from sparks.jobs.port import DeadJob
from sparks.jobs.sqs.messages import Message, read_dead, write_message
from sparks.jobs.sqs.queues import Lane, post

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

AT_ONCE: Final = 10
LOAN: Final = 60


def list_letters(client: "SQSClient", lane: Lane, *, most: int, wait: int) -> list[DeadJob]:
    """A job that was being buried when its worker ended may lie here twice, and is shown once."""
    jobs: dict[str, DeadJob] = {}
    handles: list[str] = []
    for message in _borrow(client, lane, most=most, wait=wait):
        job = read_dead(message)
        jobs[job.job_id] = job
        handles.append(message["ReceiptHandle"])
    _put_back(client, lane, handles)
    return list(jobs.values())


def take_letters(client: "SQSClient", lane: Lane, job_ids: set[str], *, again: bool, wait: int) -> set[str]:
    """Removes the letters of these jobs, with `again` once they are sent; returns the ids that were found."""
    found: set[str] = set()
    handles: list[str] = []
    for message in _borrow(client, lane, most=math.inf, wait=wait):
        job = read_dead(message)
        if job.job_id not in job_ids:
            handles.append(message["ReceiptHandle"])
            continue
        if again and job.job_id not in found:
            _send_again(client, lane, message, job)
        client.delete_message(QueueUrl=lane.dead_url, ReceiptHandle=message["ReceiptHandle"])
        found.add(job.job_id)
    _put_back(client, lane, handles)
    return found


def _borrow(client: "SQSClient", lane: Lane, *, most: float, wait: int) -> Iterator[Message]:
    seen: set[str] = set()
    while len(seen) < most:
        messages = client.receive_message(
            QueueUrl=lane.dead_url,
            MaxNumberOfMessages=int(min(AT_ONCE, most - len(seen))),
            WaitTimeSeconds=wait,
            VisibilityTimeout=LOAN,
            MessageSystemAttributeNames=["SentTimestamp", "MessageGroupId"],
        ).get("Messages", [])
        fresh = [message for message in messages if message["MessageId"] not in seen]
        if not fresh:
            return
        seen.update(message["MessageId"] for message in fresh)
        yield from fresh


def _put_back(client: "SQSClient", lane: Lane, handles: Sequence[str]) -> None:
    for start in range(0, len(handles), AT_ONCE):
        client.change_message_visibility_batch(
            QueueUrl=lane.dead_url,
            Entries=[
                {"Id": str(number), "ReceiptHandle": handle, "VisibilityTimeout": 0}
                for number, handle in enumerate(handles[start : start + AT_ONCE])
            ],
        )


def _send_again(client: "SQSClient", lane: Lane, message: Message, job: DeadJob) -> None:
    text = write_message(job.job, job_id=job.job_id, sent=job.sent.timestamp())
    group = message["Attributes"].get("MessageGroupId")
    post(client, lane.url, text, group=group, key=f"again-{message['MessageId']}")
