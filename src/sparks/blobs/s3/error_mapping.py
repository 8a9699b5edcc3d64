"""Mapping of S3 errors to Sparks errors.

botocore has already retried the transient ones.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from sparks.model.errors import (
    AlreadyThere,
    BadInput,
    Busy,
    Conflict,
    Damaged,
    NotFound,
    SparksError,
    StorageFull,
    TooLarge,
    Unavailable,
)

Meaning = tuple[type[SparksError], str]

BUSY: Final[Meaning] = Busy, "S3 is busy ({code}); try again later"
DAMAGED: Final[Meaning] = Damaged, "the bytes of the {subject} were changed on the way"
NOT_FOUND: Final[Meaning] = NotFound, "there is no {subject}"
BY_CODE: Final[dict[str, Meaning]] = {
    "BadDigest": DAMAGED,
    "ConditionalRequestConflict": BUSY,  # a concurrent write or deletion; S3 does not say which won
    "EntityTooLarge": (TooLarge, "the {subject} is larger than S3 accepts"),
    "EntityTooSmall": (BadInput, "a part of the {subject} is too small, and not the last"),
    "InvalidPart": (Conflict, "a part of the {subject} is missing or was replaced"),
    "NoSuchBucket": (Unavailable, "there is no such bucket"),
    "NoSuchKey": NOT_FOUND,
    "NoSuchUpload": NOT_FOUND,
    "OperationAborted": BUSY,
    "RequestLimitExceeded": BUSY,
    "RequestTimeout": BUSY,
    "SlowDown": BUSY,
    "Throttling": BUSY,
    "ThrottlingException": BUSY,
    "XAmzContentChecksumMismatch": DAMAGED,
    "XAmzContentSHA256Mismatch": DAMAGED,
}
BY_STATUS: Final[dict[int, Meaning]] = {
    HTTPStatus.NOT_FOUND: NOT_FOUND,
    HTTPStatus.PRECONDITION_FAILED: (AlreadyThere, "the {subject} exists already"),
    HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE: (BadInput, "the {subject} has no such bytes"),
    HTTPStatus.TOO_MANY_REQUESTS: BUSY,
    HTTPStatus.SERVICE_UNAVAILABLE: BUSY,
    HTTPStatus.INSUFFICIENT_STORAGE: (StorageFull, "no room left in S3"),
}
UNKNOWN: Final[Meaning] = Unavailable, "S3 refuses: {code} {message}"


@contextmanager
def translated(subject: str) -> Iterator[None]:
    """`subject` names the requested thing in the message, as in "blob originals/x.jpg"."""
    try:
        yield
    except ClientError as error:
        raise translate(error, subject) from error
    except BotoCoreError as error:
        raise Unavailable(f"S3 cannot be reached: {error}") from error


def translate(error: ClientError, subject: str) -> SparksError:
    code, message = code_of(error), error.response.get("Error", {}).get("Message", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    kind, text = BY_CODE.get(code) or BY_STATUS.get(status) or UNKNOWN
    return kind(text.format(subject=subject, code=code, message=message))


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
