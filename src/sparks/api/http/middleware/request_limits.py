"""Middleware that limits the size, slowness and JSON depth of requests.

The body is read only when the route reads it. So a refusal comes before the body, and instead of `100 Continue`. The
server discards what is left unread; where that may be much, the response closes the connection.

JSON is checked as bytes. Python's parser accepts what JSON does not allow (NaN, UTF-16, halves of surrogate pairs,
numbers that become infinite), and raises an error of its own on deep nesting. Checking the bytes is faster than
checking all values, and other faults are left to the parser.
"""

import asyncio
import logging
import re
import time
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparks.api.http.errors import error_response, response_for
from sparks.model.errors import BadInput, TooLarge

MAX_DEPTH: Final = 32
MAX_VALUES: Final = 200_000
MAX_DIGITS: Final = 64
MAX_BODY: Final = 1_000_000  # bytes, where no other limit is set
MAX_UNREAD: Final = 64 * 1024  # bytes that the server may discard without closing the connection
MAX_URL_LENGTH: Final = 8 * 1024
MAX_HEADER_BYTES: Final = 32 * 1024
CLOSE: Final = (b"connection", b"close")

_DEPTH_STEPS: Final = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_DIGITS_AS_ZERO: Final = bytes.maketrans(b"123456789E", b"000000000e")
_BAD_NUMBERS: Final = (b"N", b"I", b"e000", b"0" * (MAX_DIGITS + 1))  # NaN, Infinity, 1e100, many digits
_SURROGATE_PAIR: Final = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_BODY_HEADERS: Final = frozenset({b"content-length", b"transfer-encoding", b"content-type", b"expect"})

log = logging.getLogger(__name__)


def check_json(body: bytes) -> None:
    """BadInput for JSON that is too large or deep, cannot be stored, or has numbers that no client can mean."""
    _check_characters(body)
    if b"\\" in body:
        body = body.replace(b"\\\\", b"__")  # each backslash that is left begins an escape
        _check_escapes(body)
        body = body.replace(b'\\"', b"__")
    if sum(map(body.count, (b'"', b",", b"[", b"{"))) > MAX_VALUES:
        raise BadInput("the JSON has too many values: send them in several requests")
    without_strings = b'""'.join(body.split(b'"')[::2])
    if depth_of(without_strings) > MAX_DEPTH:
        raise BadInput(f"the JSON is nested deeper than {MAX_DEPTH} levels")
    numbers = without_strings.translate(_DIGITS_AS_ZERO, b"+")
    if any(bad in numbers for bad in _BAD_NUMBERS):
        raise BadInput(
            f"the JSON has a number that Sparks does not accept: NaN, 1e100 or more than {MAX_DIGITS} digits"
        )


def depth_of(without_strings: bytes) -> int:
    """The nesting depth of JSON without its strings. Where brackets do not match, no parser gets deeper."""
    return max(accumulate(array("b", without_strings.translate(_DEPTH_STEPS, _NO_BRACKETS))), default=0)


def _check_characters(body: bytes) -> None:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"the JSON is not UTF-8 at byte {error.start}") from error
    if b"\0" in body:
        raise BadInput("the JSON has a NUL character: leave it out")


def _check_escapes(body: bytes) -> None:
    if b"\\u0000" in body:
        raise BadInput("the JSON has a NUL character: leave it out")
    if _SURROGATE.search(body) and _SURROGATE.search(_SURROGATE_PAIR.sub(b"__", body)):
        raise BadInput("the JSON has half of a surrogate pair, which is no character: leave it out")


@dataclass(frozen=True, slots=True)
class BodyTimeouts:
    """`silence`: the longest wait for the next bytes. Once the waits add up to more, at least `bytes_a_second` must
    have come on average.
    """

    silence: float = 30
    bytes_a_second: float = 500

    def next_wait(self, *, waited: float, received: int) -> float:
        """The most seconds to wait for the next bytes. Only time spent waiting counts."""
        return min(self.silence, self.silence + received / self.bytes_a_second - waited)


@dataclass(frozen=True, slots=True)
class DeclaredBody:
    """The body as the headers declare it; `length` is None for a chunked body."""

    length: int | None
    is_json: bool
    waits_for_100: bool


