"""Uvicorn protocol with timeouts, header limits and a clean close.

A socket that is closed while the client still sends is reset, and the client may lose a response that was already on
its way. So Sparks closes its own direction only, and reads and discards input for a while.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar, Final, Literal, cast

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from sparks import logs
from sparks.supervisor.deadlines import Deadline

ERROR_HEADERS: Final = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"connection", b"close"),
)

log = logging.getLogger(__name__)


def bad_request_response(status: int, code: str, message: str, *, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A whole response with an error body and these headers; the log line has the same request id."""
    request_id = logs.new_request_id()
    with logs.log_context(request_id=request_id):
        log.info("an incomplete request was refused: %s", message, extra={"status": status})
    body = msgspec.json.encode({"error": code, "message": message, "requestId": request_id})
    fields = ((b"x-request-id", request_id.encode()), (b"content-length", b"%d" % len(body)))
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
    lines += [b"%b: %b" % header for header in (*headers, *ERROR_HEADERS, *fields)]
    return b"\r\n".join((*lines, b"", body))


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of one connection.

    `head_seconds`: from the connection, or the first byte of a request, to its last header. `dropped_bytes` and
    `dropped_seconds`: the rest of a request that was answered already. `stalled_seconds`: a client that does not read
    its response. `pipelined`: requests that are sent before their responses.
    """

    head_bytes: int = 32 * 1024
    url_bytes: int = 8 * 1024
    head_seconds: float = 10
    dropped_bytes: int = 16_000_000
    dropped_seconds: float = 5
    stalled_seconds: float = 300
    pipelined: int = 32


class HttpConnection(HttpToolsProtocol):
    """Limits the head of a request. The application limits the body: it knows when it waits for one."""

    bounds: ClassVar[ConnectionLimits] = ConnectionLimits()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._reading: Literal["nothing", "head", "body"] = "nothing"
        self._heads = 0
        self._head_bytes = 0
        self._dropped = 0
        self._discards_input = False
        self._deadline = Deadline(self.loop)
        self._stalled = Deadline(self.loop)
        self._running: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._update_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._running is not None and not self._running.response_complete:
            self._mark_disconnected(self._running)  # uvicorn marks only the last request, even if it still waits
        self._unset_keepalive_if_required()
        self._deadline.clear()
        self._stalled.clear()

    def data_received(self, data: bytes) -> None:
        if self._discards_input:
            self._discard(len(data))
            return
        heads, in_body = self._heads, self._reading == "body"
        super().data_received(data)
        if not in_body and heads == self._heads:
            self._count_head(len(data))
        self._update_deadline()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._reading = "head"

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade() and self._has_body():  # the parser would read the body as another request
            self._refuse(400, "BAD_REQUEST", "a request with a body cannot ask for an upgrade: leave Upgrade out")
            raise ValueError("refused")
        if len(self.pipeline) >= self.bounds.pipelined:
            self._refuse(400, "BAD_REQUEST", "too many requests were sent before their responses")
            raise ValueError("refused")
        super().on_headers_complete()
        if self.parser.should_upgrade():  # the bytes that follow may belong to another protocol
            self.cycle.keep_alive = False
        self._reading = "body"
        self._heads += 1
        self._head_bytes = self._dropped = 0

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        cycle.transport = cast("asyncio.Transport", _ResponseTransport(self.transport, self._end))
        super()._start_asgi_task(cycle, app)

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        if self.cycle.response_complete:
            self._discard(len(body))

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._reading = "nothing"

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._update_deadline()

    def timeout_keep_alive_handler(self) -> None:
        self._close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled.set(self.transport.abort, self.bounds.stalled_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stalled.clear()

    def _unsupported_upgrade_warning(self) -> None:
        """No warning: the client expects that the connection continues in HTTP/1.1."""

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "BAD_REQUEST", f"{msg} Sparks speaks HTTP/1.1 here.")

    def _has_body(self) -> bool:
        return any(
            name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
            for name, value in self.headers
        )

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > self.bounds.head_bytes:
            if self._reading == "head" and len(self.url) > self.bounds.url_bytes:
                self._refuse(414, "URI_TOO_LONG", f"the address has more than {self.bounds.url_bytes} bytes")
            else:
                message = f"the headers have more than {self.bounds.head_bytes} bytes: remove cookies or other headers"
                self._refuse(431, "REQUEST_HEADER_FIELDS_TOO_LARGE", message)

    def _update_deadline(self) -> None:
        """Sets the deadline for the client's next step. Between requests, uvicorn's keep-alive timeout may run."""
        if self._discards_input or self.transport.is_closing():
            return
        if self._is_responding():
            self._deadline.clear()
        elif self._reading == "body":
            self._deadline.set(self._close, self.bounds.dropped_seconds)
        elif self._reading == "head" or self.timeout_keep_alive_task is None:
            self._deadline.set(self._on_slow_head, self.bounds.head_seconds)
        else:
            self._deadline.clear()

    def _on_slow_head(self) -> None:
        if self._reading == "head":
            self._refuse(408, "REQUEST_TIMEOUT", f"the headers did not arrive within {self.bounds.head_seconds:g} s")
        else:
            self._close()

    def _is_responding(self) -> bool:
        return self._heads > 0 and not self.cycle.response_complete

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Responds to a request that cannot be read, unless an earlier one is being answered, and half-closes."""
        if self._discards_input:
            return
        if self._reading != "body":
            if self._is_responding():
                self.cycle.keep_alive = False
                self._discards_input = True
                return
            self._respond(status, code, message)
        elif self._is_responding():
            if self.pipeline:
                self._close()
                return
            if not self.cycle.response_started:
                self._respond(status, code, message)
            self._mark_disconnected(self.cycle)
        self._half_close()

    def _respond(self, status: int, code: str, message: str) -> None:
        self.transport.write(bad_request_response(status, code, message, headers=self.server_state.default_headers))

    def _end(self) -> None:
        """Called when the response is sent, or has broken off, and the connection is not kept alive."""
        if self._reading != "nothing" or self._discards_input:
            self._half_close()
        else:
            self._close()

    def _mark_disconnected(self, cycle: RequestResponseCycle) -> None:
        cycle.disconnected = True
        cycle.message_event.set()

    def _half_close(self) -> None:
        if self.transport.is_closing():
            return
        self._discards_input = True
        self._deadline.set(self._close, self.bounds.dropped_seconds)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.flow.resume_reading()

    def _discard(self, size: int) -> None:
        self._dropped += size
        if self._dropped > self.bounds.dropped_bytes:
            self._close()

    def _close(self) -> None:
        """Sends the rest of the response first, unless the client does not read it."""
        if self.transport.is_closing():
            return
        self.transport.close()
        self._deadline.set(self.transport.abort, self.bounds.stalled_seconds)


class _ResponseTransport:
    """The transport as the response sees it: `close` is replaced."""

    __slots__ = ("close", "is_closing", "write")

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close
