"""The files of the web app: encodings, caching and preloads."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from fastapi import FastAPI

from sparks import __version__
from sparks.api import web
from sparks.api.http import errors
from tests.api.client import Client

BROWSER: Final = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Accept-Encoding": ""}
COOKIE: Final = "sparks_session"
INDEX: Final = '<!doctype html><script type="module" src="/assets/index-abc.js"></script>'
SCRIPT: Final = "console.log('hello');" * 20
MANIFEST: Final = {
    "index.html": {"file": "assets/index-abc.js", "imports": ["_frame.js"]},
    "_frame.js": {"file": "assets/frame-1.js", "css": ["assets/frame-1.css"]},
    "_grid.js": {"file": "assets/grid-1.js", "css": ["assets/grid-1.css"], "imports": ["_frame.js"]},
    "src/pages/Timeline.svelte": {"file": "assets/Timeline-1.js", "imports": ["_frame.js", "_grid.js"]},
    "src/pages/Person.svelte": {"file": "assets/Person-1.js"},
    "src/lib/i18n/en.ts": {"file": "assets/en-1.js"},
    "src/lib/i18n/de.ts": {"file": "assets/de-1.js"},
    "src/lib/i18n/people/en.ts": {"file": "assets/en-2.js"},
}
GUEST: Final = '<!doctype html><script type="module" src="/assets/guest-1.js"></script>'
GUEST_MANIFEST: Final = {
    "src/lib/i18n/guest/en.ts": {"file": "assets/en-3.js"},
    "src/lib/i18n/guest/de.ts": {"file": "assets/de-3.js"},
}
TIMELINE: Final = ("/api/timeline/ratios?scope={}", "/api/timeline/latest?scope={}&signed=true")
PAGES: Final = ("/", "/setup", "/signin", "/people", "/people/person7", "/members/ann%40example.com", "/admin/jobs")


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(INDEX)
    (tmp_path / "icon.svg").write_text("<svg/>")
    script = tmp_path / "assets/index-abc.js"
    script.write_text(SCRIPT)
    (tmp_path / "assets/index-abc.js.gz").write_bytes(gzip.compress(SCRIPT.encode()))
    (tmp_path / "assets/index-abc.js.br").write_bytes(b"brotli, as far as anybody here can tell")
    (tmp_path / ".vite").mkdir()
    (tmp_path / ".vite/manifest.json").write_text(json.dumps(MANIFEST))
    (tmp_path / "guest.html").write_text(GUEST)
    (tmp_path / ".vite/guest.json").write_text(json.dumps(GUEST_MANIFEST))
    return tmp_path


def client_of(folder: Path) -> Client:
    app = FastAPI(openapi_url=None)
    app.router.routes.extend(web.routes(folder, cookie=COOKIE))
    errors.install(app)
    return Client(app)


@pytest.fixture
def client(built: Path) -> Iterator[Client]:
    with client_of(built) as client:
        yield client


@pytest.mark.parametrize("address", PAGES)
def test_every_page_is_the_app_which_browsers_revalidate(client: Client, address: str) -> None:
    answer = client.get(address, headers=BROWSER)
    assert (answer.status_code, answer.text) == (200, INDEX)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache"


def test_an_asset_is_cached_forever(client: Client) -> None:
    answer = client.get("/assets/index-abc.js", headers={"Accept-Encoding": ""})
    assert (answer.status_code, answer.text) == (200, SCRIPT)
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("br;q=0.5", "br"),
        ("BR", "br"),
        ("identity", None),
        ("", None),
    ],
)
def test_a_browser_gets_an_encoding_that_it_accepts(
    client: Client, built: Path, accepted: str, encoding: str | None
) -> None:
    headers = {"Accept-Encoding": accepted}
    answer = client.request("HEAD", "/assets/index-abc.js", headers=headers)
    assert answer.headers.get("Content-Encoding") == encoding
    assert answer.headers["Vary"] == "Accept-Encoding"
    suffix = {"br": ".br", "gzip": ".gz", None: ""}[encoding]
    assert int(answer.headers["Content-Length"]) == (built / f"assets/index-abc.js{suffix}").stat().st_size


@pytest.mark.parametrize("address", ["/", "/feed", "/icon.svg", "/assets/index-abc.js"])
def test_a_file_that_the_browser_has_is_not_sent_again(client: Client, address: str) -> None:
    etag = client.get(address, headers=BROWSER).headers["ETag"]
    again = client.get(address, headers={**BROWSER, "If-None-Match": etag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    assert client.get(address, headers={**BROWSER, "If-None-Match": '"another"'}).status_code == 200


def test_each_encoding_has_an_etag_of_its_own(client: Client) -> None:
    accepted = ("br", "gzip", "")
    etags = {
        client.request("HEAD", "/assets/index-abc.js", headers={"Accept-Encoding": each}).headers["ETag"]
        for each in accepted
    }
    assert len(etags) == len(accepted)


@pytest.mark.parametrize(
    "address",
    [
        "/assets/nothing.js",
        "/assets/index-abc.js.gz",
        "/assets/..%2Findex.html",
        "/assets/%2e%2e/index.html",
        "/nowhere",
    ],
)
def test_no_other_file_can_be_read(client: Client, address: str) -> None:
    assert client.get(address, headers=BROWSER).status_code == 404


@pytest.mark.parametrize("address", ["/", "/feed", "/assets/index-abc.js"])
def test_pages_are_only_read(client: Client, address: str) -> None:
    assert client.request("POST", address).status_code == 405
    assert client.request("HEAD", address, headers=BROWSER).status_code == 200


@pytest.mark.parametrize("accept", ["*/*", "application/json"])
def test_programs_get_the_urls_of_the_api_health_and_metrics(client: Client, accept: str) -> None:
    answer = client.get("/", headers={"Accept": accept})
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {
        "name": "Sparks",
        "version": __version__,
        "api": "/openapi.json",
        "health": "/healthz",
        "ready": "/readyz",
        "metrics": "/metrics",
    }


def test_caches_distinguish_browsers_and_programs(client: Client) -> None:
    assert client.get("/", headers=BROWSER).headers["Vary"] == "Accept, Accept-Encoding, Accept-Language, Cookie"
    assert client.get("/").headers["Vary"] == "Accept"


@pytest.mark.parametrize(
    ("address", "language", "named"),
    [
        ("/", "de-AT,de;q=0.9,en;q=0.5", ["Timeline-1.js", "grid-1.js", "grid-1.css", "de-1.js"]),
        ("/people/person7", "", ["Person-1.js", "en-1.js", "en-2.js"]),
        ("/trash", "xx, en", ["en-1.js"]),
    ],
)
def test_a_page_preloads_its_scripts_and_styles(client: Client, address: str, language: str, named: list[str]) -> None:
    answer = client.get(address, headers={**BROWSER, "Accept-Language": language})
    assert re.findall(r"</assets/([^>]+)>", answer.headers["Link"]) == named


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("/", [each.format("mine") for each in TIMELINE]),
        ("/?scope=community", [each.format("community") for each in TIMELINE]),
        ("/?scope=%3E;x", [each.format("mine") for each in TIMELINE]),
        ("/people", ["/api/persons?few=false&hidden=false&limit=100", "/api/suggestions"]),
        ("/people?everyone=1", []),
        ("/albums", ["/api/albums?limit=100"]),
        ("/albums/a1-B2/comments", ["/api/albums/a1-B2"]),
        ("/albums/a1-B2/wall", ["/api/albums/a1-B2", "/api/albums/a1-B2/wall?limit=100"]),
        ("/albums/a1-B2/cards?link=x", ["/api/albums/a1-B2"]),
        ("/albums/%3E;x", []),
        ("/trash", []),
    ],
)
def test_a_page_preloads_its_first_requests_where_a_session_cookie_is_sent(
    client: Client, address: str, asked: list[str]
) -> None:
    answer = client.get(address, headers={**BROWSER, "Cookie": f"{COOKIE}=something"})
    result = re.findall(r"<(/api/[^>]+)>; rel=preload; as=fetch; crossorigin", answer.headers["Link"])
    assert result == ["/api/me/profile", *asked]
    assert "/api/" not in client.get(address, headers=BROWSER).headers["Link"]


def test_the_sign_in_page_preloads_no_requests(client: Client) -> None:
    for door in ("/signin", "/setup", "/register"):
        answer = client.get(door, headers={**BROWSER, "Cookie": f"{COOKIE}=something"})
        assert "/api/" not in answer.headers["Link"]


@pytest.mark.parametrize(("language", "words"), [("de-AT,de;q=0.9", "de-3.js"), ("xx", "en-3.js"), ("", "en-3.js")])
def test_the_guest_app_has_a_page_of_its_own_which_preloads_its_messages(
    client: Client, language: str, words: str
) -> None:
    signed_in = {"Cookie": f"{COOKIE}=something"}
    answer = client.get("/g", headers={**BROWSER, "Accept-Language": language, **signed_in})
    assert (answer.status_code, answer.text) == (200, GUEST)
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["Link"] == f"</assets/{words}>; rel=modulepreload; crossorigin"
    assert client.get("/g/anything", headers=BROWSER).status_code == 404
    assert client.get("/guest.html", headers=BROWSER).status_code == 404


def test_the_manifest_of_the_build_is_not_served(client: Client) -> None:
    for name in ("manifest", "guest"):
        assert client.get(f"/.vite/{name}.json").status_code == 404


def test_without_a_build_the_page_says_what_to_do(tmp_path: Path) -> None:
    assert not web.is_built(tmp_path / "nothing")
    with client_of(tmp_path / "nothing") as client:
        answer = client.get("/signin", headers=BROWSER)
    assert answer.status_code == 200
    assert "make setup" in answer.text
