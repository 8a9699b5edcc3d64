"""OpenAPI document, with the descriptions, errors and security that FastAPI cannot infer.

The client of the web app is generated from it.
"""

from collections.abc import Iterable
from typing import Any, Final

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic.alias_generators import to_camel

from sparks.api.http.base_models import ErrorResponse
from sparks.model.access import RULES, Action

CSRF_HEADER: Final = "X-Sparks-CSRF"

INTRODUCTION: Final = """\
Every error is `{"error": CODE, "message": .., "requestId": ..}`; the message says what to do next. The response for
something that the caller may not see is the same as for something that does not exist. Lists take `limit` and `cursor`;
`lastEvaluatedKey` is the cursor of the next page, and is absent on the last one, of which `hasMore` is false. Times are
UTC, as `2025-08-01T09:24:22.159Z`. Fields without a value are left out.
"""
TAGS: Final = {
    "about": "Version and sign-in options of this server, for everyone.",
    "administration": "Storage, jobs, rebuilds and the audit log, for administrators.",
    "archives": "Downloads of photos as zip files.",
    "albums": "Photos that members share with each other.",
    "consent": "Consent to face recognition, and erasure of faces.",
    "guests": "Guests, who opened a link to an album.",
    "health": "Health and metrics, for monitoring.",
    "invitations": "Invitations to register, by administrators.",
    "keys": "API keys, for scripts and programs.",
    "links": "Share links to an album, for guests without an account.",
    "me": "Your own account.",
    "newcomers": "Creation of the first administrator, and registration.",
    "persons": "Persons in the photos that you see.",
    "photos": "Lists, edits, files and events of photos.",
    "search": "Search of photos by words and filters.",
    "sessions": "Signing in and out.",
    "sign-in with a provider": "OpenID Connect: the code flow with PKCE.",
    "tags": "Tags, their photos, and their renaming.",
    "timeline": "Photos by month.",
    "uploads": "Uploads of photos and videos: in steps that can be resumed, or in one request.",
    "users": "Users, and the management of their accounts by administrators.",
}

# The error statuses of every route, and those of routes that authenticate the caller.
ALWAYS: Final = (400, 408, 413, 414, 421, 422, 431, 500, 503, 507)
AUTHENTICATED: Final = (401, 403, 429)
ERRORS: Final = {
    400: "A value of the request is wrong.",
    401: "The caller is not signed in, or the credential is wrong, expired or revoked.",
    403: "The caller may not do this.",
    404: "It does not exist, or the caller may not see it.",
    408: "The body arrived too slowly.",
    409: "The present state does not allow it; the message says why. `MIGRATING`: it came from the service that Sparks "
    "replaces, and is still changed there.",
    413: "The body is too large.",
    414: "The URL is too long.",
    415: "Sparks does not accept files of this type.",
    416: "The file has no such range.",
    421: "Sparks does not serve this Host.",
    422: "The request does not match the schema; or a stored file is damaged.",
    429: "Too many attempts.",
    431: "The headers are too large.",
    500: "Something went wrong on the server: see its log under the requestId.",
    503: "Too many requests at once, or a store cannot be reached.",
    507: "The disk is full.",
}

_TEXT: Final = {"type": "string"}
_ERROR: Final = {"$ref": "#/components/schemas/ErrorResponse"}
_RETRY_AFTER: Final = {"Retry-After": {"required": True, "description": "Seconds to wait.", "schema": _TEXT}}
_HEADERS: Final[dict[int, dict[str, Any]]] = {
    401: {"WWW-Authenticate": {"required": True, "schema": _TEXT}},
    429: _RETRY_AFTER,
    503: _RETRY_AFTER,
}
NEW_SESSION: Final = {
    "headers": {"Set-Cookie": {"required": True, "description": "The session of this browser.", "schema": _TEXT}}
}
BYTES: Final = {"content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
BINARY_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "The file itself.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


def error_responses(action: Action, more: Iterable[int] = ()) -> dict[int | str, dict[str, Any]]:
    """The errors of a route: those of every route, those of authentication, and `more`."""
    statuses = {*ALWAYS, *more, *(() if action is Action.VISIT else AUTHENTICATED)}
    return {status: _error(status) for status in sorted(statuses)}


def security_requirements(action: Action, *, changes: bool) -> dict[str, Any]:
    """The credentials that the action accepts, each alone: with the scope of a key, and the role if one is needed."""
    rule = RULES[action]
    if rule.everyone:
        return {}
    roles, permissions = ["admin"] if rule.administrators else [], sorted(rule.guests)
    csrf: dict[str, list[str]] = {"csrf": []} if changes else {}
    accepted: list[dict[str, list[str]]] = [{"session": roles} | csrf] if rule.members else []
    if rule.scope is not None:
        accepted += [{"key": [rule.scope.value]}, {"token": roles}]
    if permissions:
        accepted += [{"guest": [each.value for each in permissions]}, {"guestCookie": []} | csrf]
    return {"security": accepted}


def openapi_document(app: FastAPI, *, cookie: str, guest_cookie: str) -> dict[str, Any]:
    """The document; `cookie` and `guest_cookie` are the names of the session cookie and the guest cookie."""
    for route in app.routes:
        if isinstance(route, APIRoute):
            route.operation_id = to_camel(route.name)
    document = app.openapi()
    document["info"]["description"] = INTRODUCTION
    document["components"]["securitySchemes"] = _schemes(cookie, guest_cookie)
    document["components"]["schemas"]["ErrorResponse"] = ErrorResponse.model_json_schema()
    used = {tag for operation in operations(document) for tag in operation["tags"]}
    document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items() if name in used]
    for operation in operations(document):
        for status in ALWAYS:
            operation["responses"].setdefault(str(status), _error(status))
    return document


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for path in document["paths"].values() for operation in path.values()]


def _error(status: int) -> dict[str, Any]:
    """The error refers to the schema by name: FastAPI would build a model anew for each error of each route."""
    response: dict[str, Any] = {"description": ERRORS[status], "content": {"application/json": {"schema": _ERROR}}}
    return response | ({"headers": _HEADERS[status]} if status in _HEADERS else {})


def _schemes(cookie: str, guest_cookie: str) -> dict[str, Any]:
    return {
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookie,
            "description": "The session of a browser that is signed in.",
        },
        "csrf": {
            "type": "apiKey",
            "in": "header",
            "name": CSRF_HEADER,
            "description": "Any value. Required with a cookie, since pages of other sites cannot set it.",
        },
        "key": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "sk_{id}.{random}",
            "description": "An API key; each operation names the scope that the key needs.",
        },
        "token": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "An ID token or access token of the OpenID Connect provider, where one is set.",
        },
        "guest": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "gt_{linkId}_{guestId}.{random}",
            "description": "A guest token, from the response to opening a link. Each operation names permissions, of "
            "which the link must have at least one.",
        },
        "guestCookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": guest_cookie,
            "description": "The same in a browser. Where it is also signed in, send X-Sparks-As: guest, or as=guest.",
        },
    }