class RequestBodyMiddleware:
    """ASGI middleware. `limits` are bytes by path; a path that ends in a slash stands for all paths that begin with it.

    None means that the route limits the body and checks JSON itself. Elsewhere JSON is limited to `MAX_BODY`.
    """

    def __init__(self, app: ASGIApp, *, limits: Mapping[str, int | None], timeouts: BodyTimeouts | None = None) -> None:
        self._app = app
        self._limits = limits
        self._timeouts = timeouts or BodyTimeouts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        declared = _declared(scope) if scope["type"] == "http" else None
        if declared is None:
            await self._app(scope, receive, send)
            return
        limit = self._limit(scope["path"], is_json=declared.is_json)
        body = _Body(receive, send, declared=declared, limit=limit, timeouts=self._timeouts)
        try:
            if body.fault is None:
                await self._app(scope, body.receive, body.send)
        except Exception as error:
            if body.fault is None or body.responded:
                raise
            if error is not body.fault:
                log.warning("a route failed on a body that it could not read", exc_info=error)
        if body.fault is not None and not body.responded:
            await response_for(body.fault)(scope, receive, body.forward)

    def _limit(self, path: str, *, is_json: bool) -> int | None:
        for place, limit in self._limits.items():
            if path == place or (place.endswith("/") and path.startswith(place)):
                return min(limit, MAX_BODY) if limit is not None and is_json else limit
        return MAX_BODY


def _declared(scope: Scope) -> DeclaredBody | None:
    """None for a request without a body. The server has checked that there is one Content-Length, and a number."""
    headers = {name: value for name, value in scope["headers"] if name in _BODY_HEADERS}
    chunked, length = b"transfer-encoding" in headers, int(headers.get(b"content-length", 0))
    if not chunked and not length:
        return None
    return DeclaredBody(
        length=None if chunked else length,
        is_json=b"json" in headers.get(b"content-type", b"").lower(),
        waits_for_100=headers.get(b"expect", b"").lower() == b"100-continue",
    )


class _Body:
    """The body of one request, and its response. A fault of the body takes precedence over the route's response."""

    def __init__(
        self, receive: Receive, send: Send, *, declared: DeclaredBody, limit: int | None, timeouts: BodyTimeouts
    ) -> None:
        self._receive = receive
        self._send = send
        self._declared = declared
        self._limit = limit
        self._timeouts = timeouts
        self._is_read = False
        self._ended = False
        self._received = 0
        self._waited = 0.0
        self._chunks: list[bytes] = []
        too_large = limit is not None and declared.length is not None and declared.length > limit
        self.fault: Exception | None = _too_large(limit) if too_large else None
        self.responded = False

    async def receive(self) -> Message:
        if self.fault is not None and not self.responded:
            raise self.fault
        if self._ended or self.responded:  # only a disconnect can still come
            return await self._receive()
        try:
            return await (self._whole() if self._declared.is_json and self._limit is not None else self._next())
        except (BadInput, HTTPException) as fault:
            return await self._fail(fault)

    async def _fail(self, fault: Exception) -> Message:
        """A response that has begun meanwhile is not replaced."""
        if self.responded:
            return await self._receive()
        self.fault = fault
        raise fault

    async def _whole(self) -> Message:
        """The whole JSON body in one message. If the wait is cancelled, the chunks that have come are kept."""
        while not self._ended:
            message = await self._next()
            if message["type"] != "http.request":
                return message
            self._chunks.append(message.get("body", b""))
        body = b"".join(self._chunks)
        check_json(body)
        return {"type": "http.request", "body": body, "more_body": False}

    async def _next(self) -> Message:
        self._is_read = True
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._timeouts.next_wait(waited=self._waited, received=self._received)):
                message = await self._receive()
        except TimeoutError as error:
            raise HTTPException(408, "the body arrived too slowly: try again") from error
        finally:
            self._waited += time.monotonic() - started
        self._received += len(message.get("body", b""))
        self._ended = not message.get("more_body", False)
        if self._limit is not None and self._received > self._limit:
            raise _too_large(self._limit)
        return message

    async def send(self, message: Message) -> None:
        if self.fault is None or self.responded:
            await self.forward(message)

    async def forward(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.responded = True
            if not self._ended and self._closes():
                message["headers"] = [*message.get("headers", ()), CLOSE]
        await self._send(message)

    def _closes(self) -> bool:
        """Whether to close the connection: too much may be left unread, or the client waits for `100 Continue` and may
        never send the body.
        """
        declared = self._declared
        return (
            self.fault is not None
            or declared.length is None
            or declared.length - self._received > MAX_UNREAD
            or (declared.waits_for_100 and not self._is_read)
        )


def _too_large(limit: int | None) -> TooLarge:
    return TooLarge(f"the body has more than {limit} bytes, the limit of this route")


class RequestHeadMiddleware:
    """ASGI middleware that limits URL and headers. The server's own limits only cover heads that it cannot parse."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)


def _refusal(scope: Scope) -> Response | None:
    path, query = scope["path"], scope["query_string"]
    if len(scope.get("raw_path") or path) + len(query) > MAX_URL_LENGTH:
        return error_response(414, "URI_TOO_LONG", f"the URL has more than {MAX_URL_LENGTH} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        message = f"the headers have more than {MAX_HEADER_BYTES} bytes: remove cookies or other headers"
        return error_response(431, "REQUEST_HEADER_FIELDS_TOO_LARGE", message)
    if "\0" in path or b"%00" in query or b"\0" in query:
        return error_response(400, "BAD_INPUT", "the URL has a NUL character: leave it out")
    return None
