"""The connection to SQS."""

from typing import TYPE_CHECKING, Final

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

TURN: Final = 1  # seconds that SQS may hold an answer back while it waits for a message


def connect(
    *,
    region: str | None,
    endpoint: str | None = None,
    access_key: str | None = None,
    secret_key: str | None = None,
    attempts: int = 4,
    connections: int = 50,
) -> "SQSClient":
    """A client as the jobs want it. Without an endpoint it is AWS, without keys whatever AWS finds by itself."""
    return boto3.client(
        "sqs",
        region_name=region,
        endpoint_url=endpoint,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        config=Config(
            retries={"mode": "standard", "total_max_attempts": attempts},
            connect_timeout=2,
            read_timeout=TURN + 10,
            max_pool_connections=connections,
        ),
    )
