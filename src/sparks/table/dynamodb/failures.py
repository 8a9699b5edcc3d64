"""What DynamoDB's errors mean to Sparks, and which of them may pass by themselves.

A throttle, a conflict between transactions, a timeout or an error of the server may pass: the call is made again, with
full jitter, until the deadline. Only then does the caller hear of it: `Busy`, or `Unavailable` where nobody answered.
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
from sparks.table.dynamodb.wire import unpack_item

T = TypeVar("T")
THIRD_PARTY: Final = (BotoCoreError, ClientError)
SHORTEST_PAUSE: Final = 0.025
LONGEST_PAUSE: Final = 1.0
FIRST_SERVER_STATUS: Final = 500
PASSING: Final = frozenset({
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


class Failure(NamedTuple):
    error: SparksError
    passing: bool


class Patience:
    """Pauses of a random length, up to twice as long each time, until the deadline."""

    def __init__(self, seconds: float, *, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._clock = clock
        self._sleep = sleep
        self._end = clock() + seconds
        self._longest = SHORTEST_PAUSE

    def wait(self) -> bool:
        """Whether there was time for a pause, and so is for another try."""
        pause = random.SystemRandom().uniform(0, self._longest)
        if self._clock() + pause >= self._end:
            return False
        self._sleep(pause)
        self._longest = min(2 * self._longest, LONGEST_PAUSE)
        return True


def insist(send: Callable[[], T], patience: Patience) -> T:
    """The answer, however often it has to be asked for while there is patience."""
    while True:
        try:
            return send()
        except THIRD_PARTY as error:
            failure = judge(error)
            if not failure.passing or not patience.wait():
                raise failure.error from error


def judge(error: Exception) -> Failure:
    match error:
        case ClientError():
            return _judge_answer(error)
        case ReadTimeoutError() | ChecksumError():
            return Failure(Busy(f"DynamoDB's answer did not arrive in time or whole: {error}"), passing=True)
        case HTTPClientError() | NotConnected():
            return Failure(Unavailable(f"DynamoDB cannot be reached: {error}"), passing=True)
        case _:
            return Failure(Unavailable(f"DynamoDB cannot be used: {error}"), passing=False)


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _judge_answer(error: ClientError) -> Failure:
    code, message = code_of(error), str(error.response.get("Error", {}).get("Message", ""))
    match code:
        case "TransactionCanceledException":
            return _judge_reasons(error.response.get("CancellationReasons", []))
        case "IdempotentParameterMismatchException":
            return Failure(Conflict("this token was used for another write within the last ten minutes"), passing=False)
        case "ValidationException":
            return Failure(_bad_input(message), passing=False)
        case "ItemCollectionSizeLimitExceededException":
            return Failure(_full(), passing=False)
        case _ if code in PASSING or error.response["ResponseMetadata"]["HTTPStatusCode"] >= FIRST_SERVER_STATUS:
            return Failure(_busy(code), passing=True)
        case _:
            return Failure(_refused(code, message), passing=False)


def _judge_reasons(reasons: Sequence[Mapping[str, Any]]) -> Failure:
    """The first change that failed tells why."""
    for position, reason in enumerate(reasons):
        match reason.get("Code", "None"):
            case "None":
                continue
            case "ConditionalCheckFailed":
                found = reason.get("Item")
                return Failure(ConditionFailed(position, unpack_item(found) if found else None), passing=False)
            case "ValidationError":
                return Failure(_bad_input(reason.get("Message", "")), passing=False)
            case "ItemCollectionSizeLimitExceeded":
                return Failure(_full(), passing=False)
            case code if code in PASSING:
                return Failure(_busy(code), passing=True)
            case code:
                return Failure(_refused(code, reason.get("Message", "")), passing=False)
    return Failure(_busy("a transaction was cancelled without a reason"), passing=True)


def _bad_input(message: str) -> BadInput:
    return TooLarge(message) if _SIZE.search(message) else BadInput(message)


def _busy(code: str) -> Busy:
    return Busy(f"the table is busy ({code}); try again later")


def _refused(code: str, message: str) -> Unavailable:
    if code == "ResourceNotFoundException":
        return Unavailable("there is no such table: `sparks create` makes it")
    return Unavailable(f"DynamoDB refuses: {code} {message}")


def _full() -> StorageFull:
    return StorageFull("the items of one partition have reached 10 GB, which is all that DynamoDB gives them")
