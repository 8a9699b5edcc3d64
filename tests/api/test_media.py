"""`/media/`: a rendition for whom its address was made, for as long as they may see the photo."""

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
from sparks.auth.signing import Viewer, ViewerKind
from sparks.blobs.memory import MemoryBlobs
from sparks.model.credential import KeyScope
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Renditions, Visibility
from sparks.model.share import LinkPermission
from tests.api.client import Client
from tests.api.gallery import PICTURE, RING, SUBJECT, Gallery, served_gallery
from tests.factories import NOON

LARGE = b"large" + PICTURE


@pytest.fixture
def gallery() -> Gallery:
    return served_gallery()


@pytest.fixture
def client(gallery: Gallery) -> Iterator[Client]:
    with Client(gallery.app()) as client:
        yield client


def told(answer: httpx.Response) -> tuple[int, dict[str, str], dict[str, str]]:
    """All that a caller learns."""
    return answer.status_code, answer.json(), dict(answer.headers)


# -- Who sees it


def test_each_rendition_is_at_its_address(gallery: Gallery, client: Client) -> None:
    viewer = gallery.bob_in()
    for size in ("large", "medium", "thumb"):
        answer = client.get(gallery.url(viewer, size=size))
        assert (answer.status_code, answer.content) == (200, size.encode() + PICTURE)
        assert answer.headers["Content-Type"] == "image/webp"


def test_a_size_that_a_setting_has_added_is_at_its_address(gallery: Gallery, client: Client) -> None:
    key = f"processed/{gallery.photo.image_id}_hd.webp"
    gallery.blobs.put(key, [PICTURE], content_type="image/webp")
    gallery.change(gallery.photo, renditions=Renditions({"hd": key}))
    assert client.get(gallery.url(gallery.bob_in(), size="hd")).content == PICTURE


def test_a_film_is_at_its_address_with_range(gallery: Gallery, client: Client) -> None:
    key = f"processed/{gallery.photo.image_id}_video.mp4"
    gallery.blobs.put(key, [PICTURE], content_type="video/mp4")
    gallery.change(gallery.photo, renditions=Renditions({"video": key}))
    answer = client.get(gallery.url(gallery.bob_in(), size="video"), headers={"Range": "bytes=10-19"})
    assert (answer.status_code, answer.content) == (206, PICTURE[10:20])
    assert answer.headers["Content-Type"] == "video/mp4"


VIEWERS: dict[str, Callable[[Gallery], Viewer]] = {
    "session of the owner": lambda gallery: Viewer(ViewerKind.SESSION, gallery.session_of(gallery.ann).id),
    "session of somebody else": Gallery.bob_in,
    "key": lambda gallery: Viewer(ViewerKind.KEY, gallery.new_key(gallery.bob, KeyScope.READ)[0]),
    "token": lambda _: Viewer(ViewerKind.TOKEN, SUBJECT),
    "guest": Gallery.guest_in,
}


@pytest.mark.parametrize("viewer", VIEWERS)
def test_whoever_was_let_in_sees_a_photo_of_the_community(gallery: Gallery, client: Client, viewer: str) -> None:
    assert client.get(gallery.url(VIEWERS[viewer](gallery))).content == LARGE


def test_an_address_is_all_that_is_needed(gallery: Gallery, client: Client) -> None:
    """An <img> sends no header, and a cookie of somebody else's changes nothing."""
    url = gallery.url(gallery.bob_in())
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Cookie": "sparks_session=nonsense"}):
        assert client.get(url, headers=headers).status_code == 200


# -- What closes it


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
    ("viewer", "closing"),
    [
        *(("session of somebody else", closing) for closing in (private, trashed, deleting, failed, expired, gone)),
        *(("key", closing) for closing in (private, trashed, deleting, gone)),
        *(("token", closing) for closing in (private, trashed, deleting, gone)),
        *(("guest", closing) for closing in (out_of_album, private_without_album, trashed, deleting, expired, gone)),
        *(("session of the owner", closing) for closing in (deleting, expired, gone)),
    ],
)
def test_a_photo_that_is_out_of_sight_is_as_one_that_is_not_there(
    gallery: Gallery, client: Client, viewer: str, closing: Callable[[Gallery], None]
) -> None:
    looking = VIEWERS[viewer](gallery)
    url = gallery.url(looking)
    assert client.get(url).status_code == 200
    closing(gallery)
    closed = client.get(url)
    never = client.get(gallery.url(looking, photo=never_there(gallery)))
    assert closed.status_code == 404
    assert told(closed) == told(never)


