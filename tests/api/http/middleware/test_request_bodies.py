"""Bodies that are too large or too slow, and JSON that is refused before it is parsed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparks.api.http.middleware.request_limits import MAX_BODY, MAX_UNREAD, BodyTimeouts, RequestBodyMiddleware
from sparks.model.errors import TooLarge
from tests.api.client import Client
from tests.api.http.middleware.apps import framed_app
from tests.api.http.middleware.serving import answer, echo, read_all

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def framed(tmp_path: Path) -> Iterator[Client]:
    with Client(framed_app(tmp_path)) as client:
        yield client


async def in_chunks(size: int, *, chunk: int = 100_000) -> AsyncIterator[bytes]:
    for start in range(0, size, chunk):
        yield b"x" * min(chunk, size - start)


async def unread(scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, b"")


def test_a_body_declared_as_too_large_is_refused_before_the_route() -> None:
    async def fail(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError

    with Client(RequestBodyMiddleware(fail, limits={}), raises=True) as client:
        refused = client.request("POST", "/", content=b"x" * (MAX_BODY + 1))
    assert (refused.status_code, refused.json()["error"]) == (413, "TOO_LARGE")
    assert str(MAX_BODY) in refused.json()["message"]
    assert refused.headers["connection"] == "close"


def test_a_chunked_body_is_counted_as_it_comes() -> None:
    with Client(RequestBodyMiddleware(echo, limits={})) as client:
        assert len(client.request("POST", "/", content=in_chunks(MAX_BODY)).content) == MAX_BODY
        refused = client.request("POST", "/", content=in_chunks(MAX_BODY + 1))
    assert (refused.status_code, refused.json()["error"]) == (413, "TOO_LARGE")
    assert refused.headers["connection"] == "close"


def test_a_false_length_does_not_help() -> None:
    with Client(RequestBodyMiddleware(echo, limits={})) as client:
        refused = client.request("POST", "/", content=in_chunks(MAX_BODY + 1), headers={"Content-Length": "5"})
    assert refused.status_code == 413


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [
        ("/small", 10, 200),
        ("/small", 11, 413),
        ("/small/er", 11, 200),
        ("/blobs/a/b", MAX_BODY + 1, 200),
        ("/blobs", MAX_BODY + 1, 413),
        ("/large", 2 * MAX_BODY, 200),
        ("/large", 2 * MAX_BODY + 1, 413),
        ("/else", MAX_BODY + 1, 413),
    ],
)
def test_a_path_may_have_a_limit_of_its_own_or_none(path: str, size: int, status: int) -> None:
    caps = {"/small": 10, "/blobs/": None, "/large": 2 * MAX_BODY}
    with Client(RequestBodyMiddleware(echo, limits=caps)) as client:
        assert client.request("POST", path, content=b"x" * size).status_code == status


def test_json_never_has_a_higher_limit() -> None:
    with Client(RequestBodyMiddleware(echo, limits={"/large": 2 * MAX_BODY})) as client:
        large = client.request("POST", "/large", content=b"1" * (MAX_BODY + 1), headers=JSON)
    assert large.status_code == 413


def test_json_reaches_the_route_as_it_was_sent(framed: Client) -> None:
    item = {"title": "\N{GRINNING FACE} a\\u0000b", "tags": ["[", "}", '"', "\\"], "size": 1.5e-7, "more": [[{}]]}
    assert framed.request("POST", "/api/items", json=item).json() == item


@pytest.mark.parametrize(
    "text",
    [
        b'{"a":' * 1000 + b"1" + b"}" * 1000,
        b'{"a":' * 1000,
        b'{"a": ' + b"9" * 100_000 + b"}",
        b'{"a": [' + b",".join([b"9" * 5000] * 100) + b"]}",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        rb'{"a": "\u0000"}',
        rb'{"a": "\ud800"}',
        b'{"a": "\xed\xa0\x80"}',
        '{"a": 1}'.encode("utf-16"),
    ],
)
@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json"]
)
def test_json_that_would_do_harm_is_a_bad_request(framed: Client, text: bytes, kind: str) -> None:
    refused = framed.request("POST", "/api/items", content=text, headers={"Content-Type": kind})
    assert (refused.status_code, refused.json()["error"]) == (400, "BAD_INPUT")
    assert "connection" not in refused.headers


@pytest.mark.parametrize("text", [b"", b"{", b"[1,]", b'{"a"}', b'"a', b"1", b"}{", b"nul", b"\\u0000"])
def test_invalid_json_is_left_to_the_parser(framed: Client, text: bytes) -> None:
    assert framed.request("POST", "/api/items", content=text, headers=JSON).status_code in {400, 422}


def test_bodies_of_other_types_are_not_checked(framed: Client) -> None:
    assert framed.request("PUT", "/blobs/a", content=b"[" * 100, headers=JSON).json() == 100


def run(
    app: ASGIApp,
    receive: Callable[[], Awaitable[Message]],
    *headers: tuple[bytes, bytes],
    timeouts: BodyTimeouts | None = None,
) -> list[Message]:
    """The messages that come out of the middleware around the application."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)
        await asyncio.sleep(0)

    scope = {"type": "http", "path": "/", "method": "POST", "headers": headers}
    asyncio.run(RequestBodyMiddleware(app, limits={}, timeouts=timeouts)(scope, receive, send))
    return sent


