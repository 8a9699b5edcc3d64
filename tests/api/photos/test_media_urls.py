"""Signed URLs of renditions: every bit counts, and they expire."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from urllib.parse import unquote

import httptools
import pytest
from starlette.types import ASGIApp, Message

from sparks.model.keyring import Keyring
from tests.api.client import Client
from tests.api.shown_photo import RING, Gallery, observed


@pytest.fixture
def client(gallery: Gallery) -> Iterator[Client]:
    with Client(gallery.app()) as client:
        yield client


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
