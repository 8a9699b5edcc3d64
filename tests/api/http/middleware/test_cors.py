"""Calls from pages of other origins."""

from pathlib import Path

import httpx
import pytest

from tests.api.client import Client
from tests.api.http.middleware.apps import framed_app

PAGE = "https://app.example.org"


def preflight(client: Client, *, origin: str = PAGE, method: str = "POST", headers: str = "") -> httpx.Response:
    asked = {"Origin": origin, "Access-Control-Request-Method": method}
    if headers:
        asked["Access-Control-Request-Headers"] = headers
    return client.request("OPTIONS", "/api/items", headers=asked)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path


def test_by_default_no_other_origin_may_call(data: Path) -> None:
    with Client(framed_app(data)) as client:
        asked = preflight(client)
        got = client.request("POST", "/api/items", json={}, headers={"Origin": PAGE})
    assert asked.status_code == 405
    assert not [name for each in (asked, got) for name in each.headers if name.startswith("access-control")]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_a_configured_origin_may_call(data: Path, method: str) -> None:
    with Client(framed_app(data, cors_origins=("https://APP.example.org",))) as client:
        asked = preflight(client, method=method, headers="authorization, content-type, idempotency-key, x-sparks-csrf")
        got = client.request("POST", "/api/items", json={}, headers={"Origin": PAGE})
    assert asked.status_code == got.status_code == 200
    for each in (asked, got):
        assert each.headers["access-control-allow-origin"] == PAGE
        assert "access-control-allow-credentials" not in each.headers  # they bring a key: no cookie goes along
        assert "Origin" in each.headers["vary"]
    assert "X-Request-Id" in got.headers["access-control-expose-headers"]
    assert method in asked.headers["access-control-allow-methods"]


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://app.example.org", "https://app.example.org:8443", "null", f"{PAGE}.evil"]
)
def test_an_origin_that_is_not_configured_may_not_call(data: Path, origin: str) -> None:
    with Client(framed_app(data, cors_origins=(PAGE,))) as client:
        asked = preflight(client, origin=origin)
        got = client.request("POST", "/api/items", json={}, headers={"Origin": origin})
    assert asked.status_code == 400
    assert "access-control-allow-origin" not in {*asked.headers, *got.headers}


def test_a_header_that_the_api_does_not_know_is_not_allowed(data: Path) -> None:
    with Client(framed_app(data, cors_origins=(PAGE,))) as client:
        assert preflight(client, headers="x-other").status_code == 400


def test_a_page_can_read_why_its_request_was_refused(data: Path) -> None:
    with Client(framed_app(data, cors_origins=(PAGE,))) as client:
        refused = client.request("POST", "/api/items", content=b"x" * 1_000_001, headers={"Origin": PAGE})
    assert refused.status_code == 413
    assert refused.headers["access-control-allow-origin"] == PAGE
