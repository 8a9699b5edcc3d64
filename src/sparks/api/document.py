"""The OpenAPI document: what FastAPI cannot tell from the routes alone. The web app's client is generated from it."""

from collections.abc import Iterable
from typing import Any, Final

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic.alias_generators import to_camel

from sparks.api.shapes import ErrorAnswer
from sparks.model.access import RULES, Action

CSRF_HEADER: Final = "X-Sparks-CSRF"

INTRODUCTION: Final = """\
Every error is `{"error": CODE, "message": .., "requestId": ..}`; the message says what to do next. What a caller may
not see is answered as if it did not exist. Lists take `limit` and `cursor`, and answer with `lastEvaluatedKey` while
there is more. Times are UTC, as `2025-08-01T09:24:22.159Z`; what has no value is left out.
"""
TAGS: Final = {
    "about": "What anybody may know of this Sparks.",
    "administration": "What administrators look up.",
    "archives": "Photos to be taken home as zip files.",
    "albums": "Photos that people share with each other.",
    "consent": "Whether faces may be looked for, and forgetting them.",
    "guests": "Guests of an album, who came through a link.",
    "health": "For machines that look after Sparks.",
    "invitations": "Administrators invite people.",
    "keys": "API keys, for scripts and programs.",
    "links": "Links to an album, for people without an account.",
    "me": "One's own account.",
    "newcomers": "The first administrator, and those who register.",
    "persons": "Who is in the photos, as far as one sees these.",
    "photos": "Photos.",
    "search": "Photos by words and filters.",
    "sessions": "Signing in and out.",
    "sign-in with a provider": "OpenID Connect: the code flow with PKCE.",
    "tags": "Tags, the photos with them, and other names for them.",
    "timeline": "Photos by month.",
    "uploads": "Uploading photos and videos: in steps that can be resumed, or in one request.",
    "users": "The community, and what administrators do with its accounts.",
}

# The statuses that any route may answer with, and those of routes that ask who calls.
ALWAYS: Final = (400, 408, 413, 414, 421, 422, 431, 500, 503, 507)
GATED: Final = (401, 403, 429)
ERRORS: Final = {
    400: "The words of the request are off.",
    401: "Nobody is signed in, or what they showed is wrong, over or revoked.",
    403: "We know who asks, and they may not do this.",
    404: "There is no such thing, or it is not for the caller to see.",
    408: "The body came too slowly.",
    409: "It is not as the caller believed.",
    413: "The body is too large.",
    414: "The address is too long.",
    415: "Sparks does not take files of this type.",
    416: "There are no such bytes.",
    421: "Sparks does not answer to this Host.",
    422: "The request has not the form that is described here; or what is stored is damaged.",
    429: "Wrong too often.",
    431: "The headers are too large.",
    500: "Something went wrong on the server; its log tells more under the requestId.",
    503: "Too much at once, or a store cannot be reached.",
    507: "No room is left on the disk.",
}

_TEXT: Final = {"type": "string"}
_ERROR: Final = {"$ref": "#/components/schemas/ErrorAnswer"}
_LATER: Final = {"Retry-After": {"required": True, "description": "Seconds to wait.", "schema": _TEXT}}
_HEADERS: Final[dict[int, dict[str, Any]]] = {
    401: {"WWW-Authenticate": {"required": True, "schema": _TEXT}},
    429: _LATER,
    503: _LATER,
}
NEW_SESSION: Final = {
    "headers": {"Set-Cookie": {"required": True, "description": "The session of this browser.", "schema": _TEXT}}
}


def errors_of(action: Action, more: Iterable[int] = ()) -> dict[int | str, dict[str, Any]]:
    """The errors of a route: those of any, those of who calls, and `more`."""
    known = {*ALWAYS, *more, *(() if action is Action.VISIT else GATED)}
    return {status: _error(status) for status in sorted(known)}


def security_of(action: Action, *, changes: bool) -> dict[str, Any]:
    """What a caller has to show, any of these. A key's scope stands beside it, and the role if it takes one."""
    rule = RULES[action]
    if rule.everyone:
        return {}
    roles, allowed = ["admin"] if rule.administrators else [], sorted(rule.guests)
    beside: dict[str, list[str]] = {"csrf": []} if changes else {}
    ways: list[dict[str, list[str]]] = [{"session": roles} | beside] if rule.members else []
    if rule.scope is not None:
        ways += [{"key": [rule.scope.value]}, {"token": roles}]
    if allowed:
        ways += [{"guest": [each.value for each in allowed]}, {"guestCookie": []} | beside]
    return {"security": ways}


def document_of(app: FastAPI, *, cookie: str, guest_cookie: str) -> dict[str, Any]:
    """The whole document; the cookies are what the session's and a guest's are called here."""
    for route in app.routes:
        if isinstance(route, APIRoute):
            route.operation_id = to_camel(route.name)
    document = app.openapi()
    document["info"]["description"] = INTRODUCTION
    document["components"]["securitySchemes"] = _schemes(cookie, guest_cookie)
    document["components"]["schemas"]["ErrorAnswer"] = ErrorAnswer.model_json_schema()
    used = {tag for operation in operations_in(document) for tag in operation["tags"]}
    document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items() if name in used]
    for operation in operations_in(document):
        for status in ALWAYS:
            operation["responses"].setdefault(str(status), _error(status))
    return document


def operations_in(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for path in document["paths"].values() for operation in path.values()]


def _error(status: int) -> dict[str, Any]:
    """[Note: no model] Told as FastAPI likes it, by the model, it would be built anew for each error of each route."""
    told: dict[str, Any] = {"description": ERRORS[status], "content": {"application/json": {"schema": _ERROR}}}
    return told | ({"headers": _HEADERS[status]} if status in _HEADERS else {})


def _schemes(cookie: str, guest_cookie: str) -> dict[str, Any]:
    return {
        "session": {"type": "apiKey", "in": "cookie", "name": cookie, "description": "Of a browser that signed in."},
        "csrf": {
            "type": "apiKey",
            "in": "header",
            "name": CSRF_HEADER,
            "description": "Any value: a page of another site could not set it. Beside a cookie only.",
        },
        "key": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "sk_{id}.{random}",
            "description": "An API key; the scope that it needs is told with each operation.",
        },
        "token": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "An ID or access token of the provider, where one is set up.",
        },
        "guest": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "gt_{linkId}_{guestId}.{random}",
            "description": "A guest's, from opening a link; with each operation stands what the link must allow, one "
            "of these at least.",
        },
        "guestCookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": guest_cookie,
            "description": "The same in a browser. Where it is signed in too, say X-Sparks-As: guest, or as=guest.",
        },
    }
