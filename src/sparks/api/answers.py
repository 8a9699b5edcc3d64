"""A blob as an answer: whole or a range of it, or that the browser has it already."""

from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Final

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from sparks.api.ranges import asked_range, is_known
from sparks.blobs.port import BlobInfo
from sparks.blobs.served import OpenBlob

SENT_WHOLE: Final = 512 * 1024
SENT_AT_ONCE: Final = 256 * 1024
REVALIDATED: Final = "private, no-cache"


def answer_with_blob(
    request: Request, blob: OpenBlob, *, caching: str, content_type: str | None = None, disposition: str | None = None
) -> Response:
    """Reads a small blob whole, at once; a large one is streamed. In any case the blob is closed in the end."""
    with ExitStack() as stack:
        stack.callback(blob.close)
        headers = blob_headers(blob.info, caching=caching, content_type=content_type, disposition=disposition)
        if is_known(request.headers.get("if-none-match"), headers["ETag"]):
            return Response(status_code=304, headers=headers)
        status, (start, end) = span_of(request.headers, headers, blob.info.size)
        if request.method == "HEAD":
            return Response(None, status, headers)
        if end - start <= SENT_WHOLE:
            return Response(blob.read(start, end), status, headers)
        stack.pop_all()
        return StreamingResponse(_stream(blob, start, end), status, headers)


def blob_headers(
    info: BlobInfo, *, caching: str, content_type: str | None = None, disposition: str | None = None
) -> dict[str, str]:
    """A browser takes the blob for this type, or else for the blob's own, and for nothing that its bytes may be."""
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


def span_of(asked: Headers, headers: dict[str, str], size: int) -> tuple[int, tuple[int, int]]:
    """The status and which bytes are sent; the headers are told about both."""
    wanted = asked_range(asked.get("range"), size)
    if wanted is None or asked.get("if-range", headers["ETag"]) != headers["ETag"]:
        headers["Content-Length"] = str(size)
        return 200, (0, size)
    start, end = wanted
    if start == end:
        raise HTTPException(416, f"the blob has {size} bytes", {"Content-Range": f"bytes */{size}"})
    headers["Content-Length"] = str(end - start)
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    return 206, wanted


async def _stream(blob: OpenBlob, start: int, end: int) -> AsyncIterator[bytes]:
    try:
        for at in range(start, end, SENT_AT_ONCE):
            yield await run_in_threadpool(blob.read, at, min(at + SENT_AT_ONCE, end))
    finally:
        blob.close()
