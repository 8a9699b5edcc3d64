"""Connections of clients that are slow, send too much or do not speak HTTP."""

import asyncio
import logging
import select
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest
from starlette.types import Receive, Scope, Send

from sparks.supervisor.http_connection import ConnectionLimits, HttpConnection
from tests.api.http.middleware.serving import Caller, answer, echo, read_all, request, served
from tests.servers.process import wait_until


class Hasty(HttpConnection):
    bounds = replace(ConnectionLimits(), head_seconds=0.2, dropped_seconds=0.2, stalled_seconds=0.2)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with served(echo) as port:
        yield port


@pytest.fixture(scope="module")
def hasty() -> Iterator[int]:
    with served(echo, connection=Hasty) as port:
        yield port


@pytest.mark.parametrize("begun", [b"G", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_head_that_does_not_come_in_time_is_a_timeout(hasty: int, begun: bytes) -> None:
    with Caller(hasty) as caller:
        caller.send(begun)
        answer = caller.read_answer()
        assert (answer.status, answer.json()["error"]) == (408, "REQUEST_TIMEOUT")
        assert answer.json()["requestId"] == answer.headers["x-request-id"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert caller.ended()


def test_a_head_that_comes_byte_by_byte_has_no_more_time(hasty: int) -> None:
    with Caller(hasty) as caller:
        caller.send(b"GET /")
        for _ in range(3000):
            if select.select([caller.socket], [], [], 0.02)[0]:
                break
            caller.send(b"a")
        assert caller.read_answer().status == 408


def test_the_next_head_on_a_connection_has_no_more_time_than_the_first(hasty: int) -> None:
    with Caller(hasty) as caller:
        caller.send(request("GET", "/"))
        assert caller.read_answer().status == 200
        caller.send(b"GET")
        assert caller.read_answer().status == 408


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"\r\n\r\n"])
def test_a_connection_without_a_request_is_closed_without_a_response(hasty: int, sent: bytes) -> None:
    with Caller(hasty) as caller:
        caller.send(sent)
        assert caller.ended()


def test_blank_lines_after_a_request_do_not_keep_a_connection_for_ever(hasty: int) -> None:
    with Caller(hasty) as caller:
        caller.send(request("GET", "/"))
        assert caller.read_answer().status == 200
        caller.send(b"\r\n")
        assert caller.ended()


def test_an_idle_connection_is_closed() -> None:
    with served(echo, keep_alive=1) as port, Caller(port) as caller:
        caller.send(request("GET", "/"))
        assert caller.read_answer().status == 200
        assert caller.ended()


def test_a_slow_answer_is_waited_for() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(4 * Hasty.bounds.head_seconds)
        await answer(send, b"at last")

    with served(slow, connection=Hasty) as port, Caller(port) as caller:
        caller.send(request("GET", "/") + b"GET")  # and the next one begun
        assert caller.read_answer().body == b"at last"
        assert caller.read_answer().status == 408


@pytest.mark.parametrize("kept", [[], ["Connection: close"]], ids=["kept", "closed"])
def test_a_client_that_does_not_read_its_response_is_disconnected(kept: list[str]) -> None:
    lost = []

    class Noted(Hasty):
        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            lost.append(self)

    with served(echo, connection=Noted) as port, Caller(port) as caller:
        caller.send(request("GET", "/big", *kept))
        wait_until(lambda: bool(lost), what="the server to give up")
        with pytest.raises((EOFError, ConnectionResetError)):
            caller.read_answer()


@pytest.mark.parametrize(
    ("head", "status", "code"),
    [
        (b"GET /" + b"a" * 100_000, 414, "URI_TOO_LONG"),
        (b"GET / HTTP/1.1\r\nCookie: " + b"a" * 100_000, 431, "REQUEST_HEADER_FIELDS_TOO_LARGE"),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000, 431, "REQUEST_HEADER_FIELDS_TOO_LARGE"),
        (b"\r\n" * 100_000, 431, "REQUEST_HEADER_FIELDS_TOO_LARGE"),
    ],
)
def test_a_head_without_end_is_refused_with_the_reason(port: int, head: bytes, status: int, code: str) -> None:
    with Caller(port) as caller:
        for start in range(0, len(head), 10_000):
            caller.send(head[start : start + 10_000])
        answer = caller.read_answer()
        assert (answer.status, answer.json()["error"]) == (status, code)
        assert caller.ended()


