"""Mapping of DynamoDB errors to Sparks errors, with retries and jitter.

Throttling, conflicts between transactions, timeouts and server errors are transient: the call is retried with full
jitter until the deadline. After it, the caller gets Busy, or Unavailable where no server answered.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from botocore.exceptions import (
    BotoCoreError,
    ChecksumError,
    ClientError,
    HTTPClientError,
    ReadTimeoutError,
)
from botocore.exceptions import ConnectionError as NotConnected

from sparks.model.errors import (
    BadInput,
    Busy,
    ConditionFailed,
    Conflict,
    SparksError,
    StorageFull,
    TooLarge,
    Unavailable,
)
from sparks.table.dynamodb.serializer import unpack_item

T = TypeVar("T")
THIRD_PARTY: Final = (BotoCoreError, ClientError)
MIN_PAUSE: Final = 0.025
MAX_PAUSE: Final = 1.0
SERVER_ERROR: Final = 500
TRANSIENT: Final = frozenset({
    "InternalFailure",
    "InternalServerError",
    "ProvisionedThroughputExceeded",
    "ProvisionedThroughputExceededException",
    "ReplicatedWriteConflictException",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "Throttling",
    "ThrottlingError",
    "ThrottlingException",
    "TransactionConflict",
    "TransactionConflictException",
    "TransactionInProgressException",
})  # fmt: skip
_SIZE: Final = re.compile(r"\bsize\b.*\bexceed", re.IGNORECASE)


class MappedError(NamedTuple):
    error: SparksError
    transient: bool


class RetryDeadline:
    """Pauses of a random length, up to twice as long each time, until the deadline."""

    def __init__(self, seconds: float, *, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._clock = clock
        self._sleep = sleep
        self._end = clock() + seconds
        self._longest = MIN_PAUSE

    def wait(self) -> bool:
        """Pauses and returns True; False where the deadline would pass meanwhile."""
        pause = random.SystemRandom().uniform(0, self._longest)
        if self._clock() + pause >= self._end:
            return False
        self._sleep(pause)
        self._longest = min(2 * self._longest, MAX_PAUSE)
        return True


def call_with_retries(send: Callable[[], T], deadline: RetryDeadline) -> T:
    """The response, after as many retries as the deadline allows."""
    while True:
        try:
            return send()
        except THIRD_PARTY as error:
            failure = map_error(error)
            if not failure.transient or not deadline.wait():
                raise failure.error from error


def map_error(error: Exception) -> MappedError:
    match error:
        case ClientError():
            return _map_response(error)
        case ReadTimeoutError() | ChecksumError():
            return MappedError(Busy(f"the response of DynamoDB was late or incomplete: {error}"), transient=True)
        case HTTPClientError() | NotConnected():
            return MappedError(Unavailable(f"DynamoDB cannot be reached: {error}"), transient=True)
        case _:
            return MappedError(Unavailable(f"DynamoDB cannot be used: {error}"), transient=False)


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _map_response(error: ClientError) -> MappedError:
    code, message = code_of(error), str(error.response.get("Error", {}).get("Message", ""))
    match code:
        case "TransactionCanceledException":
            return _map_reasons(error.response.get("CancellationReasons", []))
        case "IdempotentParameterMismatchException":
            return MappedError(
                Conflict("this token was used for another write in the last ten minutes"), transient=False
            )
        case "ValidationException":
            return MappedError(_bad_input(message), transient=False)
        case "ItemCollectionSizeLimitExceededException":
            return MappedError(_full(), transient=False)
        case _ if code in TRANSIENT or error.response["ResponseMetadata"]["HTTPStatusCode"] >= SERVER_ERROR:
            return MappedError(_busy(code), transient=True)
        case _:
            return MappedError(_refused(code, message), transient=False)


def _map_reasons(reasons: Sequence[Mapping[str, Any]]) -> MappedError:
    """Maps the reason of the first change that failed."""
    for position, reason in enumerate(reasons):
        match reason.get("Code", "None"):
            case "None":
                continue
            case "ConditionalCheckFailed":
                found = reason.get("Item")
                return MappedError(ConditionFailed(position, unpack_item(found) if found else None), transient=False)
            case "ValidationError":
                return MappedError(_bad_input(reason.get("Message", "")), transient=False)
            case "ItemCollectionSizeLimitExceeded":
                return MappedError(_full(), transient=False)
            case code if code in TRANSIENT:
                return MappedError(_busy(code), transient=True)
            case code:
                return MappedError(_refused(code, reason.get("Message", "")), transient=False)
    return MappedError(_busy("a transaction was canceled without a reason"), transient=True)


def _bad_input(message: str) -> BadInput:
    return TooLarge(message) if _SIZE.search(message) else BadInput(message)


def _busy(code: str) -> Busy:
    return Busy(f"the table is busy ({code}); try again later")


def _refused(code: str, message: str) -> Unavailable:
    if code == "ResourceNotFoundException":
        return Unavailable("there is no such table: create it with `sparks create`")
    return Unavailable(f"DynamoDB refuses: {code} {message}")


def _full() -> StorageFull:
    return StorageFull("the items of one partition have reached 10 GB, the limit of DynamoDB")
