"""JSON response encoded by msgspec, with ETag and gzip.

Gzip takes 3 ms for a month of a thousand photos and makes it a third as long, which saves a second on a phone. The
compressed length reveals nothing to other sites, since browsers send no session cookie with their requests.
"""

import gzip
from hashlib import sha256
from typing import Any, Final

import msgspec
from fastapi import Request, Response
from pydantic import BaseModel

from sparks.api.http.blob_response import REVALIDATED
from sparks.api.http.request_headers import accepted_encodings, etag_matches

JSON: Final = "application/json"
ETAG_LENGTH: Final = 32
MIN_COMPRESSED: Final = 1400  # bytes: a shorter body fits into one packet anyway
GZIP_LEVEL: Final = 4
SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
NOT_MODIFIED_DOC: Final[dict[int | str, dict[str, Any]]] = {304: {"description": "The ETag is one of If-None-Match."}}

# Values as rows have them: bytes become base64, and a Decimal becomes a number.
encode: Final = msgspec.json.Encoder(decimal_format="number").encode


def json_response(request: Request, value: Any, *, status: int = 200) -> Response:
    """The value as JSON. A GET gets an ETag, or 304 where If-None-Match has it."""
    return bytes_response(request, encode(value), status=status)


def model_response(request: Request, model: BaseModel) -> Response:
    """The same for a pydantic model, for lists that are long enough to be compressed."""
    return bytes_response(request, model.model_dump_json(by_alias=True, exclude_none=True).encode())


def bytes_response(
    request: Request, body: bytes, *, media_type: str = JSON, etag: str | None = None, status: int = 200
) -> Response:
    """The same for bytes. `etag`, without quotes, is a hash of the bytes by default."""
    if request.method not in SAFE_METHODS:
        return Response(body, status, media_type=media_type)
    tag = etag or sha256(body).hexdigest()[:ETAG_LENGTH]
    return not_modified(request, tag) or _whole(request, body, status, _headers(tag), media_type)


def not_modified(request: Request, etag: str) -> Response | None:
    """The response 304 where If-None-Match has this ETag; otherwise None."""
    matches = etag_matches(request.headers.get("if-none-match"), f'"{etag}"')
    return Response(None, 304, _headers(etag)) if matches else None


def _whole(request: Request, body: bytes, status: int, headers: dict[str, str], media_type: str) -> Response:
    if len(body) < MIN_COMPRESSED or "gzip" not in accepted_encodings(request.headers.get("accept-encoding", "")):
        return Response(body, status, headers, media_type=media_type)
    headers["Content-Encoding"] = "gzip"
    return Response(gzip.compress(body, GZIP_LEVEL, mtime=0), status, headers, media_type=media_type)


def _headers(etag: str) -> dict[str, str]:
    """The ETag is weak: it is the same whether or not the body is compressed."""
    return {"Cache-Control": REVALIDATED, "ETag": f'W/"{etag}"', "Vary": "Accept-Encoding"}
