"""Uploads straight to a bucket, by signed URLs of the bucket."""

import hashlib
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from sparks.api.app import create_app
from sparks.blobs.s3 import S3Blobs, connect, create_bucket
from sparks.library.upload_limits.account_limit import read_limit
from sparks.metrics import Metrics
from tests.api.client import Client, refusal
from tests.api.community import HERE, Community, Headers
from tests.factories import ANN
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, seaweedfs
from tests.uploads.files import a_jpeg

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

LARGE = 17 * 1024 * 1024


@pytest.fixture(scope="module")
def bucket() -> Iterator[S3Blobs]:
    client: S3Client = connect(region=REGION, endpoint=seaweedfs(), access_key=ACCESS_KEY, secret_key=SECRET_KEY)
    name = f"uploads-{uuid.uuid4().hex}"
    create_bucket(client, name)
    yield S3Blobs(client, name)
    client.close()


@pytest.fixture
def browser(community: Community, bucket: S3Blobs) -> Iterator[Client]:
    stores = replace(community.stores, blobs=bucket)
    app = create_app(stores=stores, settings=community.settings, metrics=Metrics(), clock=lambda: community.at)
    with Client(app, site=HERE) as client:
        yield client


def reserve(browser: Client, who: Headers, size: int, **more: Any) -> dict[str, Any]:
    fields = {"filename": "sea.jpg", "size": size, "mimeType": "image/jpeg", **more}
    ticket: dict[str, Any] = browser.post("/api/uploads", json=fields, headers=who).json()
    return ticket


def put(signed_url: dict[str, Any], data: bytes) -> int:
    return httpx.request(
        signed_url["method"], signed_url["url"], headers=signed_url["headers"], content=data
    ).status_code


def test_a_file_is_uploaded_straight_to_the_bucket(bucket: S3Blobs, browser: Client, ann: Headers) -> None:
    data = a_jpeg(5000)
    ticket = reserve(browser, ann, len(data), sha256=hashlib.sha256(data).hexdigest())
    assert put(ticket, data[:-1] + b"x") != 200
    assert put(ticket, data) == 200
    assert put(ticket, data) == 412
    response = browser.post(f"/api/uploads/{ticket['imageId']}/complete", headers=ann)
    assert response.status_code == 201
    assert b"".join(bucket.open(response.json()["s3Key"])) == data
    assert bucket.list(f"uploads/{ticket['imageId']}").blobs == []


def test_a_large_file_is_uploaded_to_the_bucket_in_parts_and_resumed(
    bucket: S3Blobs, browser: Client, ann: Headers
) -> None:
    data = a_jpeg(LARGE)
    ticket = reserve(browser, ann, len(data))
    one = f"/api/uploads/{ticket['imageId']}"
    signed = browser.post(f"{one}/parts", json={"partNumbers": [1, 2, 3]}, headers=ann).json()["parts"]
    for sent, part in enumerate(signed):
        assert browser.get(one, headers=ann).json()["arrivedParts"] == list(range(1, sent + 1))
        start = (part["partNumber"] - 1) * ticket["partSize"]
        assert put(part, data[start : start + part["size"]]) == 200
    response = browser.post(f"{one}/complete", headers=ann)
    assert response.status_code == 201
    assert b"".join(bucket.open(response.json()["s3Key"])) == data


def test_a_direct_upload_is_spooled_to_disk_and_then_stored_in_the_bucket(
    bucket: S3Blobs, browser: Client, ann: Headers
) -> None:
    data = a_jpeg(3_000_000)

    async def in_chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(data), 2**18):
            yield data[start : start + 2**18]

    image = browser.post("/api/photos?filename=sea.jpg", content=in_chunks(), headers=ann).json()
    assert b"".join(bucket.open(image["s3Key"])) == data
    again = browser.post("/api/photos?filename=sea.jpg", content=data, headers=ann)
    assert (again.status_code, again.json()["imageId"]) == (200, image["imageId"])


def test_a_reservation_in_the_bucket_whose_bytes_are_no_photo_is_given_back(
    community: Community, bucket: S3Blobs, browser: Client, ann: Headers
) -> None:
    data = b"%PDF-1.7 and so on"
    ticket = reserve(browser, ann, len(data))
    assert put(ticket, data) == 200
    response = browser.post(f"/api/uploads/{ticket['imageId']}/complete", headers=ann)
    assert refusal(response)[:2] == (415, "UNSUPPORTED_TYPE")
    assert bucket.list(f"uploads/{ticket['imageId']}").blobs == []
    assert read_limit(ANN, table=community.table).used == 0
