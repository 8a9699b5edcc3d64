"""What guards the table beyond its keys, and what a server may lack: turned on where it can be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from sparks.table.dynamodb.failures import Patience, code_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Parameters = dict[str, Any]
ON_DEMAND: Final[Parameters] = {"BillingMode": "PAY_PER_REQUEST"}
ENCRYPTION: Final[Parameters] = {"SSESpecification": {"Enabled": True}}
STREAM: Final[Parameters] = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}
PROTECTION: Final[Parameters] = {"DeletionProtectionEnabled": True}
EXPIRY: Final[Parameters] = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}}
RECOVERY: Final[Parameters] = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
LACKING: Final = frozenset({"UnknownOperationException", "ValidationException"})
NOT_YET: Final = frozenset(
    {"ContinuousBackupsUnavailableException", "LimitExceededException", "ResourceInUseException"}
)  # the table is still at something else, perhaps at what another process asked for


@dataclass(frozen=True, slots=True)
class Feature:
    name: str
    is_on: Callable[["DynamoDBClient", str], bool]
    turn_on: Callable[["DynamoDBClient", str], object]
    from_the_start: Parameters = field(default_factory=dict)  # how to ask for it when the table is made


def ensure(client: "DynamoDBClient", table: str, feature: Feature, patience: Patience) -> bool:
    """Whether the feature is on, now at the latest."""
    while True:
        try:
            return feature.is_on(client, table) or _turn_on(client, table, feature)
        except ClientError as error:
            if code_of(error) in LACKING:
                return False
            if code_of(error) not in NOT_YET or not patience.wait():
                raise


def describe(client: "DynamoDBClient", table: str) -> Mapping[str, Any]:
    return client.describe_table(TableName=table)["Table"]


def _turn_on(client: "DynamoDBClient", table: str, feature: Feature) -> bool:
    try:
        feature.turn_on(client, table)
    except ClientError as error:
        if code_of(error) != "ValidationException":  # which is also what one hears who comes second
            raise
    return feature.is_on(client, table)


def _is_on_demand(client: "DynamoDBClient", table: str) -> bool:
    return bool(describe(client, table).get("BillingModeSummary", {}).get("BillingMode") == ON_DEMAND["BillingMode"])


def _is_encrypted(client: "DynamoDBClient", table: str) -> bool:
    return describe(client, table).get("SSEDescription", {}).get("Status") in {"ENABLED", "ENABLING", "UPDATING"}


def _has_stream(client: "DynamoDBClient", table: str) -> bool:
    return bool(describe(client, table).get("StreamSpecification") == STREAM["StreamSpecification"])


def _is_protected(client: "DynamoDBClient", table: str) -> bool:
    return bool(describe(client, table).get("DeletionProtectionEnabled"))


def _has_expiry(client: "DynamoDBClient", table: str) -> bool:
    known = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    return known.get("AttributeName") == "ttl" and known.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}


def _has_recovery(client: "DynamoDBClient", table: str) -> bool:
    known = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    return known.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED"


def _update(client: "DynamoDBClient", table: str, *, what: Parameters) -> object:
    return client.update_table(TableName=table, **what)


def _set_expiry(client: "DynamoDBClient", table: str) -> object:
    return client.update_time_to_live(TableName=table, **EXPIRY)


def _set_recovery(client: "DynamoDBClient", table: str) -> object:
    return client.update_continuous_backups(TableName=table, **RECOVERY)


FEATURES: Final = (
    Feature("on-demand billing", _is_on_demand, partial(_update, what=ON_DEMAND)),
    Feature("encryption with a managed key", _is_encrypted, partial(_update, what=ENCRYPTION), ENCRYPTION),
    Feature("streams", _has_stream, partial(_update, what=STREAM), STREAM),
    Feature("deletion protection", _is_protected, partial(_update, what=PROTECTION), PROTECTION),
    Feature("expiry by ttl", _has_expiry, _set_expiry),
    Feature("point-in-time recovery", _has_recovery, _set_recovery),
)
