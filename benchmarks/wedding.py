"""A wedding: 200 guests upload three photos of 3 MB each over connections that drop, while others look on.

Each guest opens the link, and sends each photo to its signed address at the pace of a crowded network. A connection may
drop in the middle of the bytes: the guest asks what has arrived, and sends it again. Every request but those bodies is
timed. In the end each tries to bring one photo more than the link allows.
"""

import asyncio
import io
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
import numpy as np
from PIL import Image

from benchmarks.frame import Figure, run
from sparks.library import keys
from sparks.library.accounts.lifecycle import create_user
from sparks.library.albums.album_details import create_album
from sparks.library.sharing.share_links import NewLinkSettings, create_link
from sparks.model import times
from sparks.model.account import User
from sparks.model.share import LinkCaps, LinkPermission
from sparks.settings import load_settings
from sparks.table.port import every
from sparks.wiring import open_stores
from tests.servers.process import answers, free_port, wait_until

GUESTS: Final = 200
PHOTOS: Final = 3  # of each guest
SIZE: Final = 3_000_000
PIECE: Final = 64 * 1024
PAUSE: Final = 0.5  # seconds between two pieces: 200 guests share some 200 Mbit/s, as in a good hall
DROPS: Final = 0.3  # of the uploads that break off in the middle, each time they are tried
WORKERS: Final = 1  # renditions and faces follow in their own time; each worker holds some 400 MB for them
HOST: Final = "ann@example.org"
ARRIVALS: Final = 20  # seconds within which all guests have scanned the code
LOOKS: Final = 2  # at the wall, between two photos


@dataclass
class Party:
    """The server, the link, and what was seen of both."""

    port: int
    secret: str
    album_id: str
    picture: bytes
    latencies: list[float] = field(default_factory=list)
    arrived: set[str] = field(default_factory=set)
    passed: int = 0  # photos that no cap has kept out


def measure(guests: int = GUESTS) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="sparks-bench-", dir=Path.cwd()) as name:
        data, port = Path(name) / "data", free_port()
        environment = {"SPARKS_DATA": str(data), "SPARKS_PORT": str(port), "SPARKS_LOG_LEVEL": "warning"}
        environment["SPARKS_WORKERS"] = str(WORKERS)
        party = prepare(environment, port, guests)
        with serving(environment, port) as process:
            spent, memory = asyncio.run(celebrate(party, guests, process))
        there = kept(environment)
    lost = guests * PHOTOS - len(there & party.arrived)
    extra = len(there - party.arrived)
    latency = float(np.percentile(party.latencies, 95)) * 1000
    return [
        Figure("photos_per_min", guests * PHOTOS / spent * 60, "photos of 3 MB that arrive in a minute"),
        Figure("lost", lost, "photos that were answered for and are not there, or never arrived", "0"),
        Figure("twice", extra, "photos that are there and were answered for to nobody", "0"),
        Figure("caps_passed", party.passed, "photos that came in though the link was full", "0"),
        Figure("api_p95_ms", latency, "of every request but upload bodies, meanwhile", "< 250"),
        Figure("rss_mb", memory / 2**20, "the most that the server and its workers held, shared pages once", "< 800"),
    ]


def prepare(environment: dict[str, str], port: int, guests: int) -> Party:
    with open_stores(load_settings({}, environment)) as stores:
        host = User(email=HOST, username="Ann", created_at=times.now())
        create_user(host, photos=10**6, bytes=10**12, table=stores.table)
        album = create_album(host, "Wedding", at=times.now(), table=stores.table)
        caps = LinkCaps(photos=guests * PHOTOS, guest_photos=PHOTOS, bytes=guests * PHOTOS * SIZE)
        pipeline = NewLinkSettings(allow=frozenset({LinkPermission.VIEW, LinkPermission.UPLOAD}), caps=caps)
        _, secret = create_link(album, pipeline, by=HOST, at=times.now(), table=stores.table)
    return Party(port, secret.text, album.album_id, picture())


def kept(environment: dict[str, str]) -> set[str]:
    """The photos that the host has."""
    with open_stores(load_settings({}, environment)) as stores:
        return {row["PK"] for row in every(stores.table, keys.uploads_of(HOST))}


@contextmanager
def serving(environment: dict[str, str], port: int) -> Iterator[int]:
    """`sparks serve` and its worker; its process id."""
    command = [sys.executable, "-m", "sparks", "serve"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | environment) as process:
        try:
            url = f"http://127.0.0.1:{port}/readyz"
            wait_until(lambda: process.poll() is not None or answers(url), what=url)
            yield process.pid
        finally:
            process.terminate()


async def celebrate(party: Party, guests: int, process: int) -> tuple[float, int]:
    """The time until all photos were stored, and the peak memory of the server."""
    watch = asyncio.create_task(watch_memory(process))
    began = time.perf_counter()
    await asyncio.gather(*(visit(party, random.Random(number)) for number in range(guests)))
    spent = time.perf_counter() - began
    watch.cancel()
    return spent, max(await watch)


