"""All middleware together, in its order."""

import logging
from pathlib import Path

import pytest

from sparks.api.http.middleware import AWS_ORIGINS, media_origins
from sparks.settings import Settings
from tests.api.client import Client
from tests.api.http.middleware.apps import framed_app


@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [
        ("GET", "/", "evil.example", 421),
        ("GET", "/", "a b", 400),
        ("GET", "/" + "a" * 9000, "localhost", 414),
        ("POST", "/api/items", "localhost", 413),
        ("POST", "/api/secret", "localhost", 413),
        ("GET", "/nowhere", "localhost", 404),
        ("GET", "/api/broken", "localhost", 500),
    ],
)
def test_every_refusal_is_logged_has_its_id_and_safe_headers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, method: str, path: str, host: str, status: int
) -> None:
    with caplog.at_level(logging.INFO, logger="sparks.access"), Client(framed_app(tmp_path)) as client:
        content = b"x" * 1_000_001 if method == "POST" else None
        answer = client.request(method, path, content=content, headers={"Host": host, "X-Request-Id": "r1"})
    assert answer.status_code == status
    assert (answer.json()["requestId"], answer.headers["X-Request-Id"]) == ("r1", "r1")
    assert {"content-security-policy", "x-content-type-options", "referrer-policy"} <= set(answer.headers)
    assert f" {status}" in caplog.messages[-1]


def test_the_address_of_a_client_behind_a_trusted_proxy_is_its_own(tmp_path: Path) -> None:
    with Client(framed_app(tmp_path, trusted_proxies=("127.0.0.1",))) as client:
        assert client.get("/api/client", headers={"X-Forwarded-For": "1.2.3.4"}).json() == "1.2.3.4"


def test_forwarded_addresses_are_ignored_by_default(tmp_path: Path) -> None:
    with Client(framed_app(tmp_path)) as client:
        assert client.get("/api/client", headers={"X-Forwarded-For": "1.2.3.4"}).json() == "127.0.0.1"


@pytest.mark.parametrize(("url", "secure"), [("https://sparks.test", True), ("http://sparks.test", False)])
def test_strict_transport_security_is_sent_with_an_https_public_url(tmp_path: Path, url: str, secure: bool) -> None:
    with Client(framed_app(tmp_path, public_url=url)) as client:
        assert ("strict-transport-security" in client.get("/").headers) is secure


@pytest.mark.parametrize(
    ("settings", "origins"),
    [
        ({}, ()),
        ({"s3_endpoint": "https://s3.example.org"}, ()),
        ({"blobs": "s3", "s3_endpoint": "https://s3.example.org:9000/base"}, ("https://s3.example.org:9000",)),
        ({"blobs": "s3", "s3_endpoint": "http://user:word@minio:9000"}, ("http://minio:9000",)),
        ({"blobs": "s3"}, AWS_ORIGINS),
    ],
)
def test_pages_may_load_photos_from_the_origins_of_redirects(
    tmp_path: Path, settings: dict[str, str], origins: tuple[str, ...]
) -> None:
    assert media_origins(Settings(data=tmp_path, **settings)) == origins  # type: ignore[arg-type]
