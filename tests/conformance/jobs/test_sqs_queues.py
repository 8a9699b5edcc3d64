"""Creation of the queues of SQS."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from sparks.jobs.port import Job
from sparks.jobs.sqs import SqsJobs, create_queues
from sparks.jobs.sqs.queues import find_queues
from tests.conformance.jobs.engines import sqs_client

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


def attributes(client: "SQSClient", prefix: str) -> dict[str, Mapping[Any, str]]:
    urls = {name: client.get_queue_url(QueueName=name)["QueueUrl"] for name in queue_names(prefix)}
    return {
        name: client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        for name, url in urls.items()
    }


def queue_names(prefix: str) -> list[str]:
    return [prefix, f"{prefix}-dead", f"{prefix}.fifo", f"{prefix}-dead.fifo"]


def test_two_queues_are_created_each_with_dead_letters(client: "SQSClient", prefix: str) -> None:
    assert create_queues(client, prefix) == []
    made = attributes(client, prefix)
    for name in queue_names(prefix):
        assert made[name].get("FifoQueue") == ("true" if name.endswith(".fifo") else None)
        assert made[name]["MessageRetentionPeriod"] == "1209600"
        assert made[name]["SqsManagedSseEnabled"] == "true"
    for name, dead in ((prefix, f"{prefix}-dead"), (f"{prefix}.fifo", f"{prefix}-dead.fifo")):
        policy = {"deadLetterTargetArn": made[dead]["QueueArn"], "maxReceiveCount": 5}
        assert json.loads(made[name]["RedrivePolicy"]) == policy
        assert "RedrivePolicy" not in made[dead]


def test_creating_the_queues_again_repairs_them_and_keeps_their_jobs(client: "SQSClient", prefix: str) -> None:
    create_queues(client, prefix)
    made = attributes(client, prefix)
    SqsJobs(client, prefix).send(Job("kept", {}))
    pair, _ = find_queues(client, prefix)
    client.set_queue_attributes(QueueUrl=pair.url, Attributes={"RedrivePolicy": "", "MessageRetentionPeriod": "60"})
    create_queues(client, prefix)
    mended = attributes(client, prefix)
    for name in ("RedrivePolicy", "MessageRetentionPeriod"):
        assert mended[prefix][name] == made[prefix][name]
    assert len(SqsJobs(client, prefix).receive(wait=0)) == 1


def test_several_processes_may_create_the_queues_at_once(prefix: str) -> None:
    with ThreadPoolExecutor() as pool:
        making = [pool.submit(create_queues, sqs_client(), prefix) for _ in range(4)]
        assert [made.result() for made in making] == [[]] * 4
    SqsJobs(sqs_client(), prefix).check()


def test_an_encryption_key_chosen_by_the_operator_stays(client: "SQSClient", prefix: str) -> None:
    client.create_queue(QueueName=prefix, Attributes={"KmsMasterKeyId": "alias/ours"})
    assert create_queues(client, prefix) == []
    made = attributes(client, prefix)
    assert made[prefix]["KmsMasterKeyId"] == "alias/ours"
    assert "SqsManagedSseEnabled" not in made[prefix]


def test_unsupported_features_of_a_server_are_returned(client: "SQSClient", prefix: str) -> None:
    create_queues(client, prefix)
    urls = [url for pair in find_queues(client, prefix) for url in (pair.url, pair.dead_url)]
    for url in urls:
        client.set_queue_attributes(QueueUrl=url, Attributes={"SqsManagedSseEnabled": "false"})

    def refuse(params: dict[str, Any], **_: Any) -> None:
        if "SqsManagedSseEnabled" in params["Attributes"]:
            params["Attributes"] = {"DelaySeconds": "not a number"}  # refused by this server like an unknown attribute

    client.meta.events.register("provide-client-params.sqs.SetQueueAttributes", refuse)
    assert create_queues(client, prefix) == ["encryption"]
    SqsJobs(client, prefix).check()
