"""Uploads in one request: streamed, refused before they are read, and given back when they fail."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from sparks.library.upload_limits.account_limit import read_limit, set_left
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN
from tests.uploads.files import a_jpeg, keys_in


@pytest.fixture
def ann(community: Community) -> Headers:
    return community.key_of(community.ann)


async def in_chunks(data: bytes, *, size: int = 1000) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


class Unread:
    """A body that must not be read."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        raise AssertionError("the body was read")


def post(browser: Client, who: Headers, content: Any, query: str = "", **headers: str) -> httpx.Response:
    return browser.post(f"/api/photos?filename=sea.jpg{query}", content=content, headers={**who, **headers})


def used(community: Community) -> tuple[int | None, int | None]:
    limit = read_limit(ANN, table=community.table)
    return limit.used, limit.bytes_used


@pytest.mark.parametrize("with_length", [True, False])
@pytest.mark.parametrize("size", [50, 2_500_000])
def test_a_file_is_uploaded_in_one_request(
    community: Community, browser: Client, ann: Headers, size: int, with_length: bool
) -> None:
    data = a_jpeg(size)
    headers = {"Content-Length": str(size)} if with_length else {}
    response = post(browser, ann, in_chunks(data, size=100_000), "&title=Sea&tags=sun,sand&tags=sky", **headers)
    image = response.json()
    assert response.status_code == 201, image
    assert (image["title"], image["tags"], image["fileSize"]) == ("Sea", ["sun", "sand", "sky"], size)
    assert b"".join(community.blobs.open(image["s3Key"])) == data
    assert used(community) == (1, size)
    (job,) = community.stores.jobs.receive(wait=0)
    assert job.job.kind == "make_renditions"


def test_a_direct_upload_of_a_duplicate_gets_the_existing_photo(
    community: Community, browser: Client, ann: Headers
) -> None:
    data = a_jpeg()
    first = post(browser, ann, data).json()
    again = post(browser, ann, data)
    assert (again.status_code, again.json()) == (200, {"imageId": first["imageId"], "duplicate": True})
    assert (used(community), keys_in(community.blobs)) == ((1, len(data)), [first["s3Key"]])


def test_a_direct_upload_may_set_an_expiry(community: Community, browser: Client, ann: Headers) -> None:
    image = post(browser, ann, a_jpeg(), "&expiresAt=2025-08-02T12:00:00Z").json()
    assert image["expiresAt"] == "2025-08-02T12:00:00.000Z"
    one = f"/api/photos/{image['imageId']}"
    assert browser.get(one, headers=ann).status_code == 200
    community.pass_time(hours=24)
    assert browser.get(one, headers=ann).status_code == 404


@pytest.mark.parametrize(
    ("query", "length", "status", "code"),
    [
        ("", 10**10 + 1, 413, "TOO_LARGE"),
        ("", 10**9 + 1, 403, "UPLOAD_LIMIT_REACHED"),
        ("&title=" + "a" * 256, 1000, 400, "BAD_INPUT"),
        ("&nonsense=1", 1000, 422, "INVALID_REQUEST"),
        ("&visibility=all", 1000, 422, "INVALID_REQUEST"),
    ],
)
def test_an_invalid_direct_upload_is_refused_before_its_body_is_read(
    community: Community, browser: Client, ann: Headers, query: str, length: int, status: int, code: str
) -> None:
    response = post(browser, ann, Unread(), query, **{"Content-Length": str(length)})
    assert (response.status_code, response.json()["error"]) == (status, code)
    assert used(community) == (0, 0)


def test_an_empty_file_is_refused(community: Community, browser: Client, ann: Headers) -> None:
    status, code, message = refusal(post(browser, ann, b""))
    assert (status, code) == (415, "UNSUPPORTED_TYPE")
    assert "an empty file" in message
    assert used(community) == (0, 0)


def test_an_unsupported_file_is_refused_after_its_first_bytes(
    community: Community, browser: Client, ann: Headers
) -> None:
    async def document() -> AsyncIterator[bytes]:
        yield b"%PDF-1.7" + bytes(2**20)
        raise AssertionError("the rest of the body was read")

    response = post(browser, ann, document(), **{"Content-Length": str(10**8)})
    assert refusal(response)[:2] == (415, "UNSUPPORTED_TYPE")
    assert (used(community), keys_in(community.blobs)) == ((0, 0), [])


def test_a_chunked_upload_is_cut_off_at_the_upload_limit(community: Community, browser: Client, ann: Headers) -> None:
    set_left(ANN, bytes=2_000_000, table=community.table)

    async def endless() -> AsyncIterator[bytes]:
        yield a_jpeg()
        for _ in range(20):
            yield bytes(2**20)
        raise AssertionError("the rest of the body was read")

    response = post(browser, ann, endless())
    assert (response.status_code, response.json()["error"]) == (403, "UPLOAD_LIMIT_REACHED")
    assert (used(community), keys_in(community.blobs)) == ((0, 0), [])


def test_a_direct_upload_without_photos_left_is_refused_before_its_body_is_read(
    community: Community, browser: Client, ann: Headers
) -> None:
    set_left(ANN, photos=0, table=community.table)
    response = post(browser, ann, Unread())
    assert (response.status_code, response.json()["error"]) == (403, "UPLOAD_LIMIT_REACHED")
