"""Blobs in a folder: durable puts against a bare loop, and serving one of 200 kB against nginx."""

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final
from urllib.parse import urlsplit

from benchmarks.frame import Figure, run, seconds
from sparks.blobs.filesystem import FilesystemBlobs
from sparks.model.ids import new_image_id
from sparks.model.keyring import Keyring
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.servers.process import answers, free_port, wait_until

PUTS: Final = 80
CHUNK: Final = bytes(range(256)) * 4096
PHOTO: Final = [CHUNK] * 4
RENDITION: Final = os.urandom(200_000)
ROUNDS: Final = 9
REQUESTS: Final = 1500
CONNECTIONS: Final = 4
KEY: Final = f"processed/{new_image_id()}_large.webp"


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="sparks-bench-", dir=Path.cwd()) as folder:
        return [*puts(Path(folder)), *serving(Path(folder))]


def puts(folder: Path) -> list[Figure]:
    """Put by put in turn, so that both meet the same disk."""
    blobs = FilesystemBlobs(folder / "puts", keyring=Keyring("bench", {"bench": bytes(32)}), base_url="")
    (folder / "bare").mkdir()
    ours, bare = [], []
    for _ in range(PUTS):
        key = f"originals/{new_image_id()}.jpg"
        ours.append(seconds(partial(blobs.put, key, PHOTO, content_type="image/jpeg")))
        bare.append(seconds(partial(put_bare, folder / "bare", new_image_id())))
    blobs.close()
    return [
        Figure("put_vs_bare", median(bare) / median(ours), "durable 4 MB puts a second / in a bare loop", ">= 0.8"),
        Figure("put_per_s", 1 / median(ours), "durable 4 MB puts a second, one after the other"),
    ]


def put_bare(folder: Path, name: str) -> None:
    digest = hashlib.sha256()
    draft = folder / f"{name}.tmp"
    with draft.open("wb", buffering=0) as file:
        for chunk in PHOTO:
            digest.update(chunk)
            file.write(chunk)
        os.fsync(file.fileno())
    draft.rename(folder / name)
    opened = os.open(folder, os.O_RDONLY)
    os.fsync(opened)
    os.close(opened)


def serving(folder: Path) -> list[Figure]:
    with sparks(folder / "data") as ours, nginx(folder, folder / "data/blobs") as peer:
        for url in (ours, peer):
            fetch(url, REQUESTS)
        times = [[seconds(partial(fetch, url, REQUESTS)) for url in (ours, peer)] for _ in range(ROUNDS)]
    return [
        Figure(
            "serve_vs_nginx",
            median(theirs / mine for mine, theirs in times),
            "requests a second for a 200 kB blob through /blobs/ / from nginx, one process each",
        ),
        Figure("serve_per_s", REQUESTS / median(mine for mine, _ in times), "such requests a second"),
        Figure("nginx_per_s", REQUESTS / median(theirs for _, theirs in times), "such requests a second from nginx"),
    ]


@contextmanager
def sparks(data: Path) -> Iterator[str]:
    """`sparks serve`, with a blob in it: the blob's signed address."""
    port = free_port()
    environment = {"SPARKS_DATA": str(data), "SPARKS_PORT": str(port), "SPARKS_LOG_LEVEL": "warning"}
    settings = load_settings({}, environment)
    with open_stores(settings) as stores:
        stores.blobs.put(KEY, [RENDITION], content_type="image/webp")
        url = stores.blobs.sign_get(KEY, expires_in=3600).url
    command = [sys.executable, "-m", "sparks", "serve", "--workers", "0"]
    with running(command, f"http://127.0.0.1:{port}/healthz", environment):
        yield url


@contextmanager
def nginx(folder: Path, blobs: Path) -> Iterator[str]:
    """The same file from nginx, with one worker, as Sparks has one process."""
    port = free_port()
    found = next(path for path in blobs.rglob("*.webp"))
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"""{user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr;
        events {{ }}
        http {{
            access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000;
            client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
            uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
            server {{ listen 127.0.0.1:{port}; root {found.parent}; }}
        }}"""
    )
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        raise SystemExit("nginx is not installed")
    url = f"http://127.0.0.1:{port}/{found.name}"
    with running([program, "-e", "stderr", "-c", str(folder / "nginx.conf")], url, {}):
        yield url


@contextmanager
def running(command: list[str], url: str, environment: dict[str, str]) -> Iterator[None]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | environment) as process:
        try:
            wait_until(lambda: process.poll() is not None or answers(url), what=url)
            if process.poll() is not None:
                raise SystemExit(f"{command[0]} ended at once")
            yield
        finally:
            process.terminate()


def fetch(url: str, requests: int) -> None:
    """All of them over a few connections that stay open, each asking again as soon as it has its answer."""
    where = urlsplit(url)
    request = f"GET {where.path}?{where.query} HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode()
    connections = [socket.create_connection((where.hostname, where.port)) for _ in range(CONNECTIONS)]
    buffer = bytearray(1024 * 1024)
    for turn in range(requests // CONNECTIONS):
        for connection in connections:
            connection.sendall(request)
        for connection in connections:
            receive(connection, buffer, check=turn == 0)
    for connection in connections:
        connection.close()


def receive(connection: socket.socket, buffer: bytearray, *, check: bool) -> None:
    """One answer, which has 200 kB; `check` looks at them, too."""
    got = connection.recv_into(buffer)
    body = buffer.index(b"\r\n\r\n") + 4
    assert buffer.startswith(b"HTTP/1.1 200 "), bytes(buffer[:body])
    while got < body + len(RENDITION):
        got += connection.recv_into(memoryview(buffer)[got:])
    if check:
        assert buffer[body:got] == RENDITION


if __name__ == "__main__":
    run("blobs", measure)
