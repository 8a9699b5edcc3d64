"""Mapping of errors to a status and `{error, message, requestId}`."""

import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from sparks import logs
from sparks.model import errors

STATUS: Final[dict[type[errors.SparksError], int]] = {
    errors.BadInput: 400,
    errors.TooLarge: 413,
    errors.UnsupportedType: 415,
    errors.BadSignature: 403,
    errors.NotSignedIn: 401,
    errors.NotAllowed: 403,
    errors.TooManyTries: 429,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.Damaged: 422,
    errors.Busy: 503,
    errors.Unavailable: 503,
    errors.StorageFull: 507,
}
RETRY_AFTER: Final = "2"  # seconds
INTERNAL: Final = "Something went wrong on the server: see its log under this requestId."
MAX_FAULTS: Final = 5  # of a request, in one message
NO_ROUTE: Final = "There is nothing at this path: /openapi.json lists all paths."

log = logging.getLogger(__name__)


def install(app: FastAPI) -> None:
    """Every error that a route raises gets a response of the same form."""
    for kind in (errors.SparksError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _handle)


async def _handle(request: Request, error: Exception) -> Response:
    if (
        isinstance(error, HTTPException)
        and error.status_code == HTTPStatus.NOT_FOUND
        and "endpoint" not in request.scope
    ):
        return error_response(HTTPStatus.NOT_FOUND, "NOT_FOUND", NO_ROUTE)
    response = response_for(error)
    if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = ", ".join(_methods_at(request))
        response = error_response(HTTPStatus.METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", f"this path takes {allowed}")
        response.headers["Allow"] = allowed
    return response


def _methods_at(request: Request) -> list[str]:
    """The methods of all routes at this path; the framework knows those of the first route only. Where the path is
    literally that of a route, routes that would read it as an id do not count.
    """
    app: FastAPI = request.app
    matching = [route for route in app.routes if route.matches(request.scope)[0] is not Match.NONE]
    literal = [route for route in matching if getattr(route, "path", None) == request.scope["path"]]
    return sorted({method for route in literal or matching for method in getattr(route, "methods", None) or ()})


def response_for(error: Exception) -> Response:
    """The response to an error. An unexpected one is logged, and the response says nothing about it."""
    match error:
        case errors.SparksError() if (status := status_of(error)) is not None:
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                log.warning("a request failed: %s", error)
            response = error_response(status, error_code(error), str(error), **_more(error))
            response.headers.update(_headers(error))
            return response
        case HTTPException():
            response = error_response(error.status_code, HTTPStatus(error.status_code).name, str(error.detail))
            response.headers.update(error.headers or {})
            return response
        case RequestValidationError():
            return error_response(422, "INVALID_REQUEST", "; ".join(map(_describe, error.errors()[:MAX_FAULTS])))
        case _:
            log.error("a request failed", exc_info=error)
            return error_response(500, "INTERNAL", INTERNAL)


def _describe(fault: Mapping[str, Any]) -> str:
    """The fault and its place. Pydantic's own words for a body that is no JSON object would be hard to understand."""
    if fault["type"] == "json_invalid":
        return f"the body is not JSON ({fault['ctx']['error']}, at character {fault['loc'][-1]}): send a JSON object"
    if fault["loc"] == ("body",):
        return "the body must be a JSON object, sent with Content-Type: application/json"
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg'].removeprefix('Value error, ')}"


def error_response(status: int, code: str, message: str, **more: object) -> Response:
    body = {"error": code, "message": message, "requestId": logs.REQUEST_ID.get(), **more}
    headers = {"Retry-After": RETRY_AFTER} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return Response(msgspec.json.encode(body), status, headers, media_type="application/json")


def _more(error: errors.SparksError) -> dict[str, object]:
    """Further fields of the response, for programs."""
    match error:
        case errors.UploadLimitReached():
            return {"photosLeft": error.photos_left, "bytesLeft": error.bytes_left}
        case errors.VersionMismatch():
            return {"currentVersion": error.current_version}
        case errors.NameTaken():
            return {"personId": error.person_id}
        case _:
            return {}


def _headers(error: errors.SparksError) -> dict[str, str]:
    match error:
        case errors.TooManyTries():
            return {"Retry-After": str(error.retry_after)}
        case errors.NotSignedIn():
            return {"WWW-Authenticate": 'Bearer realm="Sparks"'}
        case _:
            return {}


def error_code(error: errors.SparksError) -> str:
    """The code of an error: CONDITION_FAILED for `ConditionFailed`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).upper()


def status_of(error: errors.SparksError) -> int | None:
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), None)
