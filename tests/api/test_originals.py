"""`/api/photos/{imageId}/original`: the file as it came, for those who may download it."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.media.kinds import JPEG
from sparks.media.metadata.read import read_metadata
from sparks.model.credential import KeyScope
from sparks.model.photo import PhotoState, Visibility
from sparks.model.share import LinkPermission
from tests.api.client import Client
from tests.api.gallery import ORIGINAL, PICTURE, RING, Gallery, served_gallery
from tests.media import build


@pytest.fixture
def gallery() -> Gallery:
    return served_gallery()


@pytest.fixture
def client(gallery: Gallery) -> Iterator[Client]:
    with Client(gallery.app()) as client:
        yield client


def cookie(gallery: Gallery) -> dict[str, str]:
    return {"Cookie": f"sparks_session={gallery.session_of(gallery.bob).text}"}


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


def ask(gallery: Gallery, client: Client, headers: dict[str, str], **more: str) -> httpx.Response:
    return client.get(gallery.original_url(), headers={**headers, **more})


def test_whoever_is_signed_in_downloads_an_original_of_the_community(gallery: Gallery, client: Client) -> None:
    key = bearer(gallery.new_key(gallery.bob, KeyScope.READ)[1])
    for headers in (cookie(gallery), key):
        answer = ask(gallery, client, headers)
        assert (answer.status_code, answer.content) == (200, ORIGINAL)


def test_a_guest_is_given_what_was_made_of_a_file_that_nobody_can_veil(gallery: Gallery, client: Client) -> None:
    guest = bearer(gallery.token_of_guest())
    answer = ask(gallery, client, guest)
    assert (answer.status_code, answer.content) == (200, b"large" + PICTURE)
    assert "sea" not in answer.headers["content-disposition"]
    gallery.change(gallery.link, show_metadata=True)
    shown = ask(gallery, client, guest)
    assert (shown.status_code, shown.content) == (200, ORIGINAL)
    assert "sea.jpg" in shown.headers["content-disposition"]


def test_a_guest_is_given_the_same_picture_without_the_place_where_it_was_taken(
    gallery: Gallery, client: Client
) -> None:
    place = build.exif(place={1: (2, "N"), 2: (5, [(51, 1), (30, 1), (0, 1)])})
    jpeg = build.with_exif(build.saved(build.gradient(), "JPEG"), place)
    assert gallery.photo.original_key is not None
    gallery.blobs.put(gallery.photo.original_key, [jpeg], content_type="image/jpeg")
    guest = bearer(gallery.token_of_guest())
    answer = ask(gallery, client, guest)
    assert len(answer.content) == len(jpeg)
    assert read_metadata(jpeg, JPEG).orientation == read_metadata(answer.content, JPEG).orientation
    assert place[:20] in jpeg
    assert place[:20] not in answer.content
    part = ask(gallery, client, guest | {"Range": "bytes=10-99"})
    assert (part.status_code, part.content) == (206, answer.content[10:100])
    mine = ask(gallery, client, cookie(gallery))
    assert mine.content == jpeg
    assert mine.headers["etag"] != answer.headers["etag"]


def test_nobody_else_does(gallery: Gallery, client: Client) -> None:
    for headers in ({}, bearer("nonsense"), {"Cookie": "sparks_session=nonsense"}):
        assert ask(gallery, client, headers).status_code == 401
    key = bearer(gallery.new_key(gallery.bob, KeyScope.UPLOAD)[1])
    assert ask(gallery, client, key).status_code == 403


def test_a_guest_downloads_only_where_the_link_says_so(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.link, allow=frozenset({LinkPermission.VIEW}))
    assert client.get(gallery.url(gallery.guest_in())).status_code == 200
    answer = ask(gallery, client, bearer(gallery.token_of_guest()))
    assert (answer.status_code, answer.json()["error"]) == (403, "NOT_ALLOWED")


def test_a_renditions_signature_opens_no_original(gallery: Gallery, client: Client) -> None:
    for viewer in (gallery.bob_in(), gallery.guest_in()):
        query = gallery.url(viewer).partition("?")[2]
        assert client.get(f"{gallery.original_url()}?{query}").status_code == 401
        assert client.get(gallery.url(viewer, size="original")).status_code == 404
        assert client.get(f"/blobs/{gallery.photo.original_key}?{query}").status_code == 404


def test_an_original_that_is_out_of_sight_is_as_one_that_is_not_there(gallery: Gallery, client: Client) -> None:
    headers = cookie(gallery)
    missing = client.get("/api/photos/0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a/original", headers=headers)
    assert missing.status_code == 404
    answers = [client.get("/api/photos/nonsense/original", headers=headers)]
    gallery.change(gallery.photo, visibility=Visibility.PRIVATE)
    answers.append(ask(gallery, client, headers))
    gallery.change(gallery.photo, visibility=Visibility.COMMUNITY, state=PhotoState.TRASHED)
    answers.append(ask(gallery, client, headers))
    gallery.change(gallery.photo, state=PhotoState.DELETING)
    answers.append(ask(gallery, client, headers))
    for answer in answers:
        assert (answer.status_code, answer.json(), answer.headers) == (404, missing.json(), missing.headers)


def test_an_original_closes_with_the_session(gallery: Gallery, client: Client) -> None:
    headers = cookie(gallery)
    assert ask(gallery, client, headers).status_code == 200
    gallery.at += timedelta(days=31)
    assert ask(gallery, client, headers).status_code == 401


def test_an_original_is_saved_under_its_name_and_never_shown(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, original_filename='Größe "1".jpg')
    headers = ask(gallery, client, cookie(gallery)).headers
    assert headers["Content-Disposition"] == (
        "attachment; filename=\"Gr__e _1_.jpg\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.jpg"
    )
    assert headers["Content-Type"] == "image/jpeg"
    assert headers["Cache-Control"] == "private, no-cache"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"


def test_an_original_without_a_name_is_called_by_its_id(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, original_filename=None)
    disposition = ask(gallery, client, cookie(gallery)).headers["Content-Disposition"]
    assert disposition.startswith(f'attachment; filename="{gallery.photo.image_id}.jpg"')


def test_what_the_uploader_called_it_is_not_believed(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, mime_type="text/html", original_filename="a\r\nSet-Cookie: x=y.html")
    headers = ask(gallery, client, cookie(gallery)).headers
    assert headers["Content-Type"] == "application/octet-stream"
    assert "Set-Cookie" not in headers


def test_a_part_is_answered_with_a_part(gallery: Gallery, client: Client) -> None:
    answer = ask(gallery, client, cookie(gallery), Range="bytes=100-299")
    assert (answer.status_code, answer.content) == (206, ORIGINAL[100:300])
    assert ask(gallery, client, cookie(gallery), Range="bytes=99999999-").status_code == 416


def test_what_the_caller_has_is_not_sent_again(gallery: Gallery, client: Client) -> None:
    headers = cookie(gallery)
    etag = ask(gallery, client, headers).headers["ETag"]
    assert client.get(gallery.original_url(), headers={**headers, "If-None-Match": etag}).status_code == 304


def test_head_tells_what_get_would(gallery: Gallery, client: Client) -> None:
    headers = cookie(gallery)
    get = ask(gallery, client, headers)
    head = client.request("HEAD", gallery.original_url(), headers=headers)
    assert (head.status_code, head.content, dict(head.headers)) == (200, b"", dict(get.headers))


def test_an_upload_that_is_not_complete_has_no_original(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, state=PhotoState.RESERVED, original_key=None)
    headers = {"Cookie": f"sparks_session={gallery.session_of(gallery.ann).text}"}
    answer = ask(gallery, client, headers)
    assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND")


def test_the_openapi_document_tells_every_answer(gallery: Gallery) -> None:
    document = gallery.app().openapi()["paths"]["/api/photos/{imageId}/original"]
    answers = document["get"]["responses"]
    assert {"200", "206", "304", "307", "401", "403", "404", "416"} <= set(answers)
    assert set(answers["200"]["content"]) == {"*/*"}
    assert set(document) == {"get"}


def test_an_original_elsewhere_is_sent_on_to() -> None:
    gallery = Gallery(blobs=MemoryBlobs(keyring=RING, base_url="https://store.example"), served=None)
    with Client(gallery.app()) as client:
        answer = ask(gallery, client, cookie(gallery))
        assert (answer.status_code, answer.content) == (307, b"")
        assert answer.headers["Cache-Control"] == "no-store"
        to = httpx.URL(answer.headers["Location"])
        assert to.path == f"/blobs/{gallery.photo.original_key}"
        assert to.params["disposition"] == "attachment; filename=\"sea.jpg\"; filename*=UTF-8''sea.jpg"
        assert to.params["type"] == "image/jpeg"
        head = client.request("HEAD", gallery.original_url(), headers=cookie(gallery))
        assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(ORIGINAL)))
        assert client.get(gallery.original_url()).status_code == 401
