"""Looking at libraries of 10,000, 100,000 and 1,000,000 photos, and a page of 100 against a handler written by hand."""

import asyncio
import http.client
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Scope

from benchmarks.frame import Figure, ratio, run
from benchmarks.library import ASKED, IN_ASKED, OWNER, fill_library
from sparks.api.app import create_app
from sparks.api.http.cursors import seal_cursor
from sparks.auth.sessions import SessionLifetime, open_session
from sparks.feed.month_columns import build_month
from sparks.library import entity_types
from sparks.library.accounts.lifecycle import create_user
from sparks.library.photos.favorites import set_favorite
from sparks.library.timeline_blobs import ScopeMonth
from sparks.metrics import Metrics
from sparks.model import times
from sparks.model.account import User
from sparks.model.ids import image_id_at
from sparks.model.scope import COMMUNITY
from sparks.settings import Settings
from sparks.table.port import Between
from sparks.wiring import open_stores

SIZES: Final = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000}
PAGE: Final = 100
ROUND: Final = 40  # requests
ROUNDS: Final = 9
CLIENTS: Final = 8
SECONDS: Final = 5.0
WHO: Final = "viewer@example.org"
READY: Final = "Sparks is ready: "

Ask = Callable[[], object]


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="sparks-bench-", dir=Path.cwd()) as name, ExitStack() as stack:
        libraries = {size: stack.enter_context(Library(Path(name) / size, count)) for size, count in SIZES.items()}
        small, large = libraries["10k"], libraries["1m"]
        return [
            page_against_starlette(small),
            *(growth(f"{what}_1m_vs_10k", large.questions[what], small.questions[what]) for what in small.questions),
            growth("month_built_1m_vs_10k", large.build_month, small.build_month),
            *(figure for size, library in libraries.items() for figure in times_of(size, library)),
            Figure("pages_per_s", pages_per_second(libraries["100k"]), f"pages of {PAGE}, {CLIENTS} clients at once"),
        ]


class Library(ExitStack):
    """A data folder with so many photos, the application on it, and a viewer."""

    def __init__(self, data: Path, count: int) -> None:
        super().__init__()
        self.settings = Settings(data=data)
        data.mkdir()
        stores = self.enter_context(open_stores(self.settings))
        fill_library(self.settings.database, count)
        self.table, now = stores.table, times.now()
        user = User(email=WHO, username="viewer", created_at=now)
        create_user(user, photos=1, bytes=1, table=self.table)
        span = SessionLifetime(idle=timedelta(days=30), most=timedelta(days=30))
        self.cookie = f"sparks_session={open_session(user, span=span, at=now, table=self.table).text}"
        newest = [item["PK"] for item in self.table.query(entity_types.FEED, newest_first=True).items]
        for image_id in newest[::10]:
            set_favorite(image_id, OWNER, WHO, at=now, table=self.table)
        before = Between(high=image_id_at(datetime.fromisoformat(f"{ASKED}-01T00:00:00+00:00")))
        position = self.table.query(entity_types.FEED, before, limit=1, newest_first=True).after
        cursor = seal_cursor(position, query="photos feed", who=WHO, keyring=stores.keyring) or ""
        self._app = create_app(stores=stores, settings=self.settings, metrics=Metrics())
        self._loop = self.enter_context(asyncio.Runner())
        self.questions: dict[str, Ask] = {
            "feed": partial(self.ask, "/api/photos", limit=str(PAGE)),
            "deep": partial(self.ask, "/api/photos", limit=str(PAGE), cursor=cursor),
            "months": partial(self.ask, "/api/timeline", scope="community"),
            "month": partial(self.ask, f"/api/timeline/{ASKED}", scope="community"),
            "photo": partial(self.ask, f"/api/photos/{newest[0]}"),
        }

    def ask(self, path: str, **query: str) -> bytes:
        headers = {"host": "127.0.0.1:8000", "cookie": self.cookie}
        return self._loop.run(answer_of(self._app, path, urlencode(query), headers))

    def ask_peer(self, app: ASGIApp) -> bytes:
        return self._loop.run(answer_of(app, "/photos", "", {"host": "127.0.0.1:8000"}))

    def build_month(self) -> None:
        built = build_month(ScopeMonth(COMMUNITY, ASKED), table=self.table)
        assert len(built.columns.ids) == IN_ASKED


