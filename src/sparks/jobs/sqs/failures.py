"""What SQS's errors mean to Sparks. The client has made the call several times before they are heard here."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NotConnected
from botocore.parsers import ResponseParserError

from sparks.model.errors import Busy, SparksError, Unavailable

FIRST_SERVER_STATUS: Final = 500
FAMILY: Final = "AWS.SimpleQueueService."  # some servers, and some versions of the client, say it before the code
MISSING: Final = frozenset({"NonExistentQueue", "QueueDoesNotExist"})
PASSING: Final = frozenset({"OverLimit", "QueueDeletedRecently", "TooManyRequestsException"})
NOT_OURS: Final = frozenset({"InvalidReceiptHandle", "MessageNotInflight", "ReceiptHandleIsInvalid"})


@contextmanager
def translated(queue: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        raise _judge(error, queue) from error
    except (HTTPClientError, NotConnected) as error:
        raise Unavailable(f"the queue {queue} cannot be reached: {error}") from error
    except (BotoCoreError, ResponseParserError) as error:
        raise Unavailable(f"the queue {queue} cannot be used: {error}") from error


def _judge(error: ClientError, queue: str) -> SparksError:
    code = code_of(error)
    if code in MISSING:
        return Unavailable(f"the queue {queue} does not exist: run `sparks create`")
    if code in PASSING or "Throttl" in code or _status(error) >= FIRST_SERVER_STATUS:
        return Busy(f"the queue {queue} is busy ({code}); try again later")
    return Unavailable(f"the queue {queue} refuses: {code} {_message(error)}")


def is_not_ours(error: ClientError) -> bool:
    """Whether this is how SQS says that a lease has ended. An ordered queue says it in the text of a general error."""
    expired = code_of(error) == "InvalidParameterValue" and "receipt handle has expired" in _message(error)
    return expired or code_of(error) in NOT_OURS


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "")).removeprefix(FAMILY)


def _message(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Message", ""))


def _status(error: ClientError) -> int:
    return error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
