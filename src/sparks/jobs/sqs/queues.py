"""The queues of SQS: a plain one, an ordered (FIFO) one for groups and deduplication, and the dead letters of each."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from sparks.jobs.port import MOST_TRIES
from sparks.jobs.sqs.failures import code_of, translated

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

Attributes = Mapping["QueueAttributeNameType", str]
LONGEST_RETENTION: Final[Attributes] = {"MessageRetentionPeriod": str(14 * 24 * 3600)}
# Each is asked for by itself: a server that lacks one may have the other.
GUARDS: Final[Mapping[str, Attributes]] = {
    "encryption": {"SqsManagedSseEnabled": "true"},
    "messages of 1 MiB": {"MaximumMessageSize": str(1024 * 1024)},
}
LACKING: Final = frozenset({"InvalidAttributeName", "InvalidAttributeValue", "UnsupportedOperation"})


@dataclass(frozen=True, slots=True)
class Lane:
    """One queue and its dead letters, by their addresses."""

    ordered: bool
    url: str
    dead_url: str


def create_queues(client: "SQSClient", prefix: str) -> list[str]:
    """Makes the four queues, or what they still lack. Any number of processes may do so, one after the other or at
    once.

    The answer names what this server does not have: the queues are made without.
    """
    with translated(prefix):
        lacking = [_create_lane(client, prefix, ordered=ordered) for ordered in (False, True)]
    return sorted(set().union(*lacking))


def find_lanes(client: "SQSClient", prefix: str) -> tuple[Lane, Lane]:
    """The plain lane and the ordered one."""
    plain, ordered = (
        Lane(ordered, *(client.get_queue_url(QueueName=name)["QueueUrl"] for name in _names(prefix, ordered=ordered)))
        for ordered in (False, True)
    )
    return plain, ordered


def post(
    client: "SQSClient", url: str, text: str, *, delay: float = 0, group: str | None = None, key: str | None = None
) -> None:
    """An ordered queue wants a group, and a key by which it drops what comes twice."""
    if group is not None and key is not None:
        client.send_message(QueueUrl=url, MessageBody=text, MessageGroupId=group, MessageDeduplicationId=key)
    else:
        client.send_message(QueueUrl=url, MessageBody=text, DelaySeconds=math.ceil(delay))


def _names(prefix: str, *, ordered: bool) -> tuple[str, str]:
    suffix = ".fifo" if ordered else ""
    return f"{prefix}{suffix}", f"{prefix}-dead{suffix}"


def _create_lane(client: "SQSClient", prefix: str, *, ordered: bool) -> set[str]:
    """What the server lacks."""
    name, dead_name = _names(prefix, ordered=ordered)
    dead_arn, dead_lacks = _create_queue(client, dead_name, {}, ordered=ordered)
    policy = json.dumps({"deadLetterTargetArn": dead_arn, "maxReceiveCount": MOST_TRIES})
    _, lacks = _create_queue(client, name, {"RedrivePolicy": policy}, ordered=ordered)
    return dead_lacks | lacks


def _create_queue(client: "SQSClient", name: str, more: Attributes, *, ordered: bool) -> tuple[str, set[str]]:
    """The queue's ARN, and what the server lacks. A queue that is there already keeps its jobs."""
    kind: Attributes = {"FifoQueue": "true"} if ordered else {}
    url = client.create_queue(QueueName=name, Attributes=kind)["QueueUrl"]
    has = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    client.set_queue_attributes(QueueUrl=url, Attributes={**LONGEST_RETENTION, **more})
    return has["QueueArn"], {guard for guard in GUARDS if not _guard(client, url, guard, has)}


def _guard(client: "SQSClient", url: str, guard: str, has: Attributes) -> bool:
    """False when the server does not know how. An encryption key of one's own, once chosen, stays."""
    if GUARDS[guard].items() <= has.items() or (guard == "encryption" and has.get("KmsMasterKeyId")):
        return True
    try:
        client.set_queue_attributes(QueueUrl=url, Attributes=GUARDS[guard])
    except ClientError as error:
        if code_of(error) not in LACKING:
            raise
        return False
    return True
