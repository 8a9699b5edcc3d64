"""Renditions at signed URLs: viewers, responses, and redirects to the store."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.model.photo import ProcessingStatus, Renditions
from tests.api.client import Client
from tests.api.shown_photo import PICTURE, RING, VIEWERS, Gallery, private

LARGE = b"large" + PICTURE


@pytest.fixture
def client(gallery: Gallery) -> Iterator[Client]:
    with Client(gallery.app()) as client:
        yield client


# -- Viewers


def test_each_rendition_is_served_at_its_url(gallery: Gallery, client: Client) -> None:
    viewer = gallery.bob_in()
    for size in ("large", "medium", "thumb"):
        response = client.get(gallery.url(viewer, size=size))
        assert (response.status_code, response.content) == (200, size.encode() + PICTURE)
        assert response.headers["Content-Type"] == "image/webp"


def test_a_rendition_size_added_by_a_setting_is_served(gallery: Gallery, client: Client) -> None:
    key = f"processed/{gallery.photo.image_id}_hd.webp"
    gallery.blobs.put(key, [PICTURE], content_type="image/webp")
    gallery.change(gallery.photo, renditions=Renditions({"hd": key}))
    assert client.get(gallery.url(gallery.bob_in(), size="hd")).content == PICTURE


def test_a_video_rendition_is_served_with_ranges(gallery: Gallery, client: Client) -> None:
    key = f"processed/{gallery.photo.image_id}_video.mp4"
    gallery.blobs.put(key, [PICTURE], content_type="video/mp4")
    gallery.change(gallery.photo, renditions=Renditions({"video": key}))
    response = client.get(gallery.url(gallery.bob_in(), size="video"), headers={"Range": "bytes=10-19"})
    assert (response.status_code, response.content) == (206, PICTURE[10:20])
    assert response.headers["Content-Type"] == "video/mp4"


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_kind_of_viewer_sees_a_photo_of_the_community(gallery: Gallery, client: Client, viewer: str) -> None:
    assert client.get(gallery.url(VIEWERS[viewer](gallery))).content == LARGE


def test_a_signed_url_needs_no_header_or_cookie(gallery: Gallery, client: Client) -> None:
    """An <img> sends no header, and an unrelated cookie changes nothing."""
    url = gallery.url(gallery.bob_in())
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Cookie": "sparks_session=nonsense"}):
        assert client.get(url, headers=headers).status_code == 200


# -- Responses


def test_a_browser_may_cache_a_rendition_until_its_url_expires(gallery: Gallery, client: Client) -> None:
    for viewer, max_age in ((gallery.bob_in(), 48 * 3600), (gallery.guest_in(), 30 * 60)):
        url = gallery.url(viewer)
        until = int(httpx.URL(url).params["until"])
        left = until - int(gallery.at.timestamp())
        assert 0 < left <= max_age
        assert client.get(url).headers["Cache-Control"] == f"private, max-age={left}, immutable"


def test_a_rendition_is_sent_with_headers_against_content_sniffing(gallery: Gallery, client: Client) -> None:
    headers = client.get(gallery.url(gallery.bob_in())).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert "Content-Disposition" not in headers


def test_a_blob_of_an_unsafe_type_is_sent_as_plain_bytes(gallery: Gallery, client: Client) -> None:
    gallery.blobs.put(f"processed/{gallery.photo.image_id}_large.webp", [b"<script>"], content_type="text/html")
    assert client.get(gallery.url(gallery.bob_in())).headers["Content-Type"] == "application/octet-stream"


def test_a_range_of_a_rendition_is_answered_with_the_range(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    response = client.get(url, headers={"Range": "bytes=2-6"})
    assert (response.status_code, response.content) == (206, LARGE[2:7])
    assert response.headers["Content-Range"] == f"bytes 2-6/{len(LARGE)}"
    assert client.get(url, headers={"Range": "bytes=999999-"}).status_code == 416


def test_a_rendition_that_the_browser_has_is_304(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    etag = client.get(url).headers["ETag"]
    response = client.get(url, headers={"If-None-Match": etag})
    assert (response.status_code, response.content) == (304, b"")
    private(gallery)
    assert client.get(url, headers={"If-None-Match": etag}).status_code == 404


def test_head_of_a_rendition_has_the_headers_of_get(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    get, head = client.get(url), client.request("HEAD", url)
    assert (head.status_code, head.content) == (200, b"")
    assert dict(head.headers) == dict(get.headers)


def test_a_large_picture_is_streamed(gallery: Gallery, client: Client) -> None:
    content = bytes(range(256)) * 8192
    gallery.blobs.put(f"processed/{gallery.photo.image_id}_large.webp", [content], content_type="image/webp")
    assert client.get(gallery.url(gallery.bob_in())).content == content


@pytest.mark.parametrize("status", [ProcessingStatus.PENDING, ProcessingStatus.PROCESSING])
def test_a_rendition_that_is_being_made_is_404_with_retry_after(
    gallery: Gallery, client: Client, status: ProcessingStatus
) -> None:
    gallery.change(gallery.photo, renditions=None, processing_status=status)
    response = client.get(gallery.url(gallery.bob_in()))
    assert (response.status_code, response.json()["error"]) == (404, "NOT_FOUND")
    assert "try again soon" in response.json()["message"]
    assert response.headers["Retry-After"] == "5"


def test_a_rendition_that_was_not_made_is_404(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, renditions=Renditions({"thumb": "processed/x_thumb.webp"}))
    response = client.get(gallery.url(gallery.bob_in()))
    assert (response.status_code, response.json()["error"]) == (404, "NOT_FOUND")
    assert "Retry-After" not in response.headers


def test_a_rendition_url_never_serves_the_original_whatever_the_row_holds(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, renditions=Renditions({"large": f"originals/{gallery.photo.image_id}.jpg"}))
    assert client.get(gallery.url(gallery.bob_in())).status_code == 404


# -- Redirects to the store


@pytest.fixture
def elsewhere() -> Gallery:
    return Gallery(blobs=MemoryBlobs(keyring=RING, base_url="https://store.example", is_local=False))


def test_a_rendition_is_redirected_where_the_store_serves_blobs(elsewhere: Gallery) -> None:
    with Client(elsewhere.app()) as client:
        response = client.get(elsewhere.url(elsewhere.bob_in()))
        assert (response.status_code, response.content) == (307, b"")
        assert response.headers["Location"].startswith(
            f"https://store.example/blobs/processed/{elsewhere.photo.image_id}_large.webp?"
        )
        assert response.headers["Cache-Control"] == "private, max-age=240"
        private(elsewhere)
        assert client.get(elsewhere.url(elsewhere.bob_in())).status_code == 404


def test_a_redirect_is_not_cached_longer_than_its_url_is_valid(elsewhere: Gallery) -> None:
    url = elsewhere.url(elsewhere.guest_in())
    elsewhere.at += timedelta(seconds=int(httpx.URL(url).params["until"]) - elsewhere.at.timestamp() - 7)
    with Client(elsewhere.app()) as client:
        assert client.get(url).headers["Cache-Control"] == "private, max-age=7"


def test_head_is_answered_without_a_redirect_where_the_store_serves_blobs(elsewhere: Gallery) -> None:
    with Client(elsewhere.app()) as client:
        response = client.request("HEAD", elsewhere.url(elsewhere.bob_in()))
    assert (response.status_code, response.content) == (200, b"")
    assert (response.headers["Content-Length"], response.headers["Content-Type"]) == (str(len(LARGE)), "image/webp")
