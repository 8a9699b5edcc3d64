"""One client's connection: how slow and how long-winded it may be, and how it ends.

[Note: hanging up] A socket that is closed while the client still sends is reset, and the client may lose an answer that
was already on its way. So Sparks says that it is done (a half-close) and goes on reading for a while, only to drop it.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from sparks.supervisor.refusal import refusal
from sparks.supervisor.waiting import Deadline


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a connection may take: `head_seconds` from its beginning, or from a request's first byte, to a whole head;
    the rest of a request that was answered already; and `stalled_seconds` for a client that does not read its answer.
    """

    head_bytes: int = 32 * 1024
    url_bytes: int = 8 * 1024
    head_seconds: float = 10
    dropped_bytes: int = 16_000_000
    dropped_seconds: float = 5
    stalled_seconds: float = 300
    pipelined: int = 32


class Connection(HttpToolsProtocol):
    """How slowly a body may come is for the application to say: it knows when it waits for one."""

    bounds: ClassVar[Bounds] = Bounds()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._reading: Literal["nothing", "head", "body"] = "nothing"
        self._heads = 0
        self._head_bytes = 0
        self._dropped = 0
        self._hanging_up = False
        self._deadline = Deadline(self.loop)
        self._stalled = Deadline(self.loop)
        self._running: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._running is not None and not self._running.response_complete:
            self._tell_gone(self._running)  # uvicorn tells only the last request that came, even if it waits its turn
        self._unset_keepalive_if_required()
        self._deadline.clear()
        self._stalled.clear()

    def data_received(self, data: bytes) -> None:
        if self._hanging_up:
            self._drop(len(data))
            return
        heads, in_body = self._heads, self._reading == "body"
        super().data_received(data)
        if not in_body and heads == self._heads:
            self._count_head(len(data))
        self._watch()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._reading = "head"

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade() and self._has_body():  # the parser would take the body for another request
            self._refuse(400, "BAD_REQUEST", "a request with a body cannot ask for an upgrade: leave Upgrade out")
            raise ValueError("refused")
        if len(self.pipeline) >= self.bounds.pipelined:
            self._refuse(400, "BAD_REQUEST", "too many requests came ahead of their answers")
            raise ValueError("refused")
        super().on_headers_complete()
        if self.parser.should_upgrade():  # what comes behind it may be meant for another protocol
            self.cycle.keep_alive = False
        self._reading = "body"
        self._heads += 1
        self._head_bytes = self._dropped = 0

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        cycle.transport = cast("asyncio.Transport", _Outlet(self.transport, self._end))
        super()._start_asgi_task(cycle, app)

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        if self.cycle.response_complete:
            self._drop(len(body))

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._reading = "nothing"

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def timeout_keep_alive_handler(self) -> None:
        self._close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled.set(self.transport.abort, self.bounds.stalled_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stalled.clear()

    def _unsupported_upgrade_warning(self) -> None:
        """To go on in HTTP/1.1 is what the client expects, and no news."""

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

    def _watch(self) -> None:
        """Sets the deadline of what the client should do next; where nothing is begun, uvicorn's own one may run."""
        if self._hanging_up or self.transport.is_closing():
            return
        if self._is_answering():
            self._deadline.clear()
        elif self._reading == "body":
            self._deadline.set(self._close, self.bounds.dropped_seconds)
        elif self._reading == "head" or self.timeout_keep_alive_task is None:
            self._deadline.set(self._on_slow_head, self.bounds.head_seconds)
        else:
            self._deadline.clear()

    def _on_slow_head(self) -> None:
        if self._reading == "head":
            self._refuse(408, "REQUEST_TIMEOUT", f"the request was not there within {self.bounds.head_seconds:g} s")
        else:
            self._close()

    def _is_answering(self) -> bool:
        return self._heads > 0 and not self.cycle.response_complete

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Answers what cannot be read, where it is its turn, and hangs up. A request before it keeps its answer."""
        if self._hanging_up:
            return
        if self._reading != "body":
            if self._is_answering():
                self.cycle.keep_alive = False
                self._hanging_up = True
                return
            self._answer(status, code, message)
        elif self._is_answering():
            if self.pipeline:
                self._close()
                return
            if not self.cycle.response_started:
                self._answer(status, code, message)
            self._tell_gone(self.cycle)
        self._hang_up()

    def _answer(self, status: int, code: str, message: str) -> None:
        self.transport.write(refusal(status, code, message, headers=self.server_state.default_headers))

    def _end(self) -> None:
        """The answer is sent, or has broken off, and the connection is not kept."""
        if self._reading != "nothing" or self._hanging_up:
            self._hang_up()
        else:
            self._close()

    def _tell_gone(self, cycle: RequestResponseCycle) -> None:
        cycle.disconnected = True
        cycle.message_event.set()

    def _hang_up(self) -> None:
        if self.transport.is_closing():
            return
        self._hanging_up = True
        self._deadline.set(self._close, self.bounds.dropped_seconds)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.flow.resume_reading()

    def _drop(self, size: int) -> None:
        self._dropped += size
        if self._dropped > self.bounds.dropped_bytes:
            self._close()

    def _close(self) -> None:
        """What is still to be sent is sent first, unless the client does not take it."""
        if self.transport.is_closing():
            return
        self.transport.close()
        self._deadline.set(self.transport.abort, self.bounds.stalled_seconds)


class _Outlet:
    """What the answer to a request goes out by: the transport, but for its end."""

    __slots__ = ("close", "is_closing", "write")

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close