def test_a_large_body_followed_by_a_head_is_not_taken_for_a_large_head(port: int) -> None:
    body = b"x" * 200_000
    with Caller(port) as caller:
        for _ in range(5):
            caller.send(request("POST", "/", f"Content-Length: {len(body)}", body=body) + b"GET / HT")
            assert caller.read_answer().body == body
            caller.send(b"TP/1.1\r\nHost: localhost\r\n\r\n")
            assert caller.read_answer().status == 200


@pytest.mark.parametrize(
    "sent",
    [
        b"garbage\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n",
    ],
)
def test_bytes_that_are_no_http_are_a_bad_request(port: int, sent: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="sparks"), Caller(port) as caller:
        caller.send(sent)
        answer = caller.read_answer()
        assert (answer.status, answer.json()["error"]) == (400, "BAD_REQUEST")
        assert caller.ended()
    assert "an incomplete request was refused" in caplog.text


def test_a_good_request_gets_its_response_though_garbage_follows(port: int) -> None:
    with Caller(port) as caller:
        caller.send(request("POST", "/", "Content-Length: 5", body=b"hello") * 3 + b"garbage\r\n\r\n" * 1000)
        assert [caller.read_answer().body for _ in range(3)] == [b"hello"] * 3
        assert caller.ended()


def test_pipelined_requests_are_limited_in_number(port: int) -> None:
    with Caller(port) as caller:
        caller.send(request("GET", "/") * ConnectionLimits().pipelined)
        assert {caller.read_answer().status for _ in range(ConnectionLimits().pipelined)} == {200}
        caller.send(request("GET", "/") * 1000)
        answered = caller.read_to_the_end().count(b"HTTP/1.1 200 OK")
        assert 0 < answered < 1000


UPGRADE: Final = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c")


def test_an_upgrade_is_ignored_and_bytes_after_it_are_no_request(port: int) -> None:
    with Caller(port) as caller:
        caller.send(request("GET", "/", *UPGRADE) + request("GET", "/behind"))
        assert caller.read_answer().status == 200
        assert caller.ended()


def test_the_body_of_an_upgrade_is_never_taken_for_a_request(port: int) -> None:
    inner = request("GET", "/smuggled")
    with Caller(port) as caller:
        caller.send(request("POST", "/", *UPGRADE, f"Content-Length: {len(inner)}", body=inner))
        answer = caller.read_answer()
        assert (answer.status, "Upgrade" in answer.json()["message"]) == (400, True)
        assert caller.ended()


def test_an_interrupted_body_is_reported_to_the_application() -> None:
    got = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        got.append(await receive())
        while got[-1]["type"] != "http.disconnect":
            got.append(await receive())
        await answer(send, b"to nobody")

    with served(app) as port, Caller(port) as caller:
        caller.send(request("POST", "/", "Transfer-Encoding: chunked", body=b"3\r\nabc\r\nzz\r\n"))
        assert caller.read_answer().status == 400
        wait_until(lambda: bool(got) and got[-1]["type"] == "http.disconnect", what="the application to notice")


BROKEN = request("POST", "/", "Transfer-Encoding: chunked", body=b"3\r\nabc\r\nzz\r\n")


def test_a_started_response_ends_with_its_interrupted_body() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        await read_all(receive)
        await send({"type": "http.response.body", "body": b"the rest"})

    with served(app) as port, Caller(port) as caller:
        caller.send(BROKEN)
        answer = caller.read_to_the_end()
        assert answer.startswith(b"HTTP/1.1 ")
        assert b"the rest" not in answer


@pytest.mark.parametrize("second", [BROKEN, request("GET", "/")], ids=["broken", "whole"])
def test_a_disconnect_reaches_the_running_request_though_more_are_queued(second: bytes) -> None:
    ended = []

    async def listen(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        ended.append(scope["path"])

    with served(listen) as port:
        with Caller(port) as caller:
            caller.send(request("GET", "/first") + second)
        wait_until(lambda: ended == ["/first"], what="the first request to end")
