"""Faults that no local server produces, injected between botocore and a real server."""

import json
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Send = Callable[[AWSPreparedRequest], AWSResponse]
Fault = Callable[[AWSPreparedRequest, Send], AWSResponse]


class Faults:
    """The faults that the next requests of an operation meet, one each; the requests behind them go through."""

    def __init__(self, client: "DynamoDBClient") -> None:
        self._send: Send = client._endpoint.http_session.send  # type: ignore[attr-defined]
        self._coming: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self.requests: list[str] = []
        handle: Any = self._handle
        client.meta.events.register("before-send.dynamodb", handle)

    def inject(self, operation: str, *faults: Fault) -> None:
        self._coming[operation].extend(faults)

    def _handle(self, request: AWSPreparedRequest, event_name: str, **_: Any) -> AWSResponse | None:
        operation = event_name.rpartition(".")[2]
        self.requests.append(operation)
        coming = self._coming[operation]
        return coming.popleft()(request, self._send) if coming else None


class PassingTime:
    """A clock that moves only by `sleep`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def answer(status: int, body: dict[str, Any]) -> Fault:
    """The request never reaches the server."""
    return lambda request, _send: _response(request, status, json.dumps(body).encode())


def refuse(code: str, *, status: int = 400, **body: Any) -> Fault:
    return answer(status, {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "injected", **body})


def cancel(*codes: str) -> Fault:
    return refuse("TransactionCanceledException", CancellationReasons=[{"Code": code} for code in codes])


def lose_answer(request: AWSPreparedRequest, send: Send) -> AWSResponse:
    """The server executes the request, and its response is lost."""
    assert send(request).status_code < 500
    raise ReadTimeoutError(endpoint_url=request.url)


def cut_connection(request: AWSPreparedRequest, _send: Send) -> AWSResponse:
    raise ConnectionClosedError(endpoint_url=request.url)


def garble(request: AWSPreparedRequest, send: Send) -> AWSResponse:
    """The server executes the request, and its response is replaced by another one, with a wrong checksum."""
    return _response(request, 200, b"{}", {"x-amz-crc32": str(zlib.crc32(send(request).content) ^ 1)})


def change_answer(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Fault:
    def fault(request: AWSPreparedRequest, send: Send) -> AWSResponse:
        return _response(request, 200, json.dumps(change(json.loads(send(request).content))).encode())

    return fault


class _Body:
    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> Iterator[bytes]:
        yield self._content


def _response(
    request: AWSPreparedRequest, status: int, content: bytes, more: dict[str, str] | None = None
) -> AWSResponse:
    headers: Any = {"content-type": "application/x-amz-json-1.0"} | (more or {})
    return AWSResponse(request.url, status, headers, _Body(content))
