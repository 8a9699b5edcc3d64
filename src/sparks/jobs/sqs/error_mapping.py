"""Mapping of SQS errors to Sparks errors.

The client has already retried the call.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NotConnected
from botocore.parsers import ResponseParserError

from sparks.model.errors import Busy, SparksError, Unavailable

SERVER_ERROR: Final = 500
CODE_PREFIX: Final = "AWS.SimpleQueueService."  # some servers and client versions put it before the code
MISSING: Final = frozenset({"NonExistentQueue", "QueueDoesNotExist"})
TRANSIENT: Final = frozenset({"OverLimit", "QueueDeletedRecently", "TooManyRequestsException"})
LEASE_LOST: Final = frozenset({"InvalidReceiptHandle", "MessageNotInflight", "ReceiptHandleIsInvalid"})


@contextmanager
def translated(queue: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        raise _map_error(error, queue) from error
    except (HTTPClientError, NotConnected) as error:
        raise Unavailable(f"the queue {queue} cannot be reached: {error}") from error
    except (BotoCoreError, ResponseParserError) as error:
        raise Unavailable(f"the queue {queue} cannot be used: {error}") from error


def _map_error(error: ClientError, queue: str) -> SparksError:
    code = code_of(error)
    if code in MISSING:
        return Unavailable(f"the queue {queue} does not exist: run `sparks create`")
    if code in TRANSIENT or "Throttl" in code or _status(error) >= SERVER_ERROR:
        return Busy(f"the queue {queue} is busy ({code}); try again later")
    return Unavailable(f"the queue {queue} refuses: {code} {_message(error)}")


def is_lease_lost(error: ClientError) -> bool:
    """Whether the error means that a lease has ended. FIFO queues say so in the text of a general error."""
    expired = code_of(error) == "InvalidParameterValue" and "receipt handle has expired" in _message(error)
    return expired or code_of(error) in LEASE_LOST


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "")).removeprefix(CODE_PREFIX)


def _message(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Message", ""))


def _status(error: ClientError) -> int:
    return error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
