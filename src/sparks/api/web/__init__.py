"""The web app: the files that its build has made, and the one page that all of its addresses are answered with; but
for guests, who have a small one of their own.

What stands behind the `#` of an address no browser sends: so a link's secret is in no log, of Sparks or of a proxy.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from fastapi import Request, Response
from starlette.routing import BaseRoute

from sparks import __version__
from sparks.api.gate import OpenRoute
from sparks.api.web.files import WebFile, read_files
from sparks.api.web.preloads import GuestPreloads, Preloads
from sparks.model.errors import NotFound

APP: Final = Path(__file__).parent / "app"
INDEX: Final = "index.html"
GUEST: Final = "guest.html"
GUEST_PAGE: Final = "/g"  # what stands behind its `#` is a link's secret
ASSETS: Final = "assets/"
FRONT: Final = "Timeline"
PLACES: Final = {  # with the component that each begins with
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
WITHIN: Final = {"albums": "Album", "members": "Member", "people": "Person"}  # the same, of what lies below
BEYOND: Final = {"albums/{rest}/cards": "Cards", "albums/{rest}/wall": "Wall"}  # and of what lies below one of those
DOORS: Final = frozenset({"Register", "Setup", "SignIn"})  # nobody is asked there who they are
PROGRAMS: Final = {"api": "/openapi.json", "health": "/healthz", "ready": "/readyz", "metrics": "/metrics"}
NO_FILE: Final = "there is no such file: reload the page, which may be of an older version of Sparks"
NOT_BUILT: Final = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Sparks</title>
<h1>The web app is not here</h1>
<p>It could not be built when Sparks was installed, which takes Node 20.19 or newer. Install that, type
<code>make setup</code> and start Sparks again. The API at
<a href="/openapi.json">/openapi.json</a> and all commands work without it.</p></html>
"""

Endpoint = Callable[[Request], Awaitable[Response]]


def routes(folder: Path = APP, *, cookie: str) -> list[BaseRoute]:
    """All of them are open to everyone: what is in them comes from the API, which asks who is there.
    Whoever shows a `cookie` of that name may be signed in.
    """
    files, preloads = read_files(folder), Preloads(folder)
    missing = WebFile(NOT_BUILT, content_type="text/html; charset=utf-8")
    index, guest = (files.pop(name, missing) for name in (INDEX, GUEST))
    page = partial(_page, index, preloads, cookie)
    assets = {name.removeprefix(ASSETS): file for name, file in files.items() if name.startswith(ASSETS)}
    return [
        OpenRoute("/", _front_door(page(FRONT))),
        *(OpenRoute(f"/{place}", page(name)) for place, name in {**PLACES, **BEYOND}.items()),
        *(OpenRoute(f"/{place}/{{rest:path}}", page(WITHIN.get(place, name))) for place, name in PLACES.items()),
        *(OpenRoute(f"/{name}", _answer(file)) for name, file in files.items() if not name.startswith(ASSETS)),
        OpenRoute(GUEST_PAGE, _guest_page(guest, GuestPreloads(folder))),
        OpenRoute("/assets/{name}", _asset(assets)),
    ]


def is_built(folder: Path = APP) -> bool:
    return (folder / INDEX).is_file()


def _page(index: WebFile, preloads: Preloads, cookie: str, name: str) -> Endpoint:
    """The app at an address that is answered by this component."""

    async def answer(request: Request) -> Response:
        response = index.answer(request)
        links = [preloads.link(name, request.headers.get("accept-language", ""))]
        if cookie in request.cookies and name not in DOORS:
            rest = request.path_params.get("rest", "")
            links.append(preloads.asked_first(name, query=request.query_params, rest=rest))
        if any(links):
            response.headers["Link"] = ", ".join(filter(None, links))
        response.headers["Vary"] = "Accept, Accept-Encoding, Accept-Language, Cookie"
        return response

    return answer


def _guest_page(page: WebFile, preloads: GuestPreloads) -> Endpoint:
    async def answer(request: Request) -> Response:
        response = page.answer(request)
        if link := preloads.link(request.headers.get("accept-language", "")):
            response.headers["Link"] = link
        response.headers["Vary"] = "Accept-Encoding, Accept-Language"
        return response

    return answer


def _answer(file: WebFile) -> Endpoint:
    async def answer(request: Request) -> Response:
        return file.answer(request)

    return answer


def _asset(files: Mapping[str, WebFile]) -> Endpoint:
    """The name of an asset changes with what is in it: it need never be asked for again."""

    async def answer(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        if file is None:
            raise NotFound(NO_FILE)
        return file.answer(request, forever=True)

    return answer


def _front_door(page: Endpoint) -> Endpoint:
    """Programs are told what there is, browsers are shown the app."""

    async def answer(request: Request) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return await page(request)
        told = {"name": "Sparks", "version": __version__, **PROGRAMS}
        return Response(msgspec.json.encode(told), media_type="application/json", headers={"Vary": "Accept"})

    return answer