def never_there(gallery: Gallery) -> Photo:
    photo = gallery.hang()
    gallery.drop(photo)
    return photo


def test_the_owner_still_sees_what_they_made_private_or_trashed(gallery: Gallery, client: Client) -> None:
    url = gallery.url(VIEWERS["session of the owner"](gallery))
    for closing in (private, trashed):
        closing(gallery)
        assert client.get(url).status_code == 200


def test_an_album_opens_a_private_photo_until_it_closes_again(gallery: Gallery, client: Client) -> None:
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


def test_a_session_closes_its_addresses_when_it_ends(gallery: Gallery, client: Client) -> None:
    secret = gallery.session_of(gallery.bob)
    url = gallery.url(Viewer(ViewerKind.SESSION, secret.id))
    assert client.get(url).status_code == 200
    assert end_session(gallery.bob.email, secret.id, table=gallery.table)
    answer = client.get(url)
    assert (answer.status_code, answer.json()["error"]) == (401, "NOT_SIGNED_IN")


def test_a_session_closes_its_addresses_when_nobody_uses_it(gallery: Gallery, client: Client) -> None:
    viewer = gallery.bob_in()
    gallery.at += timedelta(days=29, hours=23)
    url = gallery.url(viewer)
    assert client.get(url).status_code == 200
    gallery.at += timedelta(hours=1)
    assert client.get(url).status_code == 401


