"""What the head of a request may be: how long, and without what cannot be stored."""

from typing import Final

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from sparks.api.errors import error_answer

LONGEST_URL: Final = 8 * 1024
LARGEST_HEADERS: Final = 32 * 1024


class Heads:
    """ASGI middleware. The server bounds heads too, but only those that it cannot read to their end."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)


def _refusal(scope: Scope) -> Response | None:
    path, query = scope["path"], scope["query_string"]
    if len(scope.get("raw_path") or path) + len(query) > LONGEST_URL:
        return error_answer(414, "URI_TOO_LONG", f"the address has more than {LONGEST_URL} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEADERS:
        message = f"the headers have more than {LARGEST_HEADERS} bytes: remove cookies or other headers"
        return error_answer(431, "REQUEST_HEADER_FIELDS_TOO_LARGE", message)
    if "\0" in path or b"%00" in query or b"\0" in query:
        return error_answer(400, "BAD_INPUT", "the address holds a NUL character: leave it out")
    return None
