"""Creation of the table: once or repeatedly, and on servers that lack a feature."""

import json
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from sparks.model.errors import BadSetting, Unavailable
from sparks.table.dynamodb import DynamoDbTable, create_table
from sparks.table.port import Key, Put
from tests.conformance.table.adapters import SERVERS, client_of
from tests.conformance.table.faults import Fault, Faults, Send, answer, change_answer, refuse
from tests.conformance.table.rows import row

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LACKS = {
    "dynamodb-local": ["encryption with a managed key", "point-in-time recovery"],
    "dynoxide": ["point-in-time recovery"],
}


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def client(server: str) -> Iterator["DynamoDBClient"]:
    client = client_of(server)
    yield client
    client.close()


@pytest.fixture
def name() -> str:
    return f"sparks-{uuid.uuid4()}"


def keys(hash_name: str, sort_name: str) -> list[dict[str, str]]:
    return [{"AttributeName": hash_name, "KeyType": "HASH"}, {"AttributeName": sort_name, "KeyType": "RANGE"}]


def index(hash_name: str, sort_name: str, *, projection: str = "ALL") -> dict[str, Any]:
    return {
        "IndexName": f"{hash_name}-{sort_name}-index",
        "KeySchema": keys(hash_name, sort_name),
        "Projection": {"ProjectionType": projection},
    }


def test_the_table_has_its_keys_indexes_and_features(client: "DynamoDBClient", server: str, name: str) -> None:
    assert create_table(client, name) == LACKS[server]
    table: Any = client.describe_table(TableName=name)["Table"]
    assert table["KeySchema"] == keys("PK", "SK")
    indexes = table["GlobalSecondaryIndexes"] + table["LocalSecondaryIndexes"]
    assert {index["IndexName"]: index["KeySchema"] for index in indexes} == {
        "entityType-PK-index": keys("entityType", "PK"),
        "uploadedBy-PK-index": keys("uploadedBy", "PK"),
        "PK-limit-index": keys("PK", "limit"),
    }
    assert {index["Projection"]["ProjectionType"] for index in indexes} == {"ALL"}
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert table["DeletionProtectionEnabled"]
    expiry = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert expiry == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}


def test_creating_the_table_again_changes_nothing(client: "DynamoDBClient", server: str, name: str) -> None:
    create_table(client, name)
    table = DynamoDbTable(client, name)
    table.write(Put(row(n=1)))
    assert create_table(client, name) == LACKS[server]
    assert table.get(Key("p", "s")) == row(n=1)


def test_several_processes_may_create_the_table_at_once(server: str, name: str) -> None:
    clients = [client_of(server) for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda client: create_table(client, name), clients)) == [LACKS[server]] * 8
    for client in clients:
        client.close()


def make(client: "DynamoDBClient", name: str, **other: Any) -> None:
    """A table that was created elsewhere, with our shape except for these parts; an empty part is left out."""
    kinds = {"PK": "S", "SK": "S", "entityType": "S", "uploadedBy": "S", "limit": "N"}
    shape: dict[str, Any] = {
        "KeySchema": keys("PK", "SK"),
        "GlobalSecondaryIndexes": [index("entityType", "PK"), index("uploadedBy", "PK")],
        "LocalSecondaryIndexes": [index("PK", "limit")],
        "BillingMode": "PAY_PER_REQUEST",
    }
    shape = {part: value for part, value in (shape | other).items() if value}
    used = json.dumps(shape)
    definitions: Any = [
        {"AttributeName": attribute, "AttributeType": kind}
        for attribute, kind in kinds.items()
        if f'"{attribute}"' in used
    ]
    client.create_table(TableName=name, AttributeDefinitions=definitions, **shape)


def test_missing_features_of_a_table_are_turned_on(client: "DynamoDBClient", name: str) -> None:
    make(client, name)
    assert set(create_table(client, name)) <= {"encryption with a managed key", "point-in-time recovery"}
    table = client.describe_table(TableName=name)["Table"]
    assert table["StreamSpecification"]["StreamEnabled"]
    assert table["DeletionProtectionEnabled"]


