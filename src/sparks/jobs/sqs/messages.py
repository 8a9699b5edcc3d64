"""Jobs as SQS messages, and receipts as text.

A message holds the job's own id and the time of its first sending, because SQS assigns new ones when a message is moved
to the dead letters or back. The JSON is ASCII, because SQS refuses some characters.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sparks.jobs.checks import from_epoch
from sparks.jobs.port import MAX_TRIES, DeadJob, Delivery, Job

Message = Mapping[str, Any]
FOREIGN: Final = "foreign"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt handle of SQS, and what else is needed to return the job or to move it to the dead letters."""

    ordered: bool
    message_id: str
    group: str | None
    received: float
    handle: str

    def __str__(self) -> str:
        return json.dumps([self.ordered, self.message_id, self.group, self.received, self.handle])

    @classmethod
    def parse(cls, text: str) -> "Receipt":
        return cls(*json.loads(text))


def write_message(job: Job, *, job_id: str, sent: float, reason: str | None = None) -> str:
    content = {"id": job_id, "sent": sent, "kind": job.kind, "body": dict(job.body)}
    return json.dumps(content if reason is None else content | {"reason": reason}, separators=(",", ":"))


def read_delivery(message: Message, *, ordered: bool) -> Delivery:
    job, job_id, sent, _ = _read(message)
    attributes = message["Attributes"]
    receipt = Receipt(
        ordered, message["MessageId"], attributes.get("MessageGroupId"), time.time(), message["ReceiptHandle"]
    )
    return Delivery(job, job_id, str(receipt), int(attributes["ApproximateReceiveCount"]), sent)


def read_dead(message: Message) -> DeadJob:
    job, job_id, sent, reason = _read(message)
    return DeadJob(job, job_id, sent, MAX_TRIES, reason)


def _read(message: Message) -> tuple[Job, str, datetime, str | None]:
    """A message of another program is read as a job of an unknown kind, which ends in the dead letters."""
    text, message_id = message["Body"], message["MessageId"]
    arrived = int(message["Attributes"]["SentTimestamp"]) / 1000
    match _parse(text):
        case {"id": str(job_id), "sent": float(sent), "kind": str(kind), "body": dict(body), **rest}:
            reason = rest.get("reason")
            first_sent = from_epoch(min(arrived, max(0.0, sent)))
            return Job(kind, body), job_id, first_sent, reason if isinstance(reason, str) else None
        case {"kind": str(kind), "body": dict(body)}:
            return Job(kind, body), message_id, from_epoch(arrived), None
        case _:
            return Job(FOREIGN, {"message": text}), message_id, from_epoch(arrived), None


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
