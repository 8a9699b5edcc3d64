"""`queue`: an empty queue, on each engine in turn; `sqs_jobs`: one of SQS, with a client that a test may manipulate."""

import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sparks.jobs.sqs import SqsJobs, create_queues
from sparks.jobs.sqs.queues import connect
from tests.conformance.jobs.engines import ENGINES, Queue
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, ministack

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@pytest.fixture(params=ENGINES)
def queue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Queue]:
    with ExitStack() as stack:
        yield ENGINES[request.param](tmp_path, stack)


@pytest.fixture(params=["memory", "embedded"])
def exact_queue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Queue]:
    """Only the engines whose clock can be set."""
    with ExitStack() as stack:
        yield ENGINES[request.param](tmp_path, stack)


@pytest.fixture
def client() -> Iterator["SQSClient"]:
    """A client for one test, without retries."""
    client = connect(region=REGION, endpoint=ministack(), access_key=ACCESS_KEY, secret_key=SECRET_KEY, attempts=1)
    yield client
    client.close()


@pytest.fixture
def prefix() -> str:
    return f"jobs-{uuid.uuid4().hex}"


@pytest.fixture
def sqs_jobs(client: "SQSClient", prefix: str) -> SqsJobs:
    create_queues(client, prefix)
    return SqsJobs(client, prefix, dead_wait=0)
