"""The answer to what never became a request: it could not be read, or did not come in time."""

import logging
from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

import msgspec

from sparks import logs

HEADERS: Final = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"connection", b"close"),
)

log = logging.getLogger(__name__)


def refusal(status: int, code: str, message: str, *, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A whole answer in the form that all errors have, with these headers too; the log knows it by the same id."""
    request_id = logs.new_request_id()
    with logs.about(request_id=request_id):
        log.info("a request was refused before it was whole: %s", message, extra={"status": status})
    body = msgspec.json.encode({"error": code, "message": message, "requestId": request_id})
    about = ((b"x-request-id", request_id.encode()), (b"content-length", b"%d" % len(body)))
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
    lines += [b"%b: %b" % header for header in (*headers, *HEADERS, *about)]
    return b"\r\n".join((*lines, b"", body))
