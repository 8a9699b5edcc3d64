"""Signed URLs of renditions, valid as long as the viewer may see the photo."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import product
from urllib.parse import unquote

import httptools
import httpx
import pytest
from starlette.types import ASGIApp, Message

from sparks.auth.api_keys import revoke_key
from sparks.auth.sessions import end_session
from sparks.auth.signed_media_urls import Viewer, ViewerKind
from sparks.blobs.memory import MemoryBlobs
from sparks.model.credential import KeyScope
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Renditions, Visibility
from sparks.model.share import LinkPermission
from tests.api.client import Client
from tests.api.shown_photo import PICTURE, RING, SUBJECT, Gallery, local_gallery
from tests.factories import NOON

LARGE = b"large" + PICTURE


@pytest.fixture
def gallery() -> Gallery:
    return local_gallery()


@pytest.fixture
def client(gallery: Gallery) -> Iterator[Client]:
    with Client(gallery.app()) as client:
        yield client


def observed(response: httpx.Response) -> tuple[int, dict[str, str], dict[str, str]]:
    """All that a caller learns from a response."""
    return response.status_code, response.json(), dict(response.headers)


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


VIEWERS: dict[str, Callable[[Gallery], Viewer]] = {
    "session of the owner": lambda gallery: Viewer(ViewerKind.SESSION, gallery.session_of(gallery.ann).id),
    "session of another user": Gallery.bob_in,
    "key": lambda gallery: Viewer(ViewerKind.KEY, gallery.new_key(gallery.bob, KeyScope.READ)[0]),
    "token": lambda _: Viewer(ViewerKind.TOKEN, SUBJECT),
    "guest": Gallery.guest_in,
}


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_kind_of_viewer_sees_a_photo_of_the_community(gallery: Gallery, client: Client, viewer: str) -> None:
    assert client.get(gallery.url(VIEWERS[viewer](gallery))).content == LARGE


def test_a_signed_url_needs_no_header_or_cookie(gallery: Gallery, client: Client) -> None:
    """An <img> sends no header, and an unrelated cookie changes nothing."""
    url = gallery.url(gallery.bob_in())
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Cookie": "sparks_session=nonsense"}):
        assert client.get(url, headers=headers).status_code == 200


# -- Lost access


def private(gallery: Gallery) -> None:
    gallery.change(gallery.photo, visibility=Visibility.PRIVATE)


def private_without_album(gallery: Gallery) -> None:
    gallery.change(gallery.photo, visibility=Visibility.PRIVATE, albums=())


def out_of_album(gallery: Gallery) -> None:
    gallery.change(gallery.photo, albums=("another",))


def trashed(gallery: Gallery) -> None:
    gallery.change(gallery.photo, state=PhotoState.TRASHED, trashed_at=gallery.at)


def deleting(gallery: Gallery) -> None:
    gallery.change(gallery.photo, state=PhotoState.DELETING)


def failed(gallery: Gallery) -> None:
    gallery.change(gallery.photo, state=PhotoState.FAILED)


def expired(gallery: Gallery) -> None:
    gallery.change(gallery.photo, expires_at=gallery.at)


def gone(gallery: Gallery) -> None:
    gallery.drop(gallery.photo)


@pytest.mark.parametrize(
    ("viewer", "hide"),
    [
        *(("session of another user", hide) for hide in (private, trashed, deleting, failed, expired, gone)),
        *(("key", hide) for hide in (private, trashed, deleting, gone)),
        *(("token", hide) for hide in (private, trashed, deleting, gone)),
        *(("guest", hide) for hide in (out_of_album, private_without_album, trashed, deleting, expired, gone)),
        *(("session of the owner", hide) for hide in (deleting, expired, gone)),
    ],
)
def test_a_photo_that_the_viewer_may_not_see_is_404_like_a_missing_one(
    gallery: Gallery, client: Client, viewer: str, hide: Callable[[Gallery], None]
) -> None:
    viewer_in = VIEWERS[viewer](gallery)
    url = gallery.url(viewer_in)
    assert client.get(url).status_code == 200
    hide(gallery)
    hidden = client.get(url)
    missing = client.get(gallery.url(viewer_in, photo=missing_photo(gallery)))
    assert hidden.status_code == 404
    assert observed(hidden) == observed(missing)


def missing_photo(gallery: Gallery) -> Photo:
    photo = gallery.add_photo()
    gallery.drop(photo)
    return photo


def test_the_owner_still_sees_a_private_or_trashed_photo(gallery: Gallery, client: Client) -> None:
    url = gallery.url(VIEWERS["session of the owner"](gallery))
    for hide in (private, trashed):
        hide(gallery)
        assert client.get(url).status_code == 200


def test_an_album_member_sees_a_private_photo_while_both_are_in_the_album(gallery: Gallery, client: Client) -> None:
    member = gallery.join_album(gallery.bob)
    private(gallery)
    url = gallery.url(gallery.bob_in())
    assert client.get(url).status_code == 200
    gallery.drop(member)
    assert client.get(url).status_code == 404
    gallery.keep(member)
    assert client.get(url).status_code == 200
    out_of_album(gallery)
    assert client.get(url).status_code == 404


def test_signed_urls_end_with_their_session(gallery: Gallery, client: Client) -> None:
    secret = gallery.session_of(gallery.bob)
    url = gallery.url(Viewer(ViewerKind.SESSION, secret.id))
    assert client.get(url).status_code == 200
    assert end_session(gallery.bob.email, secret.id, table=gallery.table)
    response = client.get(url)
    assert (response.status_code, response.json()["error"]) == (401, "NOT_SIGNED_IN")


def test_signed_urls_end_when_their_session_was_idle_for_too_long(gallery: Gallery, client: Client) -> None:
    viewer = gallery.bob_in()
    gallery.at += timedelta(days=29, hours=23)
    url = gallery.url(viewer)
    assert client.get(url).status_code == 200
    gallery.at += timedelta(hours=1)
    assert client.get(url).status_code == 401


def test_viewing_pictures_does_not_prolong_a_session(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    before = list(gallery.table.scan().items)
    gallery.at += timedelta(hours=23)
    assert client.get(url).status_code == 200
    assert list(gallery.table.scan().items) == before


def test_a_new_password_ends_the_signed_urls_of_all_sessions(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    assert client.get(url).status_code == 200
    gallery.change(gallery.bob, session_epoch=1)
    assert client.get(url).status_code == 401


@pytest.mark.parametrize("viewer", ["session of another user", "key"])
def test_signed_urls_end_when_the_account_is_removed(gallery: Gallery, client: Client, viewer: str) -> None:
    url = gallery.url(VIEWERS[viewer](gallery))
    assert client.get(url).status_code == 200
    gallery.change(gallery.bob, removed_at=NOON)
    assert client.get(url).status_code == 401


def test_signed_urls_end_when_their_api_key_is_revoked_or_expires(gallery: Gallery, client: Client) -> None:
    key_id, _ = gallery.new_key(gallery.bob, KeyScope.READ)
    url = gallery.url(Viewer(ViewerKind.KEY, key_id))
    assert client.get(url).status_code == 200
    assert revoke_key(gallery.bob.email, key_id, table=gallery.table)
    assert client.get(url).status_code == 401
    over, _ = gallery.new_key(gallery.bob, KeyScope.READ, days=1)
    url = gallery.url(Viewer(ViewerKind.KEY, over))
    gallery.at += timedelta(days=1)
    assert client.get(url).status_code == 401


def test_an_api_key_without_the_read_scope_opens_no_rendition(gallery: Gallery, client: Client) -> None:
    key_id, _ = gallery.new_key(gallery.bob, KeyScope.UPLOAD)
    response = client.get(gallery.url(Viewer(ViewerKind.KEY, key_id)))
    assert (response.status_code, response.json()["error"]) == (403, "NOT_ALLOWED")


@pytest.mark.parametrize("row", ["link", "guest"])
def test_signed_urls_end_when_the_link_or_the_guest_is_removed(gallery: Gallery, client: Client, row: str) -> None:
    url = gallery.url(gallery.guest_in())
    assert client.get(url).status_code == 200
    gallery.drop(getattr(gallery, row))
    assert client.get(url).status_code == 401


@pytest.mark.parametrize("row", ["link", "guest"])
def test_signed_urls_end_when_the_link_or_the_guest_expires(gallery: Gallery, client: Client, row: str) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.change(getattr(gallery, row), expires_at=gallery.at + timedelta(minutes=5))
    assert client.get(url).status_code == 200
    gallery.at += timedelta(minutes=5)
    assert client.get(url).status_code == 401


def test_a_link_that_no_longer_allows_to_view_opens_no_rendition(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.change(gallery.link, allow=frozenset({LinkPermission.UPLOAD}))
    assert client.get(url).status_code == 404


def test_guests_do_not_see_a_photo_before_it_is_revealed(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.change(gallery.link, reveal_at=gallery.at + timedelta(hours=1))
    assert client.get(url).status_code == 404


# -- Signed URLs


def test_a_changed_bit_makes_a_signed_url_invalid(gallery: Gallery) -> None:
    url = gallery.url(gallery.bob_in()).encode()
    flipped = [
        url[:position] + bytes([url[position] ^ 1 << bit]) + url[position + 1 :]
        for position, bit in product(range(len(url)), range(8))
    ]
    with asyncio.Runner() as runner:
        assert runner.run(statuses(gallery.app(), [url])) == [200]
        found = dict(zip(flipped, runner.run(statuses(gallery.app(), flipped)), strict=True))
    assert {target: status for target, status in found.items() if status not in (400, 403, 404)} == {}
    assert {403, 404} <= set(found.values())


async def statuses(app: ASGIApp, targets: list[bytes]) -> list[int]:
    """The statuses for these request targets, parsed byte by byte as uvicorn does."""
    return [await status_of(app, target) for target in targets]


async def status_of(app: ASGIApp, target: bytes) -> int:
    try:
        url = httptools.parse_url(target)
    except httptools.HttpParserInvalidURLError:
        return 400
    path = unquote(url.path.decode("latin-1"))
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": url.path,
        "query_string": url.query or b"",
        "headers": [],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
        "scheme": "http",
        "http_version": "1.1",
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return int(sent[0]["status"])


def test_no_field_of_a_signed_url_is_valid_in_another(gallery: Gallery, client: Client) -> None:
    """Two viewers may see both photos: each field of one URL is tried in the other."""
    other_photo = gallery.add_photo()
    one = gallery.url(gallery.bob_in())
    gallery.at += timedelta(days=1)
    gallery.keyring = Keyring("new", {**RING.secrets, "new": b"n" * 32})
    other = gallery.url(gallery.guest_in(), photo=other_photo)
    with Client(gallery.app()) as client:
        pieces = [(url.partition("?")[0], *url.partition("?")[2].split("&")) for url in (one, other)]
        for chosen in product(*zip(*pieces, strict=True)):
            path, *fields = chosen
            status = client.get(f"{path}?{'&'.join(fields)}").status_code
            assert status == (200 if chosen in pieces else 403)


def test_a_signed_url_expires(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    gallery.at += timedelta(days=1)
    assert client.get(url).status_code == 200
    gallery.at += timedelta(days=1)
    response = client.get(url)
    assert (response.status_code, response.json()["error"]) == (403, "BAD_SIGNATURE")
    assert "expired" in response.json()["message"]


def test_the_signed_url_of_a_guest_expires_sooner(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.at += timedelta(minutes=15)
    assert client.get(url).status_code == 200
    gallery.at += timedelta(minutes=15)
    assert client.get(url).status_code == 403


def test_signed_urls_survive_the_rotation_of_a_secret_but_not_its_removal(gallery: Gallery) -> None:
    url = gallery.url(gallery.bob_in())
    for secrets, status in (({**RING.secrets, "new": b"n" * 32}, 200), ({"new": b"n" * 32}, 403)):
        gallery.keyring = Keyring("new", secrets)
        with Client(gallery.app()) as client:
            assert client.get(url).status_code == status


@pytest.mark.parametrize(
    "image_id", ["x", "0198653A-6EBD-7F4E-8000-1F2E3D4C5B6A", "%00", "a@b.example", "é", "%23", "a%20b"]
)
def test_an_invalid_id_is_404_like_a_missing_photo(gallery: Gallery, client: Client, image_id: str) -> None:
    url = gallery.url(gallery.bob_in())
    gallery.drop(gallery.photo)
    missing = client.get(url)
    response = client.get(url.replace(gallery.photo.image_id, image_id))
    assert response.status_code == 404
    assert observed(response) == observed(missing)


@pytest.mark.parametrize("size", ["original", "ORIGINAL", "Large", "huge", "processedAt", "large%00", "large/", ""])
def test_an_unknown_rendition_is_404(gallery: Gallery, client: Client, size: str) -> None:
    assert client.get(gallery.url(gallery.bob_in(), size=size)).status_code == 404


def test_media_urls_accept_only_get_and_head(gallery: Gallery, client: Client) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert client.request(method, gallery.url(gallery.bob_in())).status_code == 405


def test_media_urls_are_not_in_the_openapi_document(gallery: Gallery) -> None:
    assert list(gallery.app().openapi()["paths"]) == ["/api/photos/{imageId}/original"]


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
