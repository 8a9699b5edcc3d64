"""URLs and headers that are too long, or have a NUL."""

from collections.abc import Iterator

import pytest

from sparks.api.http.middleware.request_limits import MAX_HEADER_BYTES, MAX_URL_LENGTH, RequestHeadMiddleware
from tests.api.client import Client
from tests.api.http.middleware.serving import echo


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(RequestHeadMiddleware(echo)) as client:
        yield client


@pytest.mark.parametrize("path", ["/" + "a" * MAX_URL_LENGTH, "/?q=" + "a" * MAX_URL_LENGTH, "/" + "%41" * 2731])
def test_a_url_that_is_too_long_is_refused(client: Client, path: str) -> None:
    refused = client.get(path)
    assert (refused.status_code, refused.json()["error"]) == (414, "URI_TOO_LONG")


def test_headers_that_are_too_large_are_refused_together(client: Client) -> None:
    headers = {f"x-{number}": "a" * 1000 for number in range(1 + MAX_HEADER_BYTES // 1000)}
    refused = client.get("/", headers=headers)
    assert (refused.status_code, refused.json()["error"]) == (431, "REQUEST_HEADER_FIELDS_TOO_LARGE")


@pytest.mark.parametrize("path", ["/photos/%00", "/photos/a%00b", "/?q=%00", "/?q=a&%00=b"])
def test_a_nul_in_the_url_is_refused(client: Client, path: str) -> None:
    refused = client.get(path)
    assert (refused.status_code, refused.json()["error"]) == (400, "BAD_INPUT")


@pytest.mark.parametrize("path", ["/" + "a" * (MAX_URL_LENGTH - 1), "/%E2%80%AE/%F0%9F%98%80", "/?q=%2500", "/%ff"])
def test_other_requests_pass(client: Client, path: str) -> None:
    assert client.get(path, headers={"Cookie": "a" * 8000}).status_code == 200
