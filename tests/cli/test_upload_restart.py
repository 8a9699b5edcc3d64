"""Uploads to a server in a process of its own, with restarts of the server and interrupted clients."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from sparks.auth.api_keys import make_key
from sparks.library.accounts.lifecycle import create_user
from sparks.model import times
from tests.cli.library import stores_in
from tests.cli.processes import Running, is_alive, start_serve
from tests.factories import ANN, a_user
from tests.servers.process import wait_until
from tests.uploads.files import a_jpeg

LARGE = 17 * 1024 * 1024


@pytest.fixture
def bearer(data: Path) -> dict[str, str]:
    """Ann's key, to a library of her own."""
    with stores_in(data) as stores:
        ann = a_user(ANN)
        create_user(ann, photos=10, bytes=10**9, table=stores.table)
        _, key = make_key(ann, name="a key", scopes=None, expires_at=None, at=times.now(), table=stores.table)
    return {"Authorization": f"Bearer {key}"}


@contextmanager
def client_of(running: Running, bearer: dict[str, str]) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.url, headers=bearer, timeout=60) as client:
        yield client


def send_parts(client: httpx.Client, ticket: dict[str, Any], data: bytes, numbers: list[int]) -> None:
    signed = client.post(f"/api/uploads/{ticket['imageId']}/parts", json={"partNumbers": numbers}).json()
    for part in signed["parts"]:
        start = (part["partNumber"] - 1) * ticket["partSize"]
        sent = client.put(part["url"], content=data[start : start + part["size"]], headers={"Authorization": ""})
        assert sent.status_code == 200


def limit_of(client: httpx.Client) -> tuple[int, int]:
    limit = client.get("/api/me/limit").json()
    return limit["used"], limit["bytesUsed"]


def test_an_upload_is_resumed_after_the_server_was_killed(data: Path, bearer: dict[str, str]) -> None:
    file = a_jpeg(LARGE)
    with start_serve(data) as first, client_of(first, bearer) as client:
        ticket = client.post("/api/uploads", json={"filename": "sea.jpg", "size": len(file)}).json()
        send_parts(client, ticket, file, [1, 2])
        workers = first.worker_pids()
        first.end(signal.SIGKILL)
        wait_until(lambda: not any(map(is_alive, workers)), what="the workers to notice")
    with start_serve(data) as second, client_of(second, bearer) as client:
        one = f"/api/uploads/{ticket['imageId']}"
        assert client.get(one).json()["arrivedParts"] == [1, 2]
        send_parts(client, ticket, file, [3])
        image = client.post(f"{one}/complete").json()
        assert client.get(f"/api/photos/{image['imageId']}/original").content == file
        assert limit_of(client) == (1, len(file))


def test_uploads_that_break_off_or_are_too_large_leave_nothing(data: Path, bearer: dict[str, str]) -> None:
    with start_serve(data, SPARKS_UPLOAD_MAX_BYTES="100000000") as running, client_of(running, bearer) as client:
        with asking(running, bearer, "Content-Length: 10000000") as connection:
            connection.sendall(a_jpeg(5_000_000))
            wait_until(lambda: limit_of(client)[0] == 1, what="the reservation")
        wait_until(lambda: limit_of(client) == (0, 0), what="the reservation to be given back")
        with asking(running, bearer, "Content-Length: 100000001", "Expect: 100-continue") as connection:
            assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")
        assert [path for path in (data / "blobs" / "originals").rglob("*") if path.is_file()] == []
        assert client.get("/api/me/photos").json() == {"images": [], "hasMore": False}


@contextmanager
def asking(running: Running, bearer: dict[str, str], *headers: str) -> Iterator[socket.socket]:
    """A request whose body is yet to come, as curl makes it."""
    at = urlsplit(running.url)
    lines = ["POST /api/photos?filename=sea.jpg HTTP/1.1", f"Host: {at.netloc}", *headers]
    lines += [f"{name}: {value}" for name, value in bearer.items()]
    with socket.create_connection((at.hostname, at.port), timeout=30) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        yield connection