@pytest.mark.parametrize(
    "other",
    [
        {"KeySchema": keys("PK", "limit"), "LocalSecondaryIndexes": [], "GlobalSecondaryIndexes": []},
        {"GlobalSecondaryIndexes": [index("entityType", "PK")]},
        {"GlobalSecondaryIndexes": [index("entityType", "SK"), index("uploadedBy", "PK")]},
        {"LocalSecondaryIndexes": []},
        {"LocalSecondaryIndexes": [index("PK", "limit", projection="KEYS_ONLY")]},
    ],
    ids=["other keys", "an index less", "an index by other keys", "no local index", "an index of keys only"],
)
def test_a_table_of_another_shape_is_refused(client: "DynamoDBClient", name: str, other: dict[str, Any]) -> None:
    make(client, name, **other)
    with pytest.raises(BadSetting, match=name):
        create_table(client, name)


def test_a_server_without_these_features_gets_a_plain_table(client: "DynamoDBClient", name: str) -> None:
    def refuse_guards(request: AWSPreparedRequest, send: Send) -> AWSResponse:
        assert isinstance(request.body, bytes)
        guarded = b"SSESpecification" in request.body
        return refuse("ValidationException")(request, send) if guarded else send(request)

    faults = Faults(client)
    faults.inject("CreateTable", *[refuse_guards] * 2)
    faults.inject("UpdateTable", *[refuse("ValidationException")] * 3)
    faults.inject("DescribeTimeToLive", refuse("UnknownOperationException"))
    assert create_table(client, name) == [
        "encryption with a managed key",
        "streams",
        "deletion protection",
        "expiry by ttl",
        "point-in-time recovery",
    ]
    DynamoDbTable(client, name).write(Put(row()))


def test_a_feature_that_another_process_has_just_turned_on_is_not_missing(
    client: "DynamoDBClient", server: str, name: str
) -> None:
    """The second process gets the error that it is set already."""

    def set_first(request: AWSPreparedRequest, send: Send) -> AWSResponse:
        send(request)
        return refuse("ValidationException")(request, send)

    Faults(client).inject("UpdateTimeToLive", set_first)
    assert create_table(client, name) == LACKS[server]


def test_a_feature_that_is_not_possible_yet_is_retried(client: "DynamoDBClient", server: str, name: str) -> None:
    def recovery(status: str) -> dict[str, Any]:
        known = {"PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": status}}
        return {"ContinuousBackupsDescription": {"ContinuousBackupsStatus": "ENABLED"} | known}

    faults = Faults(client)
    faults.inject(
        "DescribeContinuousBackups", *[answer(200, recovery("DISABLED"))] * 2, answer(200, recovery("ENABLED"))
    )
    faults.inject(
        "UpdateContinuousBackups", refuse("ContinuousBackupsUnavailableException"), answer(200, recovery("ENABLED"))
    )
    assert "point-in-time recovery" not in create_table(client, name)
    assert faults.requests.count("UpdateContinuousBackups") == 2


def of_status(table: str, index: str) -> Fault:
    def change(body: dict[str, Any]) -> dict[str, Any]:
        body["Table"]["TableStatus"] = table
        body["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] = index
        return body

    return change_answer(change)


def test_creation_returns_when_the_table_and_its_indexes_are_ready(client: "DynamoDBClient", name: str) -> None:
    faults = Faults(client)
    faults.inject("DescribeTable", of_status("CREATING", "CREATING"), of_status("ACTIVE", "CREATING"))
    create_table(client, name)
    assert faults.requests[:4] == ["CreateTable", *["DescribeTable"] * 3]


def test_a_table_that_does_not_get_ready_is_unavailable(client: "DynamoDBClient", name: str) -> None:
    Faults(client).inject("DescribeTable", *[of_status("CREATING", "ACTIVE")] * 1000)
    with pytest.raises(Unavailable, match="not ready"):
        create_table(client, name, seconds=0.1)


def test_creation_retries_a_transient_server_error(client: "DynamoDBClient", server: str, name: str) -> None:
    faults = Faults(client)
    for operation in ("CreateTable", "DescribeTable", "UpdateTimeToLive"):
        faults.inject(operation, refuse("ThrottlingException"), refuse("InternalServerError", status=500))
    assert create_table(client, name) == LACKS[server]
