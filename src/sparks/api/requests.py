"""Around every request: its id, its log line, its count, and an answer when all else fails."""

import asyncio
import logging
import re
import time
from http import HTTPStatus
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparks import logs
from sparks.api.errors import answer_to
from sparks.metrics import Metrics
from sparks.model.errors import Busy

NO_ANSWER: Final = 499  # the client went away
NO_ROUTE: Final = "(none)"
LONGEST_PATH: Final = 300
POLLED: Final = frozenset({"/healthz", "/readyz", "/metrics"})  # every few seconds, by machines

_SANE_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")

log = logging.getLogger("sparks.access")


class Requests:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with logs.about(request_id=_request_id(scope)), self._metrics.requests_at_hand.track_inprogress():
            await _Answer(scope, send, self._metrics).come_from(self._app, receive)


class _Answer:
    """One request on its way: which status it was answered with, and how long that took."""

    def __init__(self, scope: Scope, send: Send, metrics: Metrics) -> None:
        self._scope = scope
        self._send = send
        self._metrics = metrics
        self._began = time.perf_counter()
        self._status: int | None = None

    async def come_from(self, app: ASGIApp, receive: Receive) -> None:
        try:
            await app(self._scope, receive, self._pass_on)
        except ClientDisconnect:
            log.info("the client went away")
        except (Exception, asyncio.CancelledError) as error:
            answer = answer_to(error if isinstance(error, Exception) else Busy("Sparks is stopping: try again soon"))
            if self._status is not None:
                raise  # the server breaks the connection off, so that nobody takes the part for the whole
            await answer(self._scope, receive, self._pass_on)
        finally:
            self._record()

    async def _pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            MutableHeaders(scope=message)["X-Request-Id"] = logs.REQUEST_ID.get() or ""
        await self._send(message)

    def _record(self) -> None:
        seconds = time.perf_counter() - self._began
        status, method = self._status or NO_ANSWER, self._scope["method"]
        route = _route(self._scope)
        self._metrics.count_request(method=method, route=route, status=status, seconds=seconds)
        path = "/".join("(e-mail)" if "@" in part else part for part in self._scope["path"].split("/"))[:LONGEST_PATH]
        fields = {"method": method, "path": path, "status": status, "seconds": round(seconds, 4)}
        level = logging.DEBUG if route in POLLED and status < HTTPStatus.BAD_REQUEST else logging.INFO
        log.log(level, "%s %s %d", method, path, status, extra=fields)


def _request_id(scope: Scope) -> str:
    """The caller's own id, if it sent a sane one, so that its log and ours can be laid side by side."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _SANE_ID.fullmatch(value):
            return str(value, "ascii")
    return logs.new_request_id()


def _route(scope: Scope) -> str:
    """The path with names in the place of values. FastAPI tells it for its own routes, but not for plain ones."""
    if "route" in scope:
        return str(scope["route"].path)
    if "endpoint" not in scope:
        return NO_ROUTE
    path: str = scope["path"]
    for name, value in reversed(scope["path_params"].items()):
        before, _, behind = path.rpartition(str(value)) if str(value) else (path, "", "")
        path = f"{before}{{{name}}}{behind}"
    return path
