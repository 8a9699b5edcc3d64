"""The pages of Sparks: set-up, registration, sign-in and one's account. Files as they are, read once at the start.

A link's secret stands behind the `#` of its address, which no browser sends: it is in no log, of Sparks or of a proxy.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, Self

import msgspec
from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from starlette.routing import BaseRoute

from sparks import __version__
from sparks.api.cookies import PLAIN_NAME, SECURE_NAME
from sparks.api.gate import OpenRoute
from sparks.api.ranges import is_known
from sparks.model.errors import NotFound

HERE: Final = Path(__file__).parent
PAGES: Final = ("setup", "register", "signin", "account")
START: Final = "start"
PLACES: Final = {"api": "/openapi.json", "health": "/healthz", "ready": "/readyz", "metrics": "/metrics"}
TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
NO_FILE: Final = "there is no such file: reload the page, which may be of an older version of Sparks"


@dataclass(frozen=True, slots=True)
class PageFile:
    content: bytes = field(repr=False)
    content_type: str
    etag: str

    @classmethod
    def read(cls, path: Path) -> Self:
        content = path.read_bytes()
        return cls(content, TYPES[path.suffix], f'"{sha256(content).hexdigest()[:32]}"')

    def answer(self, request: Request) -> Response:
        """Browsers keep it and ask each time whether it is still the same: its name does not change with it."""
        headers = {"Cache-Control": "no-cache", "ETag": self.etag}
        if is_known(request.headers.get("if-none-match"), self.etag):
            return Response(status_code=304, headers=headers)
        return Response(self.content, headers={**headers, "Content-Type": self.content_type})


def routes() -> list[BaseRoute]:
    """All of them are open to everyone: what is in them comes from the API, which asks who is there."""
    pages, static = read_files(HERE / "html"), read_files(HERE / "static")
    return [
        OpenRoute("/", _front_door(pages[f"{START}.html"])),
        *(OpenRoute(f"/{name}", _page(pages[f"{name}.html"])) for name in PAGES),
        OpenRoute("/static/{name}", _static(static)),
    ]


def read_files(folder: Path) -> dict[str, PageFile]:
    return {path.name: PageFile.read(path) for path in sorted(folder.iterdir())}


Endpoint = Callable[[Request], Awaitable[Response]]


def _page(file: PageFile) -> Endpoint:
    async def answer(request: Request) -> Response:
        return file.answer(request)

    return answer


def _static(files: Mapping[str, PageFile]) -> Endpoint:
    async def answer(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        if file is None:
            raise NotFound(NO_FILE)
        return file.answer(request)

    return answer


def _front_door(start: PageFile) -> Endpoint:
    """Programs are told what there is. A browser with a session goes to its account, any other is shown the way in."""

    async def answer(request: Request) -> Response:
        if "text/html" not in request.headers.get("accept", ""):
            told = {"name": "Sparks", "version": __version__, **PLACES}
            response = Response(msgspec.json.encode(told), media_type="application/json")
        elif SECURE_NAME in request.cookies or PLAIN_NAME in request.cookies:
            response = RedirectResponse("/account", 303)
        else:
            response = start.answer(request)
        response.headers["Vary"] = "Accept, Cookie"
        return response

    return answer
