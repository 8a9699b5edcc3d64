"""Durable uploads of 4 MB with 16 clients: `POST /api/photos` against PUTs to nginx (dav), each followed by fsync."""

import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.blobs import running
from benchmarks.frame import Figure, run, seconds
from sparks.auth.api_keys import make_key
from sparks.library.accounts.lifecycle import create_user
from sparks.model import times
from sparks.model.account import User
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.servers.process import free_port

CLIENTS: Final = 16
UPLOADS: Final = 96  # a round
ROUNDS: Final = 7
START: Final = b"\xff\xd8\xff\xe0"
REST: Final = os.urandom(4 * 1024 * 1024 - 20)
OWNER: Final = "bench@example.com"

_numbers: Final = count()
_here: Final = threading.local()


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="sparks-bench-", dir=Path.cwd()) as name:
        folder = Path(name)
        with sparks(folder / "data") as ours, nginx(folder) as peer:
            for upload in (ours, peer):
                upload_all(upload)
            spent = [[seconds(partial(upload_all, upload)) for upload in (ours, peer)] for _ in range(ROUNDS)]
    return [
        Figure(
            "upload_vs_nginx",
            median(theirs / mine for mine, theirs in spent),
            "durable 4 MB uploads a second / PUTs to nginx with fsync, one process each",
        ),
        Figure("uploads_per_s", UPLOADS / median(mine for mine, _ in spent), "durable 4 MB uploads a second", ">= 25"),
        Figure("nginx_per_s", UPLOADS / median(theirs for _, theirs in spent), "such PUTs a second to nginx"),
    ]


def upload_all(upload: Callable[[bytes], None]) -> None:
    """As many at once as there are clients, each file its own."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        for done in [pool.submit(upload, START + next(_numbers).to_bytes(16, "big")) for _ in range(UPLOADS)]:
            done.result()


@contextmanager
def sparks(data: Path) -> Iterator[Callable[[bytes], None]]:
    """`sparks serve`, and what uploads a file to it."""
    port = free_port()
    environment = {"SPARKS_DATA": str(data), "SPARKS_PORT": str(port), "SPARKS_LOG_LEVEL": "warning"}
    with open_stores(load_settings({}, environment)) as stores:
        owner = User(email=OWNER, username="bench", created_at=times.now())
        create_user(owner, photos=10**6, bytes=10**12, table=stores.table)
        _, key = make_key(owner, name="bench", scopes=None, expires_at=None, at=times.now(), table=stores.table)
    head = f"POST /api/photos?filename=a.jpg HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}"

    def upload(start: bytes) -> None:
        send(port, head, start)

    command = [sys.executable, "-m", "sparks", "serve", "--workers", "0"]
    with running(command, f"http://127.0.0.1:{port}/healthz", environment):
        yield upload


@contextmanager
def nginx(folder: Path) -> Iterator[Callable[[bytes], None]]:
    """nginx with one worker, as Sparks has one process; what it answers with is not on the disk yet, so whoever
    uploads makes it so.
    """
    port, target = free_port(), folder / "put"
    for name in ("put", "body"):
        (folder / name).mkdir(mode=0o777)
    (target / "there").touch()
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"""{user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr;
        events {{ }}
        http {{
            access_log off; keepalive_requests 10000000; client_max_body_size 10m;
            client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
            uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
            server {{ listen 127.0.0.1:{port}; root {target}; dav_methods PUT; }}
        }}"""
    )
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        raise SystemExit("nginx is not installed")

    def upload(start: bytes) -> None:
        name = start[4:].hex()
        send(port, f"PUT /{name} HTTP/1.1\r\nHost: 127.0.0.1:{port}", start)
        for path in (target / name, target):
            sync(path)

    with running([program, "-e", "stderr", "-c", str(folder / "nginx.conf")], f"http://127.0.0.1:{port}/there", {}):
        yield upload


def send(port: int, head: str, start: bytes) -> None:
    """One upload, over a connection that the thread keeps."""
    connections: dict[int, socket.socket] = _here.__dict__.setdefault("connections", {})
    connection = connections.get(port)
    if connection is None:
        connection = connections[port] = socket.create_connection(("127.0.0.1", port))
    connection.sendall(f"{head}\r\nContent-Length: {len(start) + len(REST)}\r\n\r\n".encode() + start)
    connection.sendall(REST)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65536)
    told, _, body = answer.partition(b"\r\n\r\n")
    assert told.startswith(b"HTTP/1.1 201 "), told
    left = length_of(told) - len(body)
    while left:
        left -= len(connection.recv(left))


def length_of(head: bytes) -> int:
    lines = head.decode().lower().split("\r\n")
    return next((int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")), 0)


def sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    os.fsync(opened)
    os.close(opened)


if __name__ == "__main__":
    run("upload", measure)