CHUNKED = (b"transfer-encoding", b"chunked")


async def silence() -> Any:
    await asyncio.Event().wait()


@pytest.mark.parametrize("kind", [b"application/json", b"image/jpeg"])
def test_a_body_that_does_not_come_is_a_timeout(kind: bytes) -> None:
    start, body = run(echo, silence, CHUNKED, (b"content-type", kind), timeouts=BodyTimeouts(silence=0.01))
    assert start["status"] == 408
    assert (b"connection", b"close") in start["headers"]
    assert b"REQUEST_TIMEOUT" in body["body"]


def test_a_body_may_pause_for_a_while_but_not_be_slow_all_the_time() -> None:
    timeouts = BodyTimeouts(silence=30, bytes_a_second=500)
    assert timeouts.next_wait(waited=0, received=0) == 30
    assert timeouts.next_wait(waited=29, received=29) == pytest.approx(1, abs=0.1)
    assert timeouts.next_wait(waited=31, received=31) < 0
    assert timeouts.next_wait(waited=3600, received=10_000_000) == 30


def test_a_started_response_is_not_interrupted_by_a_slow_body() -> None:
    gone = asyncio.Event()

    async def slow() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def stream(scope: Scope, receive: Receive, send: Send) -> None:
        listening = asyncio.ensure_future(receive())  # as a streamed answer does
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        asyncio.get_running_loop().call_later(0.1, gone.set)
        assert (await listening)["type"] == "http.disconnect"
        await send({"type": "http.response.body", "body": b"all"})

    assert [message.get("body") for message in run(stream, slow, CHUNKED, timeouts=BodyTimeouts(silence=0.02))] == [
        None,
        b"all",
    ]


def test_json_is_whole_even_if_the_first_wait_for_it_is_cancelled() -> None:
    parts = [b"[1,", b"2", b",3]"]
    go_on = asyncio.Event()

    async def receive() -> Message:
        if len(parts) == 2:
            await go_on.wait()
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def impatient(scope: Scope, receive: Receive, send: Send) -> None:
        first = asyncio.ensure_future(receive())
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait([first])
        assert first.cancelled()
        go_on.set()
        await answer(send, await read_all(receive))

    assert run(impatient, receive, CHUNKED, (b"content-type", b"application/json"))[1]["body"] == b"[1,2,3]"


def test_a_disconnect_in_the_middle_of_json_reaches_the_route() -> None:
    messages: Iterator[Message] = iter(
        [{"type": "http.request", "body": b"[", "more_body": True}, {"type": "http.disconnect"}]
    )

    async def receive() -> Message:
        return next(messages)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.disconnect"

    assert run(app, receive, CHUNKED, (b"content-type", b"application/json")) == []


async def flood() -> Message:
    return {"type": "http.request", "body": b"x" * MAX_BODY, "more_body": True}


def test_a_route_that_swallows_the_fault_does_not_hide_it() -> None:
    async def careless(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await read_all(receive)
        except Exception:  # noqa: BLE001
            await answer(send, b"all is well")

    assert run(careless, flood, CHUNKED)[0]["status"] == 413


@pytest.mark.parametrize("more", [True, False])
def test_the_fault_is_raised_at_every_read(more: bool) -> None:
    async def flood() -> Message:
        return {"type": "http.request", "body": b"x" * (MAX_BODY + 1), "more_body": more}

    async def stubborn(scope: Scope, receive: Receive, send: Send) -> None:
        for _ in range(2):
            with pytest.raises(TooLarge):
                await receive()

    assert run(stubborn, flood, CHUNKED)[0]["status"] == 413


def test_a_route_that_fails_after_the_fault_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def confused(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await read_all(receive)
        except TooLarge:
            raise RuntimeError("what now?") from None

    assert run(confused, flood, CHUNKED)[0]["status"] == 413
    assert "what now?" in caplog.text


def test_any_other_error_of_a_route_is_passed_on() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("nobody foresaw this")

    with pytest.raises(RuntimeError):
        run(broken, flood, CHUNKED)


@pytest.mark.parametrize(
    ("headers", "hangs_up"),
    [
        ({"Content-Length": str(MAX_UNREAD)}, False),
        ({"Content-Length": str(MAX_UNREAD + 1)}, True),
        ({"Transfer-Encoding": "chunked"}, True),
        ({"Content-Length": "5", "Expect": "100-continue"}, True),
        ({"Content-Length": "0", "Expect": "100-continue"}, False),
        ({}, False),
    ],
)
def test_a_response_before_a_large_or_unread_body_closes_the_connection(
    headers: dict[str, str], hangs_up: bool
) -> None:
    with Client(RequestBodyMiddleware(unread, limits={})) as client:
        assert ("connection" in client.get("/", headers=headers).headers) is hangs_up


def test_a_response_after_the_body_keeps_the_connection() -> None:
    with Client(RequestBodyMiddleware(echo, limits={})) as client:
        assert "connection" not in client.request("POST", "/", content=in_chunks(MAX_BODY)).headers
        invited = client.request("POST", "/", content=b"x", headers={"Expect": "100-continue"})
    assert "connection" not in invited.headers