async def answer_of(app: ASGIApp, path: str, query: str, headers: dict[str, str]) -> bytes:
    """The response of the application to a GET, without a network."""
    messages: list[Message] = []
    scope: Scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8000),
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, send)
    assert messages[0]["status"] == 200, messages
    return b"".join(message.get("body", b"") for message in messages[1:])


# -- Against a handler written by hand


def page_against_starlette(library: Library) -> Figure:
    peer = by_hand(library.settings.database)
    ours = library.questions["feed"]
    assert ids_in(library.ask("/api/photos", limit=str(PAGE))) == ids_in(library.ask_peer(peer))
    value = ratio(repeated(ours), repeated(lambda: library.ask_peer(peer)), rounds=ROUNDS)
    what = f"CPU of a page of {PAGE} with access checks and signatures / Starlette + sqlite3 + msgspec without"
    return Figure("page_cpu_vs_starlette", value, what, "<= 2.0")


def by_hand(database: Path) -> Starlette:
    """Reads the same rows and returns all of them, without authentication and signatures."""
    connection = sqlite3.connect(database, check_same_thread=False)
    select = "SELECT body FROM items WHERE entity = ? ORDER BY pk DESC LIMIT ?"
    decode = msgspec.msgpack.Decoder(dict[str, Any], ext_hook=lambda _, number: float(bytes(number))).decode
    encode = msgspec.json.Encoder().encode

    def read_photos(request: Request) -> Response:  # noqa: ARG001
        images = [decode(body) for (body,) in connection.execute(select, ("IMAGE", PAGE))]
        for image in images:
            del image["PK"], image["SK"], image["entityType"]
        return Response(encode({"images": images}), media_type="application/json")

    return Starlette(routes=[Route("/photos", read_photos)])


def ids_in(body: bytes) -> list[str]:
    ids = [image["imageId"] for image in msgspec.json.decode(body)["images"]]
    assert len(ids) == PAGE
    return ids


# -- Growth, and times at each size


def growth(key: str, large: Ask, small: Ask) -> Figure:
    value = ratio(repeated(large), repeated(small), rounds=ROUNDS)
    return Figure(key, value, "CPU at 1,000,000 photos / at 10,000", "<= 1.3")


def repeated(ask: Ask) -> Ask:
    def ask_all() -> None:
        for _ in range(ROUND):
            ask()

    return ask_all


def times_of(size: str, library: Library) -> list[Figure]:
    figures = []
    for what, ask in library.questions.items():
        began, taken = time.process_time(), [seconds_of(ask) for _ in range(2 * PAGE)]
        cpu = (time.process_time() - began) / len(taken)
        ranked = statistics.quantiles(taken, n=20)
        about = f"{what} of {SIZES[size]:,} photos"
        figures += [
            Figure(f"{what}_{size}_cpu_ms", cpu * 1000, f"{about}: CPU, ms"),
            Figure(f"{what}_{size}_p50_ms", ranked[9] * 1000, "p50, ms"),
            Figure(f"{what}_{size}_p95_ms", ranked[18] * 1000, "p95, ms"),
        ]
    return figures


def seconds_of(ask: Ask) -> float:
    began = time.perf_counter()
    ask()
    return time.perf_counter() - began


# -- Many at once, at a server


def pages_per_second(library: Library) -> float:
    command = [sys.executable, "-m", "sparks", "--data", str(library.settings.data), "serve", "--port", "0"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARKS_")}
    quiet = environment | {"SPARKS_WORKERS": "0"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=quiet) as server:
        assert server.stdout is not None
        try:
            url = next(line.removeprefix(READY).strip() for line in server.stdout if line.startswith(READY))
            return pages_from(urlsplit(url).netloc, library.cookie)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


def pages_from(host: str, cookie: str) -> float:
    counts = [0] * CLIENTS
    ends = time.perf_counter() + SECONDS

    def look(number: int) -> None:
        connection = http.client.HTTPConnection(host)
        while time.perf_counter() < ends:
            connection.request("GET", f"/api/photos?limit={PAGE}", headers={"Cookie": cookie})
            answer = connection.getresponse()
            assert answer.status == 200
            assert len(answer.read()) > PAGE
            counts[number] += 1

    clients = [threading.Thread(target=look, args=(number,)) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return sum(counts) / SECONDS


if __name__ == "__main__":
    run("feed", measure)