def test_looking_at_pictures_does_not_prolong_a_session(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    before = list(gallery.table.scan().items)
    gallery.at += timedelta(hours=23)
    assert client.get(url).status_code == 200
    assert list(gallery.table.scan().items) == before


def test_a_new_password_closes_the_addresses_of_all_sessions(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    assert client.get(url).status_code == 200
    gallery.change(gallery.bob, session_epoch=1)
    assert client.get(url).status_code == 401


@pytest.mark.parametrize("viewer", ["session of somebody else", "key"])
def test_an_account_closes_its_addresses_when_it_is_removed(gallery: Gallery, client: Client, viewer: str) -> None:
    url = gallery.url(VIEWERS[viewer](gallery))
    assert client.get(url).status_code == 200
    gallery.change(gallery.bob, removed_at=NOON)
    assert client.get(url).status_code == 401


def test_a_key_closes_its_addresses_when_it_is_revoked_or_over(gallery: Gallery, client: Client) -> None:
    key_id, _ = gallery.new_key(gallery.bob, KeyScope.READ)
    url = gallery.url(Viewer(ViewerKind.KEY, key_id))
    assert client.get(url).status_code == 200
    assert revoke_key(gallery.bob.email, key_id, table=gallery.table)
    assert client.get(url).status_code == 401
    over, _ = gallery.new_key(gallery.bob, KeyScope.READ, days=1)
    url = gallery.url(Viewer(ViewerKind.KEY, over))
    gallery.at += timedelta(days=1)
    assert client.get(url).status_code == 401


def test_a_key_that_may_not_read_opens_no_picture(gallery: Gallery, client: Client) -> None:
    key_id, _ = gallery.new_key(gallery.bob, KeyScope.UPLOAD)
    answer = client.get(gallery.url(Viewer(ViewerKind.KEY, key_id)))
    assert (answer.status_code, answer.json()["error"]) == (403, "NOT_ALLOWED")


@pytest.mark.parametrize("row", ["link", "guest"])
def test_a_link_closes_its_addresses_when_it_or_the_guest_is_gone(gallery: Gallery, client: Client, row: str) -> None:
    url = gallery.url(gallery.guest_in())
    assert client.get(url).status_code == 200
    gallery.drop(getattr(gallery, row))
    assert client.get(url).status_code == 401


@pytest.mark.parametrize("row", ["link", "guest"])
def test_a_link_closes_its_addresses_when_it_or_the_guest_expires(gallery: Gallery, client: Client, row: str) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.change(getattr(gallery, row), expires_at=gallery.at + timedelta(minutes=5))
    assert client.get(url).status_code == 200
    gallery.at += timedelta(minutes=5)
    assert client.get(url).status_code == 401


def test_a_link_that_no_longer_shows_photos_opens_no_picture(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.change(gallery.link, allow=frozenset({LinkPermission.UPLOAD}))
    assert client.get(url).status_code == 404


def test_a_photo_that_is_not_revealed_yet_is_not_there_for_guests(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.change(gallery.link, reveal_at=gallery.at + timedelta(hours=1))
    assert client.get(url).status_code == 404


# -- Addresses


def test_every_bit_of_an_address_counts(gallery: Gallery) -> None:
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
    """What a server is answered when it is asked for these, byte by byte: uvicorn takes them apart in this way."""
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


def test_no_field_of_one_address_fits_another(gallery: Gallery, client: Client) -> None:
    """As seen by two who may both see both photos: each field is tried in the place of the other."""
    other_photo = gallery.hang()
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


def test_an_address_ends(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    gallery.at += timedelta(days=1)
    assert client.get(url).status_code == 200
    gallery.at += timedelta(days=1)
    answer = client.get(url)
    assert (answer.status_code, answer.json()["error"]) == (403, "BAD_SIGNATURE")
    assert "expired" in answer.json()["message"]


def test_a_guests_address_ends_sooner(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.guest_in())
    gallery.at += timedelta(minutes=15)
    assert client.get(url).status_code == 200
    gallery.at += timedelta(minutes=15)
    assert client.get(url).status_code == 403


def test_a_rotated_secret_keeps_addresses_open_and_a_dropped_one_does_not(gallery: Gallery) -> None:
    url = gallery.url(gallery.bob_in())
    for secrets, status in (({**RING.secrets, "new": b"n" * 32}, 200), ({"new": b"n" * 32}, 403)):
        gallery.keyring = Keyring("new", secrets)
        with Client(gallery.app()) as client:
            assert client.get(url).status_code == status


@pytest.mark.parametrize(
    "image_id", ["x", "0198653A-6EBD-7F4E-8000-1F2E3D4C5B6A", "%00", "a@b.example", "é", "%23", "a%20b"]
)
def test_what_is_no_id_is_as_a_photo_that_is_not_there(gallery: Gallery, client: Client, image_id: str) -> None:
    url = gallery.url(gallery.bob_in())
    gallery.drop(gallery.photo)
    missing = client.get(url)
    answer = client.get(url.replace(gallery.photo.image_id, image_id))
    assert answer.status_code == 404
    assert told(answer) == told(missing)


@pytest.mark.parametrize("size", ["original", "ORIGINAL", "Large", "huge", "processedAt", "large%00", "large/", ""])
def test_there_are_three_renditions(gallery: Gallery, client: Client, size: str) -> None:
    assert client.get(gallery.url(gallery.bob_in(), size=size)).status_code == 404


def test_other_methods_are_not_allowed(gallery: Gallery, client: Client) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert client.request(method, gallery.url(gallery.bob_in())).status_code == 405


def test_the_addresses_are_not_in_the_openapi_document(gallery: Gallery) -> None:
    assert list(gallery.app().openapi()["paths"]) == ["/api/photos/{imageId}/original"]


# -- What is answered


def test_a_browser_keeps_the_picture_until_its_address_ends(gallery: Gallery, client: Client) -> None:
    for viewer, most in ((gallery.bob_in(), 48 * 3600), (gallery.guest_in(), 30 * 60)):
        url = gallery.url(viewer)
        until = int(httpx.URL(url).params["until"])
        left = until - int(gallery.at.timestamp())
        assert 0 < left <= most
        assert client.get(url).headers["Cache-Control"] == f"private, max-age={left}, immutable"


def test_a_browser_is_told_to_take_the_picture_for_nothing_else(gallery: Gallery, client: Client) -> None:
    headers = client.get(gallery.url(gallery.bob_in())).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert "Content-Disposition" not in headers


def test_what_is_no_picture_is_not_shown_as_what_it_says(gallery: Gallery, client: Client) -> None:
    gallery.blobs.put(f"processed/{gallery.photo.image_id}_large.webp", [b"<script>"], content_type="text/html")
    assert client.get(gallery.url(gallery.bob_in())).headers["Content-Type"] == "application/octet-stream"


def test_ranges_are_answered(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    answer = client.get(url, headers={"Range": "bytes=2-6"})
    assert (answer.status_code, answer.content) == (206, LARGE[2:7])
    assert answer.headers["Content-Range"] == f"bytes 2-6/{len(LARGE)}"
    assert client.get(url, headers={"Range": "bytes=999999-"}).status_code == 416


def test_what_the_browser_has_is_not_sent_again(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    etag = client.get(url).headers["ETag"]
    answer = client.get(url, headers={"If-None-Match": etag})
    assert (answer.status_code, answer.content) == (304, b"")
    private(gallery)
    assert client.get(url, headers={"If-None-Match": etag}).status_code == 404


def test_head_tells_what_get_would(gallery: Gallery, client: Client) -> None:
    url = gallery.url(gallery.bob_in())
    get, head = client.get(url), client.request("HEAD", url)
    assert (head.status_code, head.content) == (200, b"")
    assert dict(head.headers) == dict(get.headers)


def test_a_large_picture_is_streamed(gallery: Gallery, client: Client) -> None:
    content = bytes(range(256)) * 8192
    gallery.blobs.put(f"processed/{gallery.photo.image_id}_large.webp", [content], content_type="image/webp")
    assert client.get(gallery.url(gallery.bob_in())).content == content


@pytest.mark.parametrize("status", [ProcessingStatus.PENDING, ProcessingStatus.PROCESSING])
def test_a_rendition_in_the_making_is_not_there_yet(gallery: Gallery, client: Client, status: ProcessingStatus) -> None:
    gallery.change(gallery.photo, renditions=None, processing_status=status)
    answer = client.get(gallery.url(gallery.bob_in()))
    assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND")
    assert "try again soon" in answer.json()["message"]
    assert answer.headers["Retry-After"] == "5"


def test_a_rendition_that_was_not_made_is_not_there(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, renditions=Renditions({"thumb": "processed/x_thumb.webp"}))
    answer = client.get(gallery.url(gallery.bob_in()))
    assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND")
    assert "Retry-After" not in answer.headers


def test_the_original_is_out_of_reach_whatever_the_row_says(gallery: Gallery, client: Client) -> None:
    gallery.change(gallery.photo, renditions=Renditions({"large": f"originals/{gallery.photo.image_id}.jpg"}))
    assert client.get(gallery.url(gallery.bob_in())).status_code == 404


# -- Where the store has addresses of its own


@pytest.fixture
def elsewhere() -> Gallery:
    return Gallery(blobs=MemoryBlobs(keyring=RING, base_url="https://store.example"), served=None)


def test_a_picture_elsewhere_is_sent_on_to(elsewhere: Gallery) -> None:
    with Client(elsewhere.app()) as client:
        answer = client.get(elsewhere.url(elsewhere.bob_in()))
        assert (answer.status_code, answer.content) == (307, b"")
        assert answer.headers["Location"].startswith(
            f"https://store.example/blobs/processed/{elsewhere.photo.image_id}_large.webp?"
        )
        assert answer.headers["Cache-Control"] == "private, max-age=240"
        private(elsewhere)
        assert client.get(elsewhere.url(elsewhere.bob_in())).status_code == 404


def test_nobody_keeps_the_way_there_longer_than_the_address_is_good(elsewhere: Gallery) -> None:
    url = elsewhere.url(elsewhere.guest_in())
    elsewhere.at += timedelta(seconds=int(httpx.URL(url).params["until"]) - elsewhere.at.timestamp() - 7)
    with Client(elsewhere.app()) as client:
        assert client.get(url).headers["Cache-Control"] == "private, max-age=7"


def test_head_of_a_picture_elsewhere_is_answered_here(elsewhere: Gallery) -> None:
    with Client(elsewhere.app()) as client:
        answer = client.request("HEAD", elsewhere.url(elsewhere.bob_in()))
    assert (answer.status_code, answer.content) == (200, b"")
    assert (answer.headers["Content-Length"], answer.headers["Content-Type"]) == (str(len(LARGE)), "image/webp")
