"""JSON straight from plain values: without a model between, which would cost several times as much on long lists.

[Note: compressed] A month of a thousand photos is a third as long by gzip, which takes 3 ms: on a phone's network that
is worth a second. Its length tells no other site anything: browsers send no session along with what others ask for.
"""

import gzip
from hashlib import sha256
from typing import Any, Final

import msgspec
from fastapi import Request, Response
from pydantic import BaseModel

from sparks.api.answers import REVALIDATED
from sparks.api.encodings import accepted_encodings
from sparks.api.ranges import is_known

JSON: Final = "application/json"
ETAG_LETTERS: Final = 32
LONG: Final = 1400  # bytes: what is shorter fits into one packet anyway
EFFORT: Final = 4
LOOKING: Final = frozenset({"GET", "HEAD"})
SAME_AS_BEFORE: Final = "The caller has it already, as If-None-Match tells."
LOOKED_AT: Final[dict[int | str, dict[str, Any]]] = {304: {"description": SAME_AS_BEFORE}}  # for the document

# As rows have them: bytes become base64, and a fraction is the number that it is.
encode: Final = msgspec.json.Encoder(decimal_format="number").encode


def encoded(request: Request, value: Any, *, status: int = 200) -> Response:
    """The value as the answer. Whoever looks is told its ETag, and only that where they have it already."""
    return answer_with_bytes(request, encode(value), status=status)


def encoded_answer(request: Request, answer: BaseModel) -> Response:
    """The same of a list that has a model: for those that are long enough to be compressed."""
    return answer_with_bytes(request, answer.model_dump_json(by_alias=True, exclude_none=True).encode())


def answer_with_bytes(
    request: Request, body: bytes, *, media_type: str = JSON, etag: str | None = None, status: int = 200
) -> Response:
    """The same for what is encoded already. `etag`, without quotes, is that of its content where nobody knows one."""
    if request.method not in LOOKING:
        return Response(body, status, media_type=media_type)
    tag = etag or sha256(body).hexdigest()[:ETAG_LETTERS]
    return had_already(request, tag) or _whole(request, body, status, _headers(tag), media_type)


def had_already(request: Request, etag: str) -> Response | None:
    """The answer to a caller who has what is of this ETag; None to all others."""
    is_had = is_known(request.headers.get("if-none-match"), f'"{etag}"')
    return Response(None, 304, _headers(etag)) if is_had else None


def _whole(request: Request, body: bytes, status: int, headers: dict[str, str], media_type: str) -> Response:
    if len(body) < LONG or "gzip" not in accepted_encodings(request.headers.get("accept-encoding", "")):
        return Response(body, status, headers, media_type=media_type)
    headers["Content-Encoding"] = "gzip"
    return Response(gzip.compress(body, EFFORT, mtime=0), status, headers, media_type=media_type)


def _headers(etag: str) -> dict[str, str]:
    """The tag is a weak one: it is the same however the answer travels."""
    return {"Cache-Control": REVALIDATED, "ETag": f'W/"{etag}"', "Vary": "Accept-Encoding"}
