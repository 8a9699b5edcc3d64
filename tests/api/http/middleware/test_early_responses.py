"""A client that is refused while it still sends gets the reason, over real sockets."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection

import pytest

from sparks.supervisor.http_connection import ConnectionLimits, HttpConnection
from tests.api.http.middleware.apps import framed_app
from tests.api.http.middleware.serving import Caller, echo, request, served

LARGE = 10_000_000
CHUNK = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
CHUNKS = CHUNK * 9 + b"0\r\n\r\n"
SIZED = [f"Content-Length: {LARGE}"], b"x" * LARGE
CHUNKED = ["Transfer-Encoding: chunked"], CHUNKS
KEPT: list[str] = []
CLOSED = ["Connection: close"]


class Hasty(HttpConnection):
    bounds = replace(ConnectionLimits(), dropped_bytes=1_000_000, dropped_seconds=0.2)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with served(framed_app(tmp_path_factory.mktemp("data"))) as port:
        yield port


@pytest.mark.parametrize("kept", [KEPT, CLOSED], ids=["kept", "closed"])
@pytest.mark.parametrize("body", [SIZED, CHUNKED], ids=["sized", "chunked"])
@pytest.mark.parametrize(
    ("path", "status"), [("/api/items", 413), ("/api/secret", 403), ("/blobs/a", 405), ("/nowhere", 404)]
)
def test_a_client_reads_the_whole_response_after_10_mb_of_unread_body(
    port: int, path: str, status: int, body: tuple[list[str], bytes], kept: list[str]
) -> None:
    with Caller(port) as caller:
        caller.send(request("POST", path, "Content-Type: application/json", *body[0], *kept))
        caller.send(body[1])
        answer = caller.read_answer()
        assert answer.status == (413 if body is SIZED and path != "/blobs/a" else status)
        assert answer.json()["requestId"] == answer.headers["x-request-id"]
        assert caller.ended()


def test_a_client_that_sends_everything_first_gets_the_reason(port: int) -> None:
    with closing(HTTPConnection("localhost", port, timeout=60)) as client:
        client.request("POST", "/api/items", body=b"x" * LARGE)
        assert json.load(client.getresponse())["error"] == "TOO_LARGE"


def test_an_unknown_host_gets_the_reason_after_its_body_too(port: int) -> None:
    with Caller(port) as caller:
        caller.send(b"POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 10000000\r\n\r\n" + b"x" * LARGE)
        assert caller.read_answer().json()["error"] == "MISDIRECTED_REQUEST"


def test_the_connection_is_kept_when_little_was_left_unread(port: int) -> None:
    with Caller(port) as caller:
        for _ in range(3):
            caller.send(request("POST", "/api/secret", "Content-Length: 3"))
            assert caller.read_answer().status == 403
            caller.send(b"abc")
        caller.send(request("POST", "/api/items", "Content-Type: application/json", "Content-Length: 2", body=b"{}"))
        assert caller.read_answer().json() == {}


def test_a_refusal_comes_instead_of_100_continue(port: int) -> None:
    for path, length, status in [("/api/items", LARGE, 413), ("/api/secret", 3, 403)]:
        with Caller(port) as caller:
            caller.send(request("POST", path, f"Content-Length: {length}", "Expect: 100-continue"))
            answer = caller.read_answer()
            assert (answer.status, answer.headers["connection"]) == (status, "close")
            assert caller.ended()


def test_a_body_that_is_read_gets_100_continue(port: int) -> None:
    with Caller(port) as caller:
        json_headers = ["Content-Type: application/json", "Content-Length: 2", "Expect: 100-continue"]
        caller.send(request("POST", "/api/items", *json_headers))
        assert caller.read_answer().status == 100
        caller.send(b"{}")
        assert caller.read_answer().json() == {}


@pytest.mark.parametrize("kept", [KEPT, CLOSED], ids=["kept", "closed"])
def test_a_client_that_sends_without_end_is_disconnected(kept: list[str]) -> None:
    with served(echo, connection=Hasty) as port, Caller(port) as caller:
        caller.send(request("POST", "/refuse", "Transfer-Encoding: chunked", *kept))
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            caller.send(CHUNK * 200)


@pytest.mark.parametrize("kept", [KEPT, CLOSED], ids=["kept", "closed"])
def test_a_client_that_never_sends_the_rest_is_disconnected(kept: list[str]) -> None:
    with served(echo, connection=Hasty) as port, Caller(port) as caller:
        caller.send(request("POST", "/refuse", "Content-Length: 1000", *kept, body=b"x"))
        assert caller.read_answer().status == 401
        assert caller.ended()


def test_json_that_would_do_harm_is_refused_and_the_connection_kept(port: int) -> None:
    with Caller(port) as caller:
        for body in (b"[" * 1000 + b"]" * 1000, b'{"a": NaN}', rb'{"a": "\ud800"}', b"1" * 100_000):
            headers = ["Content-Type: application/json", f"Content-Length: {len(body)}"]
            caller.send(request("POST", "/api/items", *headers, body=body))
            assert caller.read_answer().json()["error"] == "BAD_INPUT"
