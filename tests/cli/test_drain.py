"""Draining: running requests when Sparks is stopped."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from sparks.journey import Stores
from sparks.model.errors import NotFound
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.cli.processes import Running, start_serve
from tests.servers.process import wait_until

KEY = "derived/half"
HALVES = b"the first half, ", b"and the second"


@contextmanager
def stores_of(running: Running) -> Iterator[Stores]:
    with open_stores(load_settings({"data": running.data, "public_url": running.url}, {})) as stores:
        yield stores


@contextmanager
def half_sent(running: Running) -> Iterator[socket.socket]:
    """A PUT whose headers and first half have arrived."""
    with stores_of(running) as stores:
        signed = stores.blobs.sign_put(KEY, size=len(b"".join(HALVES)), content_type="text/plain", expires_in=600)
    url = urlsplit(signed.url)
    assert url.hostname is not None
    head = f"PUT {url.path}?{url.query} HTTP/1.1\r\nHost: {url.netloc}\r\nContent-Type: text/plain\r\n"
    with socket.create_connection((url.hostname, url.port), timeout=30) as connection:
        connection.sendall(f"{head}Content-Length: {len(b''.join(HALVES))}\r\n\r\n".encode() + HALVES[0])
        wait_until(lambda: running.metric("sparks_requests_at_hand") >= 2, what="the request to be at hand")
        yield connection


def tell_to_stop(running: Running) -> None:
    running.process.send_signal(signal.SIGTERM)
    wait_until(lambda: bool(running.lines("stopping")), what="sparks to stop")


def test_a_running_request_is_finished_while_no_new_connection_is_accepted(tmp_path: Path) -> None:
    with start_serve(tmp_path / "data") as running, half_sent(running) as connection:
        url = running.url
        tell_to_stop(running)
        wait_until(lambda: not takes_connections(url), what="connections to be refused")
        connection.sendall(HALVES[1])
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert running.process.wait(30) == 0
        assert not running.lines("some requests or jobs did not finish")
        with stores_of(running) as stores:
            assert b"".join(stores.blobs.open(KEY)) == b"".join(HALVES)


def takes_connections(url: str) -> bool:
    try:
        httpx.get(f"{url}/healthz")
    except httpx.TransportError:
        return False
    return True


def test_a_request_that_does_not_finish_in_time_is_cut_off_and_stores_nothing(tmp_path: Path) -> None:
    with start_serve(tmp_path / "data", SPARKS_DRAIN_SECONDS="2") as running, half_sent(running) as connection:
        tell_to_stop(running)
        assert running.process.wait(30) == 0
        assert connection.recv(1000).startswith(b"HTTP/1.1 503 ")
        assert running.lines("some requests or jobs did not finish")
        with stores_of(running) as stores, pytest.raises(NotFound):
            stores.blobs.head(KEY)


def test_a_second_stop_signal_ends_the_server_at_once(tmp_path: Path) -> None:
    with start_serve(tmp_path / "data", SPARKS_DRAIN_SECONDS="600") as running, half_sent(running):
        tell_to_stop(running)

        def ends() -> bool:
            running.process.send_signal(signal.SIGINT)
            return running.process.poll() is not None

        wait_until(ends, what="sparks to end at once")
        assert running.process.returncode == 0
        assert running.lines("stopped twice")


def test_two_stop_signals_at_once_count_as_one(tmp_path: Path) -> None:
    with start_serve(tmp_path / "data") as running, half_sent(running) as connection:
        running.process.send_signal(signal.SIGTERM)
        tell_to_stop(running)
        connection.sendall(HALVES[1])
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert running.process.wait(30) == 0
