"""`/blobs/`: headers and statuses of its responses, and slow or interrupted clients."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI

from sparks.api.http import blob_routes as route
from sparks.api.http import errors
from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.memory import MemoryBlobs
from tests.api.client import Client
from tests.conformance.blobs.content import KEYRING, MIB, content_of
from tests.conformance.blobs.host import Host
from tests.servers.process import wait_until

KEY = "originals/a.jpg"
MORE_THAN_THREADS = 60  # as there are for blocking work


@pytest.fixture
def blobs() -> MemoryBlobs:
    blobs = MemoryBlobs(keyring=KEYRING)
    blobs.put(KEY, [b"0123456789"], content_type="image/jpeg")
    return blobs


@pytest.fixture
def app(blobs: MemoryBlobs) -> FastAPI:
    app = FastAPI()
    errors.install(app)
    app.include_router(route.router(blobs=blobs, keyring=KEYRING))
    return app


@pytest.fixture
def client(app: FastAPI) -> Iterator[Client]:
    with Client(app) as client:
        yield client


@pytest.fixture
def url(blobs: MemoryBlobs) -> str:
    return blobs.sign_get(KEY, expires_in=60).url


@pytest.fixture
def file_blobs(host: Host, tmp_path: Path) -> Iterator[FilesystemBlobs]:
    base_url = host.new_place()
    blobs = FilesystemBlobs(tmp_path / "blobs", keyring=KEYRING, base_url=base_url)
    host.serve(blobs, base_url)
    yield blobs
    blobs.close()


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with Host() as host:
        yield host


def connection(url: str, *lines: str) -> socket.socket:
    """A PUT of which only the headers are sent."""
    where = urlsplit(url)
    opened = socket.create_connection((where.hostname, where.port), timeout=10)
    head = [f"PUT {where.path}?{where.query} HTTP/1.1", f"Host: {where.netloc}", *lines, "", ""]
    opened.sendall("\r\n".join(head).encode())
    return opened


def upload(blobs: FilesystemBlobs, key: str, size: int) -> socket.socket:
    signed = blobs.sign_put(key, size=size, expires_in=60)
    return connection(signed.url, f"Content-Length: {size}", "Content-Type: application/octet-stream")


def test_the_headers_forbid_browsers_to_guess_another_type(client: Client, url: str) -> None:
    headers = client.get(url).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert "Content-Disposition" not in headers


@pytest.mark.parametrize(
    ("key", "caching"),
    [
        ("processed/a_large.webp", "private, max-age=31536000, immutable"),
        ("faces/thumbs/a.jpg", "private, max-age=31536000, immutable"),
        ("persons/person1.jpg", "private, max-age=31536000, immutable"),
        ("profile-pictures/a/profile.jpg", "private, max-age=31536000, immutable"),
        ("derived/months/a", "private, max-age=31536000, immutable"),
        ("originals/a.jpg", "private, no-cache"),
        ("uploads/a", "private, no-cache"),
    ],
)
def test_renditions_are_cached_by_the_browser(blobs: MemoryBlobs, client: Client, key: str, caching: str) -> None:
    blobs.put(key, [b"bytes"])
    assert client.get(blobs.sign_get(key, expires_in=60).url).headers["Cache-Control"] == caching


def test_head_returns_the_headers_of_get(client: Client, url: str) -> None:
    get, head = client.get(url), client.request("HEAD", url)
    assert (head.status_code, head.content) == (200, b"")
    assert dict(head.headers) == dict(get.headers)
    part = client.request("HEAD", url, headers={"Range": "bytes=2-4"})
    assert (part.status_code, part.headers["Content-Length"]) == (206, "3")


def test_head_at_a_url_for_writing_is_refused(blobs: MemoryBlobs, client: Client) -> None:
    assert client.request("HEAD", blobs.sign_put(KEY, size=5, expires_in=60).url).status_code == 403


@pytest.mark.parametrize("asked", ["bytes=0-1,3-4", "bytes=-", "bytes=4-2", "x=0-1", f"bytes={'1' * 5000}-"])
def test_an_invalid_range_gets_the_whole_blob(client: Client, url: str, asked: str) -> None:
    answer = client.get(url, headers={"Range": asked})
    assert (answer.status_code, answer.content) == (200, b"0123456789")


@pytest.mark.parametrize("asked", ["bytes=10-", "bytes=10-20", "bytes=999999999999-", "bytes=-0"])
def test_a_range_without_bytes_is_not_satisfiable(client: Client, url: str, asked: str) -> None:
    answer = client.get(url, headers={"Range": asked})
    assert (answer.status_code, answer.headers["Content-Range"]) == (416, "bytes */10")
    assert set(answer.json()) == {"error", "message", "requestId"}


def test_a_range_of_an_older_blob_gets_the_whole_blob(client: Client, url: str) -> None:
    etag = client.get(url).headers["ETag"]
    assert client.get(url, headers={"Range": "bytes=0-1", "If-Range": etag}).status_code == 206
    for older in ('"other"', f"W/{etag}", "Mon, 16 Nov 2026 01:50:48 GMT"):
        answer = client.get(url, headers={"Range": "bytes=0-1", "If-Range": older})
        assert (answer.status_code, answer.content) == (200, b"0123456789")


def test_a_blob_that_the_browser_has_is_not_sent_again(client: Client, url: str) -> None:
    whole = client.get(url)
    etag = whole.headers["ETag"]
    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        answer = client.get(url, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["ETag"] == etag
        assert answer.headers["Cache-Control"] == whole.headers["Cache-Control"]
    for unknown in ('"other"', etag.strip('"'), ""):
        assert client.get(url, headers={"If-None-Match": unknown}).status_code == 200


def test_a_refusal_has_the_reason_and_nothing_else(client: Client, url: str) -> None:
    for refused in (f"{url}x", url.partition("?")[0], "/blobs/", "/blobs/../../etc/passwd?x=1&signature=y"):
        answer = client.get(refused)
        assert answer.status_code in (403, 404)
    answer = client.get(f"{url}x")
    assert (answer.status_code, answer.json()["error"]) == (403, "BAD_SIGNATURE")
    assert set(answer.json()) == {"error", "message", "requestId"}
    assert b"0123456789" not in answer.content


def test_a_wrong_signature_does_not_reveal_whether_the_blob_exists(blobs: MemoryBlobs, client: Client) -> None:
    blobs.put("originals/b.jpg", [b"bytes"])
    signed = blobs.sign_get(KEY, expires_in=60).url
    there, missing = (client.get(signed.replace("a.jpg", name)) for name in ("b.jpg", "c.jpg"))
    assert there.status_code == missing.status_code == 403
    assert there.json() == missing.json()


def test_a_body_without_a_length_is_refused(blobs: MemoryBlobs, client: Client) -> None:
    async def chunked() -> object:
        yield b"bytes"

    signed = blobs.sign_put("new", size=5, expires_in=60)
    answer = client.request("PUT", signed.url, headers=dict(signed.headers), content=chunked())
    assert (answer.status_code, answer.json()["error"]) == (411, "LENGTH_REQUIRED")


@pytest.mark.parametrize("headers", [{"Content-Type": "text/html"}, {"Content-Type": ""}])
def test_another_type_is_bad_input(blobs: MemoryBlobs, client: Client, headers: dict[str, str]) -> None:
    signed = blobs.sign_put("new", size=5, expires_in=60)
    answer = client.request("PUT", signed.url, headers=headers, content=b"bytes")
    assert (answer.status_code, answer.json()["error"]) == (400, "BAD_INPUT")


def test_an_existing_blob_is_a_failed_precondition(blobs: MemoryBlobs, client: Client) -> None:
    signed = blobs.sign_put(KEY, size=5, expires_in=60, if_absent=True)
    answer = client.request("PUT", signed.url, headers=dict(signed.headers), content=b"bytes")
    assert (answer.status_code, answer.json()["error"]) == (412, "PRECONDITION_FAILED")


def test_damaged_bytes_are_refused(blobs: MemoryBlobs, client: Client) -> None:
    signed = blobs.sign_put("new", size=5, sha256="0" * 64, expires_in=60)
    answer = client.request("PUT", signed.url, headers=dict(signed.headers), content=b"bytes")
    assert (answer.status_code, answer.json()["error"]) == (422, "DAMAGED")


def test_other_methods_are_not_allowed(client: Client, url: str) -> None:
    for method in ("POST", "DELETE", "PATCH"):
        assert client.request(method, url).status_code == 405


def test_the_route_is_not_in_the_openapi_document(app: FastAPI) -> None:
    assert app.openapi()["paths"] == {}


def test_another_length_is_refused_before_the_body_is_read(file_blobs: FilesystemBlobs) -> None:
    signed = file_blobs.sign_put("new", size=5, expires_in=60)
    with connection(signed.url, "Content-Length: 5000000000", "Content-Type: application/octet-stream") as opened:
        assert opened.recv(100).startswith(b"HTTP/1.1 400 ")


def test_a_body_is_written_to_disk_while_it_arrives(file_blobs: FilesystemBlobs, tmp_path: Path) -> None:
    with upload(file_blobs, "new", 4 * MIB) as opened:
        opened.sendall(bytes(3 * MIB))
        scratch = tmp_path / "blobs/.tmp"
        wait_until(lambda: sum(path.stat().st_size for path in scratch.iterdir()) >= 2 * MIB, what="bytes on the disk")
        opened.sendall(bytes(MIB))
        assert opened.recv(100).startswith(b"HTTP/1.1 200 ")
    assert file_blobs.head("new").size == 4 * MIB


def test_an_interrupted_upload_leaves_nothing(file_blobs: FilesystemBlobs, tmp_path: Path) -> None:
    scratch = tmp_path / "blobs/.tmp"
    with upload(file_blobs, "new", 4 * MIB) as opened:
        opened.sendall(bytes(3 * MIB))
        wait_until(lambda: any(scratch.iterdir()), what="a draft")
    wait_until(lambda: not any(scratch.iterdir()), what="the draft to be dropped")
    assert file_blobs.list().blobs == []


def test_many_slow_clients_do_not_delay_others(file_blobs: FilesystemBlobs, tmp_path: Path) -> None:
    file_blobs.put(KEY, [b"bytes"])
    scratch = tmp_path / "blobs/.tmp"
    with ExitStack() as stack:
        slow = [stack.enter_context(upload(file_blobs, f"new/{n}", 10)) for n in range(MORE_THAN_THREADS)]
        for opened in slow:
            opened.sendall(b"12345")
        wait_until(lambda: len(list(scratch.iterdir())) == len(slow), what="all uploads to begin")
        assert httpx.get(file_blobs.sign_get(KEY, expires_in=60).url).content == b"bytes"
        for opened in slow:
            opened.sendall(b"67890")
        assert all(opened.recv(100).startswith(b"HTTP/1.1 200 ") for opened in slow)
    assert len(file_blobs.list("new/").blobs) == MORE_THAN_THREADS
    assert content_of(file_blobs, "new/0") == b"1234567890"


def test_an_interrupted_download_closes_the_file(file_blobs: FilesystemBlobs) -> None:
    file_blobs.put(KEY, [bytes(MIB)] * 20)
    url = file_blobs.sign_get(KEY, expires_in=60).url
    before = len(list(Path("/proc/self/fd").iterdir()))
    with httpx.stream("GET", url) as answer:
        next(answer.iter_raw())
    wait_until(lambda: len(list(Path("/proc/self/fd").iterdir())) <= before, what="the file to be closed")
