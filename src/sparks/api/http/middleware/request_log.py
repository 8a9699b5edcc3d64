"""Middleware that gives each request its id, log line and metrics."""

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
from sparks.api.http.errors import response_for
from sparks.metrics import Metrics
from sparks.model.errors import Busy

NO_RESPONSE: Final = 499  # the client closed the connection
NO_ROUTE: Final = "(none)"
MAX_PATH_LENGTH: Final = 300
POLLED: Final = frozenset({"/healthz", "/readyz", "/metrics"})  # by monitoring, every few seconds

_VALID_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")

log = logging.getLogger("sparks.access")


class RequestLogMiddleware:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with logs.log_context(request_id=_request_id(scope)), self._metrics.requests_at_hand.track_inprogress():
            await _LoggedResponse(scope, send, self._metrics).run(self._app, receive)


class _LoggedResponse:
    """Passes the response to one request on, and records its status and duration."""

    def __init__(self, scope: Scope, send: Send, metrics: Metrics) -> None:
        self._scope = scope
        self._send = send
        self._metrics = metrics
        self._started = time.perf_counter()
        self._status: int | None = None

    async def run(self, app: ASGIApp, receive: Receive) -> None:
        try:
            await app(self._scope, receive, self._forward)
        except ClientDisconnect:
            log.info("the client closed the connection")
        except (Exception, asyncio.CancelledError) as error:
            response = response_for(
                error if isinstance(error, Exception) else Busy("Sparks is stopping: try again soon")
            )
            if self._status is not None:
                raise  # the server closes the connection, so that the client does not take a part for the whole
            await response(self._scope, receive, self._forward)
        finally:
            self._record()

    async def _forward(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            MutableHeaders(scope=message)["X-Request-Id"] = logs.REQUEST_ID.get() or ""
        await self._send(message)

    def _record(self) -> None:
        seconds = time.perf_counter() - self._started
        status, method = self._status or NO_RESPONSE, self._scope["method"]
        route = _route(self._scope)
        self._metrics.count_request(method=method, route=route, status=status, seconds=seconds)
        path = "/".join("(e-mail)" if "@" in part else part for part in self._scope["path"].split("/"))[
            :MAX_PATH_LENGTH
        ]
        fields = {"method": method, "path": path, "status": status, "seconds": round(seconds, 4)}
        level = logging.DEBUG if route in POLLED and status < HTTPStatus.BAD_REQUEST else logging.INFO
        log.log(level, "%s %s %d", method, path, status, extra=fields)


def _request_id(scope: Scope) -> str:
    """The client's own X-Request-Id, if it is valid, so that its logs and those of Sparks can be compared."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _VALID_ID.fullmatch(value):
            return str(value, "ascii")
    return logs.new_request_id()


def _route(scope: Scope) -> str:
    """The path of the route, with names in place of values. FastAPI sets it for its own routes only."""
    if "route" in scope:
        return str(scope["route"].path)
    if "endpoint" not in scope:
        return NO_ROUTE
    path: str = scope["path"]
    for name, value in reversed(scope["path_params"].items()):
        before, _, behind = path.rpartition(str(value)) if str(value) else (path, "", "")
        path = f"{before}{{{name}}}{behind}"
    return path