async def visit(party: Party, chance: random.Random) -> None:
    await asyncio.sleep(chance.uniform(0, ARRIVALS))
    opened = await ask(party, "POST", "/api/links/open", None, {"secret": party.secret})
    token = opened["token"]
    for _ in range(PHOTOS):
        party.arrived.add(await bring(party, token, chance))
        for _ in range(LOOKS):
            await ask(party, "GET", f"/api/albums/{party.album_id}/wall", token)
    more = await ask(party, "POST", "/api/uploads", token, {"filename": "one more.jpg", "size": SIZE}, refused=True)
    party.passed += "imageId" in more


async def bring(party: Party, token: str, chance: random.Random) -> str:
    """Sends a photo until it has arrived, whatever happens on the way."""
    ticket = await ask(party, "POST", "/api/uploads", token, {"filename": "phone.jpg", "size": SIZE})
    image_id, own = ticket["imageId"], chance.randbytes(16)
    content = party.picture[:-16] + own
    while not await send(party, ticket, content, chance):
        state = await ask(party, "GET", f"/api/uploads/{image_id}", token)
        if state.get("arrived"):
            break
        ticket = state["ticket"]
    await ask(party, "POST", f"/api/uploads/{image_id}/complete", token, {})
    return str(image_id)


async def send(party: Party, ticket: dict[str, Any], content: bytes, chance: random.Random) -> bool:
    """Whether all of it went through."""
    where = urlsplit(ticket["url"])
    headers = {**ticket["headers"], "Content-Length": str(len(content))}
    end = chance.randrange(len(content)) if chance.random() < DROPS else len(content)
    async with connected(party.port) as (reader, writer):
        writer.write(head("PUT", f"{where.path}?{where.query}", party.port, headers))
        for start in range(0, end, PIECE):
            writer.write(content[start : min(start + PIECE, end)])
            await writer.drain()
            await asyncio.sleep(PAUSE * chance.uniform(0.5, 1.5))
        if end < len(content):
            return False
        status, _ = await answer(reader)
        return status < 300


async def ask(
    party: Party, method: str, path: str, token: str | None, body: Any = None, *, refused: bool = False
) -> dict[str, Any]:
    """One request on a connection of its own, timed. 503 and 429 are asked again, as the web app does."""
    while True:
        sent = b"" if body is None else msgspec.json.encode(body)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(sent))}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        began = time.perf_counter()
        async with connected(party.port) as (reader, writer):
            writer.write(head(method, path, party.port, headers) + sent)
            status, told = await answer(reader)
        party.latencies.append(time.perf_counter() - began)
        if status not in (429, 503):
            break
        await asyncio.sleep(1)
    if status >= 400 and not refused:
        raise SystemExit(f"{method} {path} was answered {status}: {told[:200]!r}")
    answered: dict[str, Any] = msgspec.json.decode(told)
    return answered


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()  # as a phone does that loses its network


def head(method: str, path: str, port: int, headers: dict[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items() if name.lower() != "host"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    told, _, body = (await reader.read(-1)).partition(b"\r\n\r\n")
    return int(told.split(b" ", 2)[1]), body


# -- What is sent, and what is held


def picture() -> bytes:
    """A photo of exactly this size, as a phone takes one: what stands behind its end tells one from another."""
    noise = np.random.default_rng(1).normal(128, 40, (3000 // 4, 4000 // 4, 3)).clip(0, 255).astype(np.uint8)
    large = Image.fromarray(noise).resize((4000, 3000), Image.Resampling.BICUBIC)
    for quality in range(95, 20, -5):
        buffer = io.BytesIO()
        large.save(buffer, "JPEG", quality=quality)
        if buffer.tell() <= SIZE - 16:
            return buffer.getvalue().ljust(SIZE, b"\x00")
    raise SystemExit("no such picture could be made")


async def watch_memory(process: int) -> list[int]:
    """The peak memory of the process and its children, measured every second until this is cancelled."""
    seen: list[int] = []
    try:
        while True:
            seen.append(memory_of(process))
            await asyncio.sleep(1)
    except asyncio.CancelledError:
        return seen


def memory_of(process: int) -> int:
    """Resident bytes of a process and all below it: what several share is counted once, a part of it for each. Of one
    that has just ended, none.
    """
    try:
        told = Path(f"/proc/{process}/smaps_rollup").read_text()
        below = {each for thread in Path(f"/proc/{process}/task").iterdir() for each in children_of(thread)}
    except OSError:
        return 0
    held = next(int(line.split()[1]) for line in told.splitlines() if line.startswith("Pss:"))
    return held * 1024 + sum(memory_of(child) for child in below)


def children_of(thread: Path) -> list[int]:
    return [int(child) for child in (thread / "children").read_text().split()]


if __name__ == "__main__":
    run("wedding", measure, numbers={"guests": GUESTS})
