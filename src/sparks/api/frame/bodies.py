"""The body of a request: how large it may be, how slowly it may come, and which JSON is not even parsed.

[Note: when it is read] Nothing is read before a route asks for it, so that a refusal comes before the body, and in the
place of `100 Continue`. What is left unread the server drops; where that may be much, the answer says that it hangs up.
"""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparks.api.errors import answer_to
from sparks.api.frame.json_text import check_json
from sparks.model.errors import BadInput, TooLarge

CAP: Final = 1_000_000
READ_ANYWAY: Final = 64 * 1024
HANG_UP: Final = (b"connection", b"close")

_TELLING: Final = frozenset({b"content-length", b"transfer-encoding", b"content-type", b"expect"})

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """The longest silence; and once that long was waited in all, the bytes that must have come each second."""

    silence: float = 30
    bytes_a_second: float = 500

    def patience(self, *, waited: float, received: int) -> float:
        """Seconds that the next bytes may take. Waiting is all that counts, not what is done between."""
        return min(self.silence, self.silence + received / self.bytes_a_second - waited)


@dataclass(frozen=True, slots=True)
class Announced:
    """What the headers tell about a body; `length` is None where it comes in chunks."""

    length: int | None
    is_json: bool
    waits_for_100: bool


class Bodies:
    """ASGI middleware. `caps` are bytes by path, or by what a path begins with if that ends in a slash.

    None is no cap, and no look at the JSON either: the route does both. JSON is capped at `CAP` everywhere else.
    """

    def __init__(self, app: ASGIApp, *, caps: Mapping[str, int | None], pace: Pace | None = None) -> None:
        self._app = app
        self._caps = caps
        self._pace = pace or Pace()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        announced = _announced(scope) if scope["type"] == "http" else None
        if announced is None:
            await self._app(scope, receive, send)
            return
        cap = self._cap(scope["path"], is_json=announced.is_json)
        body = _Body(receive, send, announced=announced, cap=cap, pace=self._pace)
        try:
            if body.fault is None:
                await self._app(scope, body.receive, body.send)
        except Exception as error:
            if body.fault is None or body.answered:
                raise
            if error is not body.fault:
                log.warning("a route failed over a body that it could not read", exc_info=error)
        if body.fault is not None and not body.answered:
            await answer_to(body.fault)(scope, receive, body.pass_on)

    def _cap(self, path: str, *, is_json: bool) -> int | None:
        for place, cap in self._caps.items():
            if path == place or (place.endswith("/") and path.startswith(place)):
                return min(cap, CAP) if cap is not None and is_json else cap
        return CAP


def _announced(scope: Scope) -> Announced | None:
    """None for a request without a body. The server has made sure that a length is a number, and told once."""
    headers = {name: value for name, value in scope["headers"] if name in _TELLING}
    chunked, length = b"transfer-encoding" in headers, int(headers.get(b"content-length", 0))
    if not chunked and not length:
        return None
    return Announced(
        length=None if chunked else length,
        is_json=b"json" in headers.get(b"content-type", b"").lower(),
        waits_for_100=headers.get(b"expect", b"").lower() == b"100-continue",
    )


class _Body:
    """One body on its way in, and the answer on its way out. A fault of the body beats what the route answers."""

    def __init__(self, receive: Receive, send: Send, *, announced: Announced, cap: int | None, pace: Pace) -> None:
        self._receive = receive
        self._send = send
        self._announced = announced
        self._cap = cap
        self._pace = pace
        self._asked_for = False
        self._ended = False
        self._received = 0
        self._waited = 0.0
        self._held: list[bytes] = []
        too_large = cap is not None and announced.length is not None and announced.length > cap
        self.fault: Exception | None = _too_large(cap) if too_large else None
        self.answered = False

    async def receive(self) -> Message:
        if self.fault is not None and not self.answered:
            raise self.fault
        if self._ended or self.answered:  # all that can come and matter is that the client goes away
            return await self._receive()
        try:
            return await (self._whole() if self._announced.is_json and self._cap is not None else self._next())
        except (BadInput, HTTPException) as fault:
            return await self._fail(fault)

    async def _fail(self, fault: Exception) -> Message:
        """An answer that has begun meanwhile goes on."""
        if self.answered:
            return await self._receive()
        self.fault = fault
        raise fault

    async def _whole(self) -> Message:
        """All of the body at once, as far as JSON; what has come stays here if the waiting is cancelled."""
        while not self._ended:
            message = await self._next()
            if message["type"] != "http.request":
                return message
            self._held.append(message.get("body", b""))
        body = b"".join(self._held)
        check_json(body)
        return {"type": "http.request", "body": body, "more_body": False}

    async def _next(self) -> Message:
        self._asked_for = True
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._pace.patience(waited=self._waited, received=self._received)):
                message = await self._receive()
        except TimeoutError as error:
            raise HTTPException(408, "the body came too slowly: try again") from error
        finally:
            self._waited += time.monotonic() - began
        self._received += len(message.get("body", b""))
        self._ended = not message.get("more_body", False)
        if self._cap is not None and self._received > self._cap:
            raise _too_large(self._cap)
        return message

    async def send(self, message: Message) -> None:
        if self.fault is None or self.answered:
            await self.pass_on(message)

    async def pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.answered = True
            if not self._ended and self._hangs_up():
                message["headers"] = [*message.get("headers", ()), HANG_UP]
        await self._send(message)

    def _hangs_up(self) -> bool:
        """Whether what is unread may be too much to wait for; one who waits for `100 Continue` may not send it."""
        announced = self._announced
        return (
            self.fault is not None
            or announced.length is None
            or announced.length - self._received > READ_ANYWAY
            or (announced.waits_for_100 and not self._asked_for)
        )


def _too_large(cap: int | None) -> TooLarge:
    return TooLarge(f"the body has more than {cap} bytes, which is all that is taken here")
