"""Request ids, log lines and counts."""

import logging
import re
from collections.abc import Iterator

import pytest
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect

from sparks import logs
from tests.api.client import Client


def last_access(caplog: pytest.LogCaptureFixture) -> logging.LogRecord:
    return next(record for record in reversed(caplog.records) if hasattr(record, "status"))


@pytest.fixture(autouse=True)
def all_lines(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.DEBUG, logger="sparks"):
        yield


def test_every_response_has_a_request_id_of_its_own(client: Client) -> None:
    ids = {client.get(path).headers["X-Request-Id"] for path in ("/", "/healthz", "/readyz", "/metrics", "/nowhere")}
    assert len(ids) == 5
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in ids)


def test_a_valid_request_id_of_the_client_is_kept(client: Client) -> None:
    assert (
        client.get("/healthz", headers={"X-Request-Id": "Ab.9_-" + "x" * 58}).headers["X-Request-Id"].startswith("Ab")
    )


@pytest.mark.parametrize("sent", ["", "x" * 65, "a b", "a;b", '"', "é", "<script>"])
def test_an_invalid_request_id_is_replaced(client: Client, sent: str) -> None:
    answer = client.get("/healthz", headers={"X-Request-Id": sent.encode()})
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-Id"])


def test_log_lines_of_a_route_have_its_request_id_on_other_threads_too(app: FastAPI, client: Client) -> None:
    @app.get("/id")
    def tell() -> str | None:
        return logs.REQUEST_ID.get()

    assert client.get("/id", headers={"X-Request-Id": "r1"}).json() == "r1"


def test_each_request_is_logged_without_its_query(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    client.get("/healthz?signature=swordfish")
    record = last_access(caplog)
    assert record.getMessage() == "GET /healthz 200"
    assert "swordfish" not in str(vars(record))


def test_a_log_line_holds_no_email_address(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    client.get("/users/ada@example.org/photos")
    client.get("/users/ada%40example.org")
    assert "ada" not in caplog.text


def scraped(client: Client) -> str:
    return client.get("/metrics").text


def test_requests_are_counted_by_route_and_not_by_path(app: FastAPI, client: Client) -> None:
    @app.get("/photos/{photo_id}")
    def show(photo_id: str) -> str:
        return photo_id

    for photo in "abc":
        client.get(f"/photos/{photo}")
    text = scraped(client)
    assert 'sparks_requests_total{method="GET",route="/photos/{photo_id}",status="200"} 3.0' in text
    assert 'sparks_request_seconds_count{method="GET",route="/photos/{photo_id}"} 3.0' in text


def test_a_plain_route_is_counted_by_its_path_template(app: FastAPI, client: Client) -> None:
    async def show(_request: Request) -> Response:
        return Response()

    app.add_route("/b/{key:path}", show, ["PUT"])
    for key in ("b", "a/b", "a/b/c"):
        client.request("PUT", f"/b/{key}")
    assert 'sparks_requests_total{method="PUT",route="/b/{key}",status="200"} 3.0' in scraped(client)


def test_a_plain_route_is_counted_with_an_empty_parameter(app: FastAPI, client: Client) -> None:
    async def show(_request: Request) -> Response:
        return Response()

    app.add_route("/b/{key:path}", show, ["PUT"])
    assert client.request("PUT", "/b/").status_code == 200
    assert 'sparks_requests_total{method="PUT",route="/b/{key}",status="200"} 1.0' in scraped(client)


def test_unknown_paths_and_methods_make_no_new_metrics(client: Client) -> None:
    for number in range(3):
        client.request(f"STRANGE{number}", f"/nowhere/{number}")
    assert 'sparks_requests_total{method="other",route="(none)",status="404"} 3.0' in scraped(client)


def test_a_disconnect_of_the_client_is_no_error(app: FastAPI, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    @app.get("/gone")
    async def gone() -> None:
        raise ClientDisconnect

    with pytest.raises(AssertionError):  # the test client misses its answer
        client.get("/gone")
    assert last_access(caplog).getMessage() == "GET /gone 499"
    assert "Traceback" not in caplog.text


def test_an_error_after_a_response_has_begun_is_passed_to_the_server(app: FastAPI) -> None:
    def half() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError("the disk is gone")

    @app.get("/half")
    def send() -> StreamingResponse:
        return StreamingResponse(half())

    with pytest.raises(RuntimeError, match="the disk is gone"), Client(app, raises=True) as client:
        client.get("/half")
