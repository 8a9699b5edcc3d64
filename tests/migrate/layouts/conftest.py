"""Live tables for the tests of layouts."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.table.adapters import client_of
from tests.migrate.layouts.items import Items, typed_item
from tests.servers import commands

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass
class LiveTables:
    """Tables on a real server, which are deleted at the end."""

    client: "DynamoDBClient"
    names: list[str] = field(default_factory=list)

    def create(self, key_names: tuple[str, ...], items: Items, *, stream: bool = False) -> str:
        name = f"old-{uuid.uuid4()}"
        keys: Any = [
            {"AttributeName": each, "KeyType": kind} for each, kind in zip(key_names, ("HASH", "RANGE"), strict=False)
        ]
        types: Any = [{"AttributeName": each, "AttributeType": "S"} for each in key_names]
        more: Any = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}} if stream else {}
        self.client.create_table(
            TableName=name, KeySchema=keys, AttributeDefinitions=types, BillingMode="PAY_PER_REQUEST", **more
        )
        self.names.append(name)
        for item in items:
            self.put(name, item)
        return name

    def put(self, name: str, item: Any) -> None:
        self.client.put_item(TableName=name, Item=typed_item(item))

    def delete(self, name: str, key: Any) -> None:
        self.client.delete_item(TableName=name, Key=typed_item(key))

    def address(self, *names: str, more: str = "") -> str:
        server = f"endpoint={self.client.meta.endpoint_url}&region={commands.REGION}"
        return f"dynamodb://{','.join(names)}?{server}{more}"


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveTables]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", commands.ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", commands.SECRET_KEY)
    tables = LiveTables(client_of("dynamodb-local"))
    yield tables
    for name in tables.names:
        tables.client.delete_table(TableName=name)
