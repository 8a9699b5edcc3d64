"""Making the table: its keys, its indexes and all that guards it."""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from sparks.model.errors import BadSetting, Unavailable
from sparks.table.dynamodb.failures import Patience, code_of, insist
from sparks.table.dynamodb.features import FEATURES, LACKING, ON_DEMAND, Feature, Parameters, describe, ensure
from sparks.table.dynamodb.queries import ENTITY_INDEX, UPLOADER_INDEX

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TYPES: Final = {"PK": "S", "SK": "S", "entityType": "S", "uploadedBy": "S", "limit": "N"}
GLOBAL_INDEXES: Final = {ENTITY_INDEX: ("entityType", "PK"), UPLOADER_INDEX: ("uploadedBy", "PK")}
LOCAL_INDEXES: Final = {"PK-limit-index": ("PK", "limit")}
ANSWERS_WITHIN: Final = 10.0  # seconds; making the table itself may take minutes
READY: Final = frozenset({"ACTIVE", "UPDATING"})


def create_table(
    client: "DynamoDBClient", name: str, *, features: Sequence[Feature] = FEATURES, seconds: float = 300
) -> list[str]:
    """Makes the table, or what is missing of it, and returns when it can be used. Any number of processes may do so,
    one after the other or at once.

    The answer names what this server lacks: the table is made without. A table of that name with other keys or indexes
    is a BadSetting.
    """
    wait = partial(Patience, clock=time.monotonic, sleep=time.sleep)
    guards = {parameter: value for feature in features for parameter, value in feature.from_the_start.items()}
    insist(partial(_make, client, name, guards), wait(min(seconds, ANSWERS_WITHIN)))
    patience = wait(seconds)
    _check_shape(name, _wait_until_ready(client, name, patience))
    return [
        feature.name for feature in features if not insist(partial(ensure, client, name, feature, patience), patience)
    ]


def _make(client: "DynamoDBClient", table: str, guards: Parameters) -> None:
    shape: Parameters = {
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in TYPES.items()],
        "KeySchema": _key_schema("PK", "SK"),
        "GlobalSecondaryIndexes": [_index(name, keys) for name, keys in GLOBAL_INDEXES.items()],
        "LocalSecondaryIndexes": [_index(name, keys) for name, keys in LOCAL_INDEXES.items()],
        **ON_DEMAND,
    }
    for accepted in (guards, {}):
        try:
            client.create_table(TableName=table, **shape, **accepted)
        except ClientError as error:
            if code_of(error) == "ResourceInUseException":  # it is there, or another process is making it
                return
            if code_of(error) not in LACKING or not accepted:
                raise
        else:
            return


def _wait_until_ready(client: "DynamoDBClient", table: str, patience: Patience) -> Mapping[str, Any]:
    while True:
        known = insist(partial(describe, client, table), patience)
        states = {index.get("IndexStatus", "ACTIVE") for index in known.get("GlobalSecondaryIndexes", [])}
        if states | {known["TableStatus"]} <= READY:
            return known
        if not patience.wait():
            raise Unavailable(f"the table {table} is being made and was not ready in time; try again later")


def _check_shape(table: str, known: Mapping[str, Any]) -> None:
    kinds = {attribute["AttributeName"]: attribute["AttributeType"] for attribute in known["AttributeDefinitions"]}
    if _sorted(known["KeySchema"]) != _key_schema("PK", "SK") or not TYPES.items() <= kinds.items():
        raise BadSetting(f"the table {table} has other keys than Sparks needs; choose another name")
    indexes = [*known.get("GlobalSecondaryIndexes", []), *known.get("LocalSecondaryIndexes", [])]
    there = {
        index["IndexName"]: (_sorted(index["KeySchema"]), index["Projection"]["ProjectionType"]) for index in indexes
    }
    for name, keys in (GLOBAL_INDEXES | LOCAL_INDEXES).items():
        if there.get(name) != (_key_schema(*keys), "ALL"):
            raise BadSetting(f"the table {table} needs an index {name} by {' and '.join(keys)}, of whole items")


def _key_schema(hash_name: str, sort_name: str) -> list[dict[str, str]]:
    return [{"AttributeName": hash_name, "KeyType": "HASH"}, {"AttributeName": sort_name, "KeyType": "RANGE"}]


def _index(name: str, keys: tuple[str, str]) -> Parameters:
    return {"IndexName": name, "KeySchema": _key_schema(*keys), "Projection": {"ProjectionType": "ALL"}}


def _sorted(schema: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(schema, key=lambda key: key["KeyType"])
