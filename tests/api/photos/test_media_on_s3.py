"""Media in a bucket: requests are redirected to signed URLs of the bucket."""

import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from sparks.blobs.s3 import S3Blobs, connect, create_bucket
from sparks.model.photo import Visibility
from tests.api.client import Client
from tests.api.shown_photo import ORIGINAL, PICTURE, Gallery
from tests.servers.commands import ACCESS_KEY, REGION, SECRET_KEY, seaweedfs

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@pytest.fixture(scope="module")
def bucket() -> Iterator[S3Blobs]:
    client: S3Client = connect(region=REGION, endpoint=seaweedfs(), access_key=ACCESS_KEY, secret_key=SECRET_KEY)
    name = f"media-{uuid.uuid4().hex}"
    create_bucket(client, name)
    yield S3Blobs(client, name)
    client.close()


@pytest.fixture
def gallery(bucket: S3Blobs) -> Gallery:
    return Gallery(blobs=bucket)


@pytest.fixture
def client(gallery: Gallery) -> Iterator[Client]:
    with Client(gallery.app()) as client:
        yield client


def test_a_rendition_is_read_from_the_bucket(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in(), size="thumb")
    redirect = client.get(url)
    assert redirect.status_code == 307
    response = httpx.get(redirect.headers["Location"])
    assert (response.status_code, response.content) == (200, b"thumb" + PICTURE)
    assert response.headers["Content-Type"] == "image/webp"
    part = httpx.get(redirect.headers["Location"], headers={"Range": "bytes=0-4"})
    assert (part.status_code, part.content) == (206, b"thumb")
    gallery.change(gallery.photo, visibility=Visibility.PRIVATE)
    assert client.get(url).status_code == 404


def test_head_is_answered_without_a_redirect_to_the_bucket(gallery: Gallery, client: Client) -> None:
    response = client.request("HEAD", gallery.url(gallery.bob_in(), size="thumb"))
    assert (response.status_code, response.headers["Content-Length"]) == (200, str(len(b"thumb" + PICTURE)))
    assert "Location" not in response.headers


def test_an_original_is_downloaded_from_the_bucket_under_its_file_name(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, original_filename='Größe "1".jpg', mime_type="image/jpeg")
    headers = {"Cookie": f"sparks_session={gallery.session_of(gallery.bob).text}"}
    redirect = client.get(gallery.original_url(), headers=headers)
    assert redirect.status_code == 307
    response = httpx.get(redirect.headers["Location"])
    assert (response.status_code, response.content) == (200, ORIGINAL)
    assert response.headers["Content-Disposition"] == (
        "attachment; filename=\"Gr__e _1_.jpg\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.jpg"
    )
    assert response.headers["Content-Type"] == "image/jpeg"


def test_the_parameters_of_a_signed_bucket_url_cannot_be_changed(gallery: Gallery, client: Client) -> None:
    location = client.get(gallery.url(gallery.bob_in(), size="thumb")).headers["Location"]
    for other in ("large", "medium"):
        assert httpx.get(location.replace("_thumb.webp", f"_{other}.webp")).status_code == 403
    assert httpx.get(location.replace("processed/", "originals/")).status_code == 403
