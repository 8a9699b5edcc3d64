"""An application behind the server of `sparks serve`, on a thread, and clients that use sockets."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from sparks.supervisor.http_connection import HttpConnection
from tests.servers.process import wait_until

PATIENCE = 60


@contextmanager
def served(app: ASGIApp, *, connection: type[HttpConnection] = HttpConnection, keep_alive: int = 75) -> Iterator[int]:
    """The port of the application."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=keep_alive,
            timeout_graceful_shutdown=1,
        )
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_until(lambda: server.started, what="the server")
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Caller:
    """A client that sends given bytes, one by one if need be, and reads responses."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._reader = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read_answer(self) -> Answer:
        """The next whole response; EOFError where the connection ends before."""
        status = int(self._line().split()[1])
        headers: dict[str, str] = {}
        while line := self._line():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        size = 0 if status == 100 else int(headers["content-length"])
        body = self._reader.read(size)
        if len(body) < size:
            raise EOFError
        return Answer(status, headers, body)

    def read_to_the_end(self) -> bytes:
        """All bytes until the server closes the connection."""
        return self._reader.read()

    def ended(self) -> bool:
        """Whether nothing more comes until the server closes the connection."""
        return not self.read_to_the_end()

    def _line(self) -> str:
        line = self._reader.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError
        return line.decode().strip()


def request(method: str, path: str, *headers: str, body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def read_all(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def answer(send: Send, body: bytes, *, status: int = 200) -> None:
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Responds with the body; at `/refuse` at once with 401, and at `/big` with a large body."""
    if scope["path"] == "/refuse":
        await answer(send, b'{"error":"UNAUTHORIZED"}', status=401)
    elif scope["path"] == "/big":
        await answer(send, b"x" * 20_000_000)
    else:
        await answer(send, await read_all(receive))
