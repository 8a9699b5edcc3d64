"""Errors as answers: a status, and `{"error": code, "message": .., "requestId": ..}`."""

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
RETRY_AFTER: Final = "2"
INTERNAL: Final = "Something went wrong on the server; its log tells more under this requestId."
NO_ROUTE: Final = "There is nothing at this path; /openapi.json tells which paths there are."

log = logging.getLogger(__name__)


def install(app: FastAPI) -> None:
    """Every error that a route raises is answered in one form."""
    for kind in (errors.SparksError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _handle)


async def _handle(request: Request, error: Exception) -> Response:
    if (
        isinstance(error, HTTPException)
        and error.status_code == HTTPStatus.NOT_FOUND
        and "endpoint" not in request.scope
    ):
        return error_answer(HTTPStatus.NOT_FOUND, "NOT_FOUND", NO_ROUTE)
    answer = answer_to(error)
    if answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = ", ".join(_methods_at(request))
        answer = error_answer(HTTPStatus.METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", f"this path takes {allowed}")
        answer.headers["Allow"] = allowed
    return answer


def _methods_at(request: Request) -> list[str]:
    """Those of all routes at this path: the framework tells those of the first one alone. A path that is a route's very
    own is no id for another.
    """
    app: FastAPI = request.app
    here = [route for route in app.routes if route.matches(request.scope)[0] is not Match.NONE]
    own = [route for route in here if getattr(route, "path", None) == request.scope["path"]]
    return sorted({method for route in own or here for method in getattr(route, "methods", None) or ()})


def answer_to(error: Exception) -> Response:
    """The answer to an error; one that nobody foresaw is logged, and told nothing of."""
    match error:
        case errors.SparksError() if (status := status_of(error)) is not None:
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                log.warning("a request failed: %s", error)
            answer = error_answer(status, code_of(error), str(error), **_more(error))
            answer.headers.update(_headers(error))
            return answer
        case HTTPException():
            answer = error_answer(error.status_code, HTTPStatus(error.status_code).name, str(error.detail))
            answer.headers.update(error.headers or {})
            return answer
        case RequestValidationError():
            return error_answer(422, "INVALID_REQUEST", "; ".join(map(_told, error.errors()[:5])))
        case _:
            log.error("a request failed", exc_info=error)
            return error_answer(500, "INTERNAL", INTERNAL)


def _told(fault: Mapping[str, Any]) -> str:
    """What is wrong with a request, and where. Of a body that is no JSON object, pydantic would say it in its words."""
    if fault["type"] == "json_invalid":
        return f"the body is not JSON ({fault['ctx']['error']}, at character {fault['loc'][-1]}): send a JSON object"
    if fault["loc"] == ("body",):
        return "the body must be a JSON object, sent with Content-Type: application/json"
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg'].removeprefix('Value error, ')}"


def error_answer(status: int, code: str, message: str, **more: object) -> Response:
    body = {"error": code, "message": message, "requestId": logs.REQUEST_ID.get(), **more}
    headers = {"Retry-After": RETRY_AFTER} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return Response(msgspec.json.encode(body), status, headers, media_type="application/json")


def _more(error: errors.SparksError) -> dict[str, object]:
    """What a program may want to know beyond the code."""
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


def code_of(error: errors.SparksError) -> str:
    """`ConditionFailed` is CONDITION_FAILED."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).upper()


def status_of(error: errors.SparksError) -> int | None:
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), None)
