"""Making the table: keys, indexes and all that guards it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from sparks.model.errors import BadSetting, Unavailable
from sparks.table.dynamodb.failures import THIRD_PARTY, Patience, code_of, judge
from sparks.table.dynamodb.queries import ENTITY_INDEX, UPLOADER_INDEX

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LIMIT_INDEX: Final = "PK-limit-index"
TYPES: Final = {"PK": "S", "SK": "S", "entityType": "S", "uploadedBy": "S", "limit": "N"}
GLOBAL: Final = {ENTITY_INDEX: ("entityType", "PK"), UPLOADER_INDEX: ("uploadedBy", "PK")}
LOCAL: Final = {LIMIT_INDEX: ("PK", "limit")}
UNKNOWN: Final = frozenset({"UnknownOperationException", "ValidationException"})
NOT_YET: Final = frozenset({
    "ContinuousBackupsUnavailableException",
    "LimitExceededException",
    "ResourceInUseException",
})  # fmt: skip
STREAM: Final = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
TTL: Final = {"Enabled": True, "AttributeName": "ttl"}


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that guards the table and that a server may lack."""

    name: str
    is_on: Callable[["DynamoDBClient", str], bool]
    turn_on: Callable[["DynamoDBClient", str], object]


def create_table(client: "DynamoDBClient", name: str, *, seconds: float = 300) -> list[str]:
    """Makes the table, or finishes making it, and returns once it can be used. May run any number of times, also at
    once.

    The answer names what this server lacks: the table is made without. A table of that name with other keys or indexes
    is a BadSetting.
    """
    patience = Patience(seconds, clock=time.monotonic, sleep=time.sleep)
    try:
        _make(client, name, patience)
        _check_shape(name, _wait_until_active(client, name, patience))
        return [feature.name for feature in FEATURES if not _ensure(client, name, feature, patience)]
    except THIRD_PARTY as error:
        raise judge(error).error from error
