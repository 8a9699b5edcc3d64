"""Client and queues of SQS: plain, FIFO, and the dead letters of each."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from sparks.jobs.port import MAX_TRIES
from sparks.jobs.sqs.error_mapping import code_of, translated

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

Attributes = Mapping["QueueAttributeNameType", str]
LONGEST_RETENTION: Final[Attributes] = {"MessageRetentionPeriod": str(14 * 24 * 3600)}
# Each is set by itself: a server may support only one of them.
FEATURES: Final[Mapping[str, Attributes]] = {
    "encryption": {"SqsManagedSseEnabled": "true"},
    "messages of 1 MiB": {"MaximumMessageSize": str(1024 * 1024)},
}
UNSUPPORTED_CODES: Final = frozenset({"InvalidAttributeName", "InvalidAttributeValue", "UnsupportedOperation"})
POLL_SECONDS: Final = 1  # how long SQS waits for a message before it answers


@dataclass(frozen=True, slots=True)
class QueuePair:
    """The URLs of a queue and of its dead letters."""

    ordered: bool
    url: str
    dead_url: str


def create_queues(client: "SQSClient", prefix: str) -> list[str]:
    """Creates the four queues, or their missing attributes. Several processes may call this at once.

    Returns the features that this server does not support.
    """
    with translated(prefix):
        lacking = [_create_pair(client, prefix, ordered=ordered) for ordered in (False, True)]
    return sorted(set().union(*lacking))


def find_queues(client: "SQSClient", prefix: str) -> tuple[QueuePair, QueuePair]:
    """The plain and the ordered queue."""
    plain, ordered = (
        QueuePair(
            ordered, *(client.get_queue_url(QueueName=name)["QueueUrl"] for name in _names(prefix, ordered=ordered))
        )
        for ordered in (False, True)
    )
    return plain, ordered


def send_message(
    client: "SQSClient", url: str, text: str, *, delay: float = 0, group: str | None = None, key: str | None = None
) -> None:
    """Sends to an ordered queue with `group` and deduplication `key`, else to a plain one."""
    if group is not None and key is not None:
        client.send_message(QueueUrl=url, MessageBody=text, MessageGroupId=group, MessageDeduplicationId=key)
    else:
        client.send_message(QueueUrl=url, MessageBody=text, DelaySeconds=math.ceil(delay))


def _names(prefix: str, *, ordered: bool) -> tuple[str, str]:
    suffix = ".fifo" if ordered else ""
    return f"{prefix}{suffix}", f"{prefix}-dead{suffix}"


def _create_pair(client: "SQSClient", prefix: str, *, ordered: bool) -> set[str]:
    """Creates a queue and its dead letters; returns the features that the server does not support."""
    name, dead_name = _names(prefix, ordered=ordered)
    dead_arn, dead_lacks = _create_queue(client, dead_name, {}, ordered=ordered)
    policy = json.dumps({"deadLetterTargetArn": dead_arn, "maxReceiveCount": MAX_TRIES})
    _, lacks = _create_queue(client, name, {"RedrivePolicy": policy}, ordered=ordered)
    return dead_lacks | lacks


def _create_queue(client: "SQSClient", name: str, more: Attributes, *, ordered: bool) -> tuple[str, set[str]]:
    """The queue's ARN and the features that the server does not support. An existing queue keeps its jobs."""
    kind: Attributes = {"FifoQueue": "true"} if ordered else {}
    url = client.create_queue(QueueName=name, Attributes=kind)["QueueUrl"]
    current = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    client.set_queue_attributes(QueueUrl=url, Attributes={**LONGEST_RETENTION, **more})
    return current["QueueArn"], {
        ensure_feature for ensure_feature in FEATURES if not _ensure_feature(client, url, ensure_feature, current)
    }


def _ensure_feature(client: "SQSClient", url: str, ensure_feature: str, current: Attributes) -> bool:
    """False where the server does not support the feature. An encryption key chosen by the operator stays."""
    if FEATURES[ensure_feature].items() <= current.items() or (
        ensure_feature == "encryption" and current.get("KmsMasterKeyId")
    ):
        return True
    try:
        client.set_queue_attributes(QueueUrl=url, Attributes=FEATURES[ensure_feature])
    except ClientError as error:
        if code_of(error) not in UNSUPPORTED_CODES:
            raise
        return False
    return True


def connect(
    *,
    region: str | None,
    endpoint: str | None = None,
    access_key: str | None = None,
    secret_key: str | None = None,
    attempts: int = 4,
    connections: int = 50,
) -> "SQSClient":
    """A client with the settings that the adapter needs. Without an endpoint it connects to AWS; without keys it uses
    those that the AWS SDK finds.
    """
    return boto3.client(
        "sqs",
        region_name=region,
        endpoint_url=endpoint,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        config=Config(
            retries={"mode": "standard", "total_max_attempts": attempts},
            connect_timeout=2,
            read_timeout=POLL_SECONDS + 10,
            max_pool_connections=connections,
        ),
    )
