"""Downloads of originals: access, file names, ranges, and stripped metadata."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.media.file_types import JPEG
from sparks.media.metadata.read_metadata import read_metadata
from sparks.model.credential import KeyScope
from sparks.model.photo import PhotoState, Visibility
from sparks.model.share import LinkPermission
from tests.api.client import Client
from tests.api.shown_photo import ORIGINAL, PICTURE, RING, Gallery
from tests.media import container_builders


@pytest.fixture
def client(gallery: Gallery) -> Iterator[Client]:
    with Client(gallery.app()) as client:
        yield client


def cookie(gallery: Gallery) -> dict[str, str]:
    return {"Cookie": f"sparks_session={gallery.session_of(gallery.bob).text}"}


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


def download(gallery: Gallery, client: Client, headers: dict[str, str], **more: str) -> httpx.Response:
    return client.get(gallery.original_url(), headers={**headers, **more})


def test_members_download_an_original_of_the_community(gallery: Gallery, client: Client) -> None:
    key = bearer(gallery.new_key(gallery.bob, KeyScope.READ)[1])
    for headers in (cookie(gallery), key):
        response = download(gallery, client, headers)
        assert (response.status_code, response.content) == (200, ORIGINAL)


def test_a_guest_gets_the_largest_rendition_of_a_file_whose_metadata_cannot_be_stripped(
    gallery: Gallery, client: Client
) -> None:
    guest = bearer(gallery.token_of_guest())
    response = download(gallery, client, guest)
    assert (response.status_code, response.content) == (200, b"large" + PICTURE)
    assert "sea" not in response.headers["content-disposition"]
    gallery.change(gallery.link, show_metadata=True)
    shown = download(gallery, client, guest)
    assert (shown.status_code, shown.content) == (200, ORIGINAL)
    assert "sea.jpg" in shown.headers["content-disposition"]


def test_a_guest_gets_the_original_without_the_place_where_it_was_taken(gallery: Gallery, client: Client) -> None:
    place = container_builders.exif(place={1: (2, "N"), 2: (5, [(51, 1), (30, 1), (0, 1)])})
    jpeg = container_builders.with_exif(container_builders.saved(container_builders.gradient(), "JPEG"), place)
    assert gallery.photo.original_key is not None
    gallery.blobs.put(gallery.photo.original_key, [jpeg], content_type="image/jpeg")
    guest = bearer(gallery.token_of_guest())
    response = download(gallery, client, guest)
    assert len(response.content) == len(jpeg)
    assert read_metadata(jpeg, JPEG).orientation == read_metadata(response.content, JPEG).orientation
    assert place[:20] in jpeg
    assert place[:20] not in response.content
    part = download(gallery, client, guest | {"Range": "bytes=10-99"})
    assert (part.status_code, part.content) == (206, response.content[10:100])
    mine = download(gallery, client, cookie(gallery))
    assert mine.content == jpeg
    assert mine.headers["etag"] != response.headers["etag"]


def test_callers_without_access_download_no_original(gallery: Gallery, client: Client) -> None:
    for headers in ({}, bearer("nonsense"), {"Cookie": "sparks_session=nonsense"}):
        assert download(gallery, client, headers).status_code == 401
    key = bearer(gallery.new_key(gallery.bob, KeyScope.UPLOAD)[1])
    assert download(gallery, client, key).status_code == 403


def test_a_guest_downloads_only_if_the_link_allows_it(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.link, allow=frozenset({LinkPermission.VIEW}))
    assert client.get(gallery.url(gallery.guest_in())).status_code == 200
    response = download(gallery, client, bearer(gallery.token_of_guest()))
    assert (response.status_code, response.json()["error"]) == (403, "NOT_ALLOWED")


def test_the_signature_of_a_rendition_opens_no_original(gallery: Gallery, client: Client) -> None:
    for viewer in (gallery.bob_in(), gallery.guest_in()):
        query = gallery.url(viewer).partition("?")[2]
        assert client.get(f"{gallery.original_url()}?{query}").status_code == 401
        assert client.get(gallery.url(viewer, size="original")).status_code == 404
        assert client.get(f"/blobs/{gallery.photo.original_key}?{query}").status_code == 404


def test_an_original_that_the_caller_may_not_see_is_404_like_a_missing_one(gallery: Gallery, client: Client) -> None:
    headers = cookie(gallery)
    missing = client.get("/api/photos/0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a/original", headers=headers)
    assert missing.status_code == 404
    responses = [client.get("/api/photos/nonsense/original", headers=headers)]
    gallery.change(gallery.photo, visibility=Visibility.PRIVATE)
    responses.append(download(gallery, client, headers))
    gallery.change(gallery.photo, visibility=Visibility.COMMUNITY, state=PhotoState.TRASHED)
    responses.append(download(gallery, client, headers))
    gallery.change(gallery.photo, state=PhotoState.DELETING)
    responses.append(download(gallery, client, headers))
    for response in responses:
        assert (response.status_code, response.json(), response.headers) == (404, missing.json(), missing.headers)


def test_an_ended_session_downloads_no_original(gallery: Gallery, client: Client) -> None:
    headers = cookie(gallery)
    assert download(gallery, client, headers).status_code == 200
    gallery.at += timedelta(days=31)
    assert download(gallery, client, headers).status_code == 401


def test_an_original_is_downloaded_under_its_file_name_and_never_displayed(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, original_filename='Größe "1".jpg')
    headers = download(gallery, client, cookie(gallery)).headers
    assert headers["Content-Disposition"] == (
        "attachment; filename=\"Gr__e _1_.jpg\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.jpg"
    )
    assert headers["Content-Type"] == "image/jpeg"
    assert headers["Cache-Control"] == "private, no-cache"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"


def test_an_original_without_a_file_name_is_named_by_its_id(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, original_filename=None)
    disposition = download(gallery, client, cookie(gallery)).headers["Content-Disposition"]
    assert disposition.startswith(f'attachment; filename="{gallery.photo.image_id}.jpg"')


def test_an_unsafe_content_type_of_the_uploader_is_not_sent(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, mime_type="text/html", original_filename="a\r\nSet-Cookie: x=y.html")
    headers = download(gallery, client, cookie(gallery)).headers
    assert headers["Content-Type"] == "application/octet-stream"
    assert "Set-Cookie" not in headers


def test_a_range_request_for_an_original_is_answered_with_the_range(gallery: Gallery, client: Client) -> None:
    response = download(gallery, client, cookie(gallery), Range="bytes=100-299")
    assert (response.status_code, response.content) == (206, ORIGINAL[100:300])
    assert download(gallery, client, cookie(gallery), Range="bytes=99999999-").status_code == 416


def test_an_original_that_the_caller_has_is_304(gallery: Gallery, client: Client) -> None:
    headers = cookie(gallery)
    etag = download(gallery, client, headers).headers["ETag"]
    assert client.get(gallery.original_url(), headers={**headers, "If-None-Match": etag}).status_code == 304


def test_head_of_an_original_has_the_headers_of_get(gallery: Gallery, client: Client) -> None:
    headers = cookie(gallery)
    get = download(gallery, client, headers)
    head = client.request("HEAD", gallery.original_url(), headers=headers)
    assert (head.status_code, head.content, dict(head.headers)) == (200, b"", dict(get.headers))


def test_an_upload_that_is_not_complete_has_no_original(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, state=PhotoState.RESERVED, original_key=None)
    headers = {"Cookie": f"sparks_session={gallery.session_of(gallery.ann).text}"}
    response = download(gallery, client, headers)
    assert (response.status_code, response.json()["error"]) == (404, "NOT_FOUND")


def test_the_openapi_document_lists_every_response_of_an_original(gallery: Gallery) -> None:
    document = gallery.app().openapi()["paths"]["/api/photos/{imageId}/original"]
    responses = document["get"]["responses"]
    assert {"200", "206", "304", "307", "401", "403", "404", "416"} <= set(responses)
    assert set(responses["200"]["content"]) == {"*/*"}
    assert set(document) == {"get"}


def test_an_original_is_redirected_where_the_store_serves_blobs() -> None:
    gallery = Gallery(blobs=MemoryBlobs(keyring=RING, base_url="https://store.example", is_local=False))
    with Client(gallery.app()) as client:
        response = download(gallery, client, cookie(gallery))
        assert (response.status_code, response.content) == (307, b"")
        assert response.headers["Cache-Control"] == "no-store"
        to = httpx.URL(response.headers["Location"])
        assert to.path == f"/blobs/{gallery.photo.original_key}"
        assert to.params["disposition"] == "attachment; filename=\"sea.jpg\"; filename*=UTF-8''sea.jpg"
        assert to.params["type"] == "image/jpeg"
        head = client.request("HEAD", gallery.original_url(), headers=cookie(gallery))
        assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(ORIGINAL)))
        assert client.get(gallery.original_url()).status_code == 401
