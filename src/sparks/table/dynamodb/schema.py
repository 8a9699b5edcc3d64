"""Creates the DynamoDB table with its keys, indexes and protective features."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from sparks.model.errors import BadSetting, Unavailable
from sparks.table.dynamodb.error_mapping import RetryDeadline, call_with_retries, code_of
from sparks.table.dynamodb.expressions import ENTITY_INDEX, UPLOADER_INDEX

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Parameters = dict[str, Any]
ON_DEMAND: Final[Parameters] = {"BillingMode": "PAY_PER_REQUEST"}
ENCRYPTION: Final[Parameters] = {"SSESpecification": {"Enabled": True}}
STREAM: Final[Parameters] = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}
PROTECTION: Final[Parameters] = {"DeletionProtectionEnabled": True}
EXPIRY: Final[Parameters] = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}}
RECOVERY: Final[Parameters] = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
UNSUPPORTED_CODES: Final = frozenset({"UnknownOperationException", "ValidationException"})
NOT_YET: Final = frozenset(
    {"ContinuousBackupsUnavailableException", "LimitExceededException", "ResourceInUseException"}
)  # the table is still busy with an earlier change, perhaps of another process
TYPES: Final = {"PK": "S", "SK": "S", "entityType": "S", "uploadedBy": "S", "limit": "N"}
GLOBAL_INDEXES: Final = {ENTITY_INDEX: ("entityType", "PK"), UPLOADER_INDEX: ("uploadedBy", "PK")}
LOCAL_INDEXES: Final = {"PK-limit-index": ("PK", "limit")}
REQUEST_TIMEOUT: Final = 10.0  # seconds; creating the table may take minutes
READY: Final = frozenset({"ACTIVE", "UPDATING"})


@dataclass(frozen=True, slots=True)
class TableFeature:
    name: str
    is_on: Callable[["DynamoDBClient", str], bool]
    turn_on: Callable[["DynamoDBClient", str], object]
    create_parameters: Parameters = field(default_factory=dict)  # parameters of CreateTable that turn it on


def ensure_feature(client: "DynamoDBClient", table: str, feature: TableFeature, deadline: RetryDeadline) -> bool:
    """Turns the feature on where it is off; False where the server does not support it."""
    while True:
        try:
            return feature.is_on(client, table) or _turn_on(client, table, feature)
        except ClientError as error:
            if code_of(error) in UNSUPPORTED_CODES:
                return False
            if code_of(error) not in NOT_YET or not deadline.wait():
                raise


def describe_table(client: "DynamoDBClient", table: str) -> Mapping[str, Any]:
    return client.describe_table(TableName=table)["Table"]


def _turn_on(client: "DynamoDBClient", table: str, feature: TableFeature) -> bool:
    try:
        feature.turn_on(client, table)
    except ClientError as error:
        if code_of(error) != "ValidationException":  # also the response where another process has just turned it on
            raise
    return feature.is_on(client, table)


def _is_on_demand(client: "DynamoDBClient", table: str) -> bool:
    return bool(
        describe_table(client, table).get("BillingModeSummary", {}).get("BillingMode") == ON_DEMAND["BillingMode"]
    )


def _is_encrypted(client: "DynamoDBClient", table: str) -> bool:
    return describe_table(client, table).get("SSEDescription", {}).get("Status") in {"ENABLED", "ENABLING", "UPDATING"}


def _has_stream(client: "DynamoDBClient", table: str) -> bool:
    return bool(describe_table(client, table).get("StreamSpecification") == STREAM["StreamSpecification"])


def _is_protected(client: "DynamoDBClient", table: str) -> bool:
    return bool(describe_table(client, table).get("DeletionProtectionEnabled"))


def _has_expiry(client: "DynamoDBClient", table: str) -> bool:
    description = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    return description.get("AttributeName") == "ttl" and description.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}


def _has_recovery(client: "DynamoDBClient", table: str) -> bool:
    description = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    return description.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED"


def _update(client: "DynamoDBClient", table: str, *, what: Parameters) -> object:
    return client.update_table(TableName=table, **what)


def _set_expiry(client: "DynamoDBClient", table: str) -> object:
    return client.update_time_to_live(TableName=table, **EXPIRY)


def _set_recovery(client: "DynamoDBClient", table: str) -> object:
    return client.update_continuous_backups(TableName=table, **RECOVERY)


FEATURES: Final = (
    TableFeature("on-demand billing", _is_on_demand, partial(_update, what=ON_DEMAND)),
    TableFeature("encryption with a managed key", _is_encrypted, partial(_update, what=ENCRYPTION), ENCRYPTION),
    TableFeature("streams", _has_stream, partial(_update, what=STREAM), STREAM),
    TableFeature("deletion protection", _is_protected, partial(_update, what=PROTECTION), PROTECTION),
    TableFeature("expiry by ttl", _has_expiry, _set_expiry),
    TableFeature("point-in-time recovery", _has_recovery, _set_recovery),
)


def create_table(
    client: "DynamoDBClient", name: str, *, features: Sequence[TableFeature] = FEATURES, seconds: float = 300
) -> list[str]:
    """Creates the table, or its missing features, and returns when it is usable. Several processes may call this at
    once.

    Returns the features that this server does not support. BadSetting where a table of that name has other keys or
    indexes.
    """
    wait = partial(RetryDeadline, clock=time.monotonic, sleep=time.sleep)
    extras = {parameter: value for feature in features for parameter, value in feature.create_parameters.items()}
    call_with_retries(partial(_make, client, name, extras), wait(min(seconds, REQUEST_TIMEOUT)))
    deadline = wait(seconds)
    _check_shape(name, _wait_until_ready(client, name, deadline))
    return [
        feature.name
        for feature in features
        if not call_with_retries(partial(ensure_feature, client, name, feature, deadline), deadline)
    ]


def _make(client: "DynamoDBClient", table: str, extras: Parameters) -> None:
    shape: Parameters = {
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in TYPES.items()],
        "KeySchema": _key_schema("PK", "SK"),
        "GlobalSecondaryIndexes": [_index(name, keys) for name, keys in GLOBAL_INDEXES.items()],
        "LocalSecondaryIndexes": [_index(name, keys) for name, keys in LOCAL_INDEXES.items()],
        **ON_DEMAND,
    }
    for accepted in (extras, {}):
        try:
            client.create_table(TableName=table, **shape, **accepted)
        except ClientError as error:
            if code_of(error) == "ResourceInUseException":  # it exists, or another process is creating it
                return
            if code_of(error) not in UNSUPPORTED_CODES or not accepted:
                raise
        else:
            return


def _wait_until_ready(client: "DynamoDBClient", table: str, deadline: RetryDeadline) -> Mapping[str, Any]:
    while True:
        description = call_with_retries(partial(describe_table, client, table), deadline)
        states = {index.get("IndexStatus", "ACTIVE") for index in description.get("GlobalSecondaryIndexes", [])}
        if states | {description["TableStatus"]} <= READY:
            return description
        if not deadline.wait():
            raise Unavailable(f"the table {table} is being created and was not ready in time; try again later")


def _check_shape(table: str, description: Mapping[str, Any]) -> None:
    kinds = {
        attribute["AttributeName"]: attribute["AttributeType"] for attribute in description["AttributeDefinitions"]
    }
    if _sorted(description["KeySchema"]) != _key_schema("PK", "SK") or not TYPES.items() <= kinds.items():
        raise BadSetting(f"the table {table} does not have the keys that Sparks needs; choose another name")
    indexes = [*description.get("GlobalSecondaryIndexes", []), *description.get("LocalSecondaryIndexes", [])]
    found = {
        index["IndexName"]: (_sorted(index["KeySchema"]), index["Projection"]["ProjectionType"]) for index in indexes
    }
    for name, keys in (GLOBAL_INDEXES | LOCAL_INDEXES).items():
        if found.get(name) != (_key_schema(*keys), "ALL"):
            raise BadSetting(f"the table {table} needs the index {name} by {' and '.join(keys)}, of whole items")


def _key_schema(hash_name: str, sort_name: str) -> list[dict[str, str]]:
    return [{"AttributeName": hash_name, "KeyType": "HASH"}, {"AttributeName": sort_name, "KeyType": "RANGE"}]


def _index(name: str, keys: tuple[str, str]) -> Parameters:
    return {"IndexName": name, "KeySchema": _key_schema(*keys), "Projection": {"ProjectionType": "ALL"}}


def _sorted(schema: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(schema, key=lambda key: key["KeyType"])
