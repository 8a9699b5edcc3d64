"""HTTP response with a blob: whole, a range of it, or 304."""

import re
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Final
from urllib.parse import quote

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from sparks.api.http.request_headers import etag_matches, parse_range
from sparks.blobs.port import DEFAULT_TYPE, BlobInfo, OpenBlob
from sparks.model.filename import saved_name

MAX_UNSTREAMED: Final = 512 * 1024  # bytes
CHUNK_SIZE: Final = 256 * 1024  # bytes
REVALIDATED: Final = "private, no-cache"
# Types that browsers show but never run, unlike SVG. Blobs of all other types are sent as plain bytes.
SAFE_TYPES: Final = frozenset(
    f"image/{name}"
    for name in ("avif", "bmp", "gif", "heic", "heic-sequence", "heif", "heif-sequence", "jpeg", "jxl", "png", "tiff")
) | {"image/webp", "video/mp4", "video/mpeg", "video/ogg", "video/quicktime", "video/webm", "video/x-matroska"}
_UNSAFE_IN_QUOTES: Final = re.compile(r'[^ -~]|["%\\]')


def blob_response(
    request: Request, blob: OpenBlob, *, caching: str, content_type: str | None = None, disposition: str | None = None
) -> Response:
    """A small blob is read whole at once, a large one is streamed. The blob is closed in any case."""
    with ExitStack() as stack:
        stack.callback(blob.close)
        headers = blob_headers(blob.info, caching=caching, content_type=content_type, disposition=disposition)
        if etag_matches(request.headers.get("if-none-match"), headers["ETag"]):
            return Response(status_code=304, headers=headers)
        status, (start, end) = resolve_range(request.headers, headers, blob.info.size)
        if request.method == "HEAD":
            return Response(None, status, headers)
        if end - start <= MAX_UNSTREAMED:
            return Response(blob.read(start, end), status, headers)
        stack.pop_all()
        return StreamingResponse(_stream(blob, start, end), status, headers)


def blob_headers(
    info: BlobInfo, *, caching: str, content_type: str | None = None, disposition: str | None = None
) -> dict[str, str]:
    """The headers forbid browsers to guess another type than this one, or the blob's own where none is given."""
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": caching,
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Content-Type": content_type or info.content_type,
        "ETag": f'"{info.etag}"',
        "X-Content-Type-Options": "nosniff",
    }
    if disposition is not None:
        headers["Content-Disposition"] = disposition
    return headers


def resolve_range(request_headers: Headers, headers: dict[str, str], size: int) -> tuple[int, tuple[int, int]]:
    """The status, and the first byte and the end of what is sent; adds the length and the range to `headers`."""
    requested = parse_range(request_headers.get("range"), size)
    if requested is None or request_headers.get("if-range", headers["ETag"]) != headers["ETag"]:
        headers["Content-Length"] = str(size)
        return 200, (0, size)
    start, end = requested
    if start == end:
        raise HTTPException(416, f"the blob has {size} bytes", {"Content-Range": f"bytes */{size}"})
    headers["Content-Length"] = str(end - start)
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    return 206, requested


async def _stream(blob: OpenBlob, start: int, end: int) -> AsyncIterator[bytes]:
    try:
        for at in range(start, end, CHUNK_SIZE):
            yield await run_in_threadpool(blob.read, at, min(at + CHUNK_SIZE, end))
    finally:
        blob.close()


def safe_content_type(content_type: str | None) -> str:
    """The type, if it is that of a picture or a video which no browser runs; else that of plain bytes."""
    lowered = (content_type or "").lower()
    return lowered if lowered in SAFE_TYPES else DEFAULT_TYPE


def attachment_disposition(name: str | None, *, otherwise: str) -> str:
    """The Content-Disposition (RFC 6266) of a file to be saved under this name, or `otherwise` if that is empty.

    The name is given twice: in ASCII for old clients, and percent-encoded (RFC 8187). The result is short and printable
    ASCII.
    """
    plain = saved_name(name or "") or otherwise
    in_ascii = _UNSAFE_IN_QUOTES.sub("_", plain)
    return f"attachment; filename=\"{in_ascii}\"; filename*=UTF-8''{quote(plain, safe='')}"
