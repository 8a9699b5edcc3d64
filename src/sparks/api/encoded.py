"""JSON straight from plain values: without a model between, which would cost several times as much on long lists."""

from hashlib import sha256
from typing import Any, Final

import msgspec
from fastapi import Request, Response

from sparks.api.answers import REVALIDATED
from sparks.api.ranges import is_known

JSON: Final = "application/json"
ETAG_LETTERS: Final = 32
LOOKING: Final = frozenset({"GET", "HEAD"})
SAME_AS_BEFORE: Final = "The caller has it already, as If-None-Match tells."

# As rows have them: bytes become base64, and a fraction is the number that it is.
encode: Final = msgspec.json.Encoder(decimal_format="number").encode


def encoded(request: Request, value: Any, *, status: int = 200) -> Response:
    """The value as the answer. Whoever looks is told its ETag, and only that where they have it already."""
    return answer_with_bytes(request, encode(value), status=status)


def answer_with_bytes(
    request: Request, body: bytes, *, media_type: str = JSON, etag: str | None = None, status: int = 200
) -> Response:
    """The same for what is encoded already. `etag`, without quotes, is that of its content where nobody knows one."""
    if request.method not in LOOKING:
        return Response(body, status, media_type=media_type)
    tag = etag or sha256(body).hexdigest()[:ETAG_LETTERS]
    return had_already(request, tag) or Response(body, status, _headers(tag), media_type=media_type)


def had_already(request: Request, etag: str) -> Response | None:
    """The answer to a caller who has what is of this ETag; None to all others."""
    headers = _headers(etag)
    is_had = is_known(request.headers.get("if-none-match"), headers["ETag"])
    return Response(None, 304, headers) if is_had else None


def _headers(etag: str) -> dict[str, str]:
    return {"Cache-Control": REVALIDATED, "ETag": f'"{etag}"'}
