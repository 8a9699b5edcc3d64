"""Routes of the web app: its built files, and one page for all of its URLs.

Browsers do not send the part of a URL after `#`. So the secret of a share link is there, and in no log of Sparks or a
proxy.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from fastapi import Request, Response
from starlette.routing import BaseRoute

from sparks import __version__
from sparks.api.http.authentication import PublicRoute
from sparks.api.http.request_headers import accepted_encodings, etag_matches
from sparks.api.web.preloads import GuestPreloads, Preloads
from sparks.model.errors import NotFound

TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
ENCODINGS: Final = {"br": ".br", "gzip": ".gz"}  # the smaller one first
IMMUTABLE: Final = "public, max-age=31536000, immutable"
REVALIDATE: Final = "no-cache"
APP: Final = Path(__file__).parent / "app"
INDEX: Final = "index.html"
GUEST: Final = "guest.html"
GUEST_PATH: Final = "/g"  # followed by `#` and the secret of a share link
ASSETS: Final = "assets/"
HOME: Final = "Timeline"
APP_PATHS: Final = {  # with the component of each
    "admin": "Admin",
    "albums": "Albums",
    "favorites": "Favourites",
    "feed": "Feed",
    "members": "Members",
    "people": "People",
    "profile": "Profile",
    "register": "Register",
    "search": "Search",
    "setup": "Setup",
    "signin": "SignIn",
    "trash": "Trash",
    "with-me": "WithMe",
}
DETAIL_PAGES: Final = {"albums": "Album", "members": "Member", "people": "Person"}  # components of the paths below
ALBUM_PAGES: Final = {"albums/{rest}/cards": "Cards", "albums/{rest}/wall": "Wall"}
PUBLIC_PAGES: Final = frozenset({"Register", "Setup", "SignIn"})  # these need no session
FOR_PROGRAMS: Final = {"api": "/openapi.json", "health": "/healthz", "ready": "/readyz", "metrics": "/metrics"}
NO_FILE: Final = "there is no such file: reload the page, which may come from an older version of Sparks"
NOT_BUILT: Final = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Sparks</title>
<h1>The web app is not installed</h1>
<p>It could not be built when Sparks was installed, which needs Node 20.19 or newer. Install that, run
<code>make setup</code> and start Sparks again. The API at
<a href="/openapi.json">/openapi.json</a> and all commands work without it.</p></html>
"""
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class StaticFile:
    content: bytes = field(repr=False)
    content_type: str
    compressed: dict[str, bytes] = field(default_factory=dict, repr=False)
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", sha256(self.content).hexdigest()[:32])

    def respond(self, request: Request, *, immutable: bool = False) -> Response:
        """`immutable`: the file of this name never changes. Otherwise browsers ask whether theirs is current."""
        encoding = self._encoding(request.headers.get("accept-encoding", ""))
        etag = f'"{self.digest}{f"-{encoding}" if encoding else ""}"'
        headers = {"Cache-Control": IMMUTABLE if immutable else REVALIDATE, "ETag": etag, "Vary": "Accept-Encoding"}
        if etag_matches(request.headers.get("if-none-match"), etag):
            return Response(status_code=304, headers=headers)
        if encoding:
            headers["Content-Encoding"] = encoding
        content = self.compressed[encoding] if encoding else self.content
        return Response(content, headers={**headers, "Content-Type": self.content_type})

    def _encoding(self, accepted: str) -> str | None:
        readable = accepted_encodings(accepted)
        return next((encoding for encoding in self.compressed if encoding in readable), None)


def read_files(folder: Path) -> dict[str, StaticFile]:
    """All files by their path within the folder; none where the folder does not exist."""
    found = (path for path in sorted(folder.rglob("[!.]*")) if path.suffix in TYPES and path.parent.name[:1] != ".")
    return {path.relative_to(folder).as_posix(): _read(path) for path in found}


def _read(path: Path) -> StaticFile:
    beside = {name: path.with_name(path.name + suffix) for name, suffix in ENCODINGS.items()}
    compressed = {name: other.read_bytes() for name, other in beside.items() if other.is_file()}
    return StaticFile(path.read_bytes(), TYPES[path.suffix], compressed)


def routes(folder: Path = APP, *, cookie: str) -> list[BaseRoute]:
    """All of these are public, since the data in them comes from the API, which authenticates its callers. A browser
    with a `cookie` of that name is probably signed in.
    """
    files, preloads = read_files(folder), Preloads(folder)
    missing = StaticFile(NOT_BUILT, content_type="text/html; charset=utf-8")
    index, guest = (files.pop(name, missing) for name in (INDEX, GUEST))
    page = partial(_page, index, preloads, cookie)
    assets = {name.removeprefix(ASSETS): file for name, file in files.items() if name.startswith(ASSETS)}
    return [
        PublicRoute("/", _home(page(HOME))),
        *(PublicRoute(f"/{place}", page(name)) for place, name in {**APP_PATHS, **ALBUM_PAGES}.items()),
        *(
            PublicRoute(f"/{place}/{{rest:path}}", page(DETAIL_PAGES.get(place, name)))
            for place, name in APP_PATHS.items()
        ),
        *(PublicRoute(f"/{name}", _file(file)) for name, file in files.items() if not name.startswith(ASSETS)),
        PublicRoute(GUEST_PATH, _guest_page(guest, GuestPreloads(folder))),
        PublicRoute("/assets/{name}", _asset(assets)),
    ]


def is_built(folder: Path = APP) -> bool:
    return (folder / INDEX).is_file()


def _page(index: StaticFile, preloads: Preloads, cookie: str, name: str) -> Endpoint:
    """The app at a URL whose page is this component."""

    async def respond(request: Request) -> Response:
        response = index.respond(request)
        links = [preloads.link(name, request.headers.get("accept-language", ""))]
        if cookie in request.cookies and name not in PUBLIC_PAGES:
            rest = request.path_params.get("rest", "")
            links.append(preloads.first_requests(name, query=request.query_params, rest=rest))
        if any(links):
            response.headers["Link"] = ", ".join(filter(None, links))
        response.headers["Vary"] = "Accept, Accept-Encoding, Accept-Language, Cookie"
        return response

    return respond


def _guest_page(page: StaticFile, preloads: GuestPreloads) -> Endpoint:
    async def respond(request: Request) -> Response:
        response = page.respond(request)
        if link := preloads.link(request.headers.get("accept-language", "")):
            response.headers["Link"] = link
        response.headers["Vary"] = "Accept-Encoding, Accept-Language"
        return response

    return respond


def _file(file: StaticFile) -> Endpoint:
    async def respond(request: Request) -> Response:
        return file.respond(request)

    return respond


def _asset(files: Mapping[str, StaticFile]) -> Endpoint:
    """The name of an asset changes with its content, so that browsers never request it again."""

    async def respond(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        if file is None:
            raise NotFound(NO_FILE)
        return file.respond(request, immutable=True)

    return respond


def _home(page: Endpoint) -> Endpoint:
    """Browsers get the app, programs the URLs of the API, health and metrics."""

    async def respond(request: Request) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return await page(request)
        body = {"name": "Sparks", "version": __version__, **FOR_PROGRAMS}
        return Response(msgspec.json.encode(body), media_type="application/json", headers={"Vary": "Accept"})

    return respond
