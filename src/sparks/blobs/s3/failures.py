"""What S3's errors mean to Sparks. Those that may pass by themselves were tried again by botocore before."""

import errno
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
DAMAGED: Final[Meaning] = Damaged, "the bytes of the {subject} did not arrive as they were sent"
NOT_FOUND: Final[Meaning] = NotFound, "there is no {subject}"
BY_CODE: Final[dict[str, Meaning]] = {
    "BadDigest": DAMAGED,
    "ConditionalRequestConflict": BUSY,  # another write or deletion at the same moment: which of them won is not said
    "EntityTooLarge": (TooLarge, "the {subject} is larger than S3 takes"),
    "EntityTooSmall": (BadInput, "a part of the {subject} is too small, and not the last"),
    "InvalidPart": (Conflict, "a part of the {subject} is missing or another one by now"),
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
    HTTPStatus.PRECONDITION_FAILED: (AlreadyThere, "there is a {subject} already"),
    HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE: (BadInput, "there are no such bytes in the {subject}"),
    HTTPStatus.TOO_MANY_REQUESTS: BUSY,
    HTTPStatus.SERVICE_UNAVAILABLE: BUSY,
    HTTPStatus.INSUFFICIENT_STORAGE: (StorageFull, "no room left in S3"),
}
UNFORESEEN: Final[Meaning] = Unavailable, "S3 refuses: {code} {message}"


@contextmanager
def translated(subject: str) -> Iterator[None]:
    """`subject` is what was asked for, as in "blob originals/x.jpg"."""
    try:
        yield
    except ClientError as error:
        raise translate(error, subject) from error
    except BotoCoreError as error:
        raise Unavailable(f"S3 cannot be reached: {error}") from error


@contextmanager
def translated_disk() -> Iterator[None]:
    """Around what is written to the temporary folder on its way to S3."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull("no room left in the folder for temporary files") from error
        raise Unavailable(f"the folder for temporary files cannot be used: {error.strerror}") from error


def translate(error: ClientError, subject: str) -> SparksError:
    code, message = code_of(error), error.response.get("Error", {}).get("Message", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    kind, text = BY_CODE.get(code) or BY_STATUS.get(status) or UNFORESEEN
    return kind(text.format(subject=subject, code=code, message=message))


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
