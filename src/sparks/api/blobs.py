"""`/blobs/{key}`: blobs by their signed addresses, where Sparks serves them itself.

The answers are those that S3 gives at its own signed addresses, as far as a client looks at them.
"""

import time
from asyncio import get_running_loop
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from typing import Final

from anyio import CancelScope
from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from sparks.api.ranges import asked_range, is_known
from sparks.blobs.port import BlobInfo, Part
from sparks.blobs.served import Incoming, OpenBlob, ServedBlobs
from sparks.blobs.signed import PartGrant, PutGrant, ReadGrant, read_grant, write_grant
from sparks.model.errors import AlreadyThere, BadInput
from sparks.model.keyring import Keyring

SENT_WHOLE: Final = 512 * 1024
SENT_AT_ONCE: Final = 256 * 1024
WRITTEN_AT_ONCE: Final = 1024 * 1024
RENDITIONS: Final = ("processed/", "faces/", "persons/", "profile-pictures/", "derived/")
IMMUTABLE: Final = "private, max-age=31536000, immutable"
REVALIDATED: Final = "private, no-cache"


def router(*, blobs: ServedBlobs, keyring: Keyring, clock: Callable[[], float] = time.time) -> APIRouter:
    """Not in the OpenAPI document: nobody makes these addresses but Sparks."""

    async def handle(request: Request) -> Response:
        key, query = request.path_params["key"], request.scope["query_string"].decode("latin-1")
        if request.method == "PUT":
            return await _put(request, blobs, write_grant(key, query, keyring=keyring, now=clock()))
        grant = read_grant(key, query, keyring=keyring, now=clock())
        return await get_running_loop().run_in_executor(None, _get, request, blobs, grant)

    routes = APIRouter()
    routes.add_route("/blobs/{key:path}", handle, ["GET", "HEAD", "PUT"], include_in_schema=False)
    return routes


def _get(request: Request, blobs: ServedBlobs, grant: ReadGrant) -> Response:
    """Reads a small blob whole, in one go with opening it; a large one is streamed."""
    with ExitStack() as stack:
        blob = blobs.open_blob(grant.key)
        stack.callback(blob.close)
        headers = _headers(blob.info, grant)
        if is_known(request.headers.get("if-none-match"), headers["ETag"]):
            return Response(status_code=304, headers=headers)
        status, (start, end) = _span(request.headers, headers, blob.info.size)
        if request.method == "HEAD":
            return Response(None, status, headers)
        if end - start <= SENT_WHOLE:
            return Response(blob.read(start, end), status, headers)
        stack.pop_all()
        return StreamingResponse(_stream(blob, start, end), status, headers)


def _headers(info: BlobInfo, grant: ReadGrant) -> dict[str, str]:
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": IMMUTABLE if info.key.startswith(RENDITIONS) else REVALIDATED,
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Content-Type": grant.content_type or info.content_type,
        "ETag": f'"{info.etag}"',
        "X-Content-Type-Options": "nosniff",
    }
    if grant.disposition is not None:
        headers["Content-Disposition"] = grant.disposition
    return headers


def _span(asked: Headers, headers: dict[str, str], size: int) -> tuple[int, tuple[int, int]]:
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


async def _put(request: Request, blobs: ServedBlobs, grant: PutGrant | PartGrant) -> Response:
    _check_headers(request.headers, grant)
    try:
        stored = await _store(request, await run_in_threadpool(_receive, blobs, grant))
    except AlreadyThere as error:
        raise HTTPException(412, str(error)) from error
    return Response(headers={"ETag": f'"{stored.etag}"'})


def _check_headers(headers: Headers, grant: PutGrant | PartGrant) -> None:
    """Before a byte of the body is read."""
    length = headers.get("content-length")
    if length is None:
        raise HTTPException(411, "the length must be told beforehand, in Content-Length")
    if length != str(grant.size):
        raise BadInput(f"this address takes exactly {grant.size} bytes")
    if isinstance(grant, PutGrant) and headers.get("content-type") != grant.content_type:
        raise BadInput(f"this address takes the Content-Type {grant.content_type}")


def _receive(blobs: ServedBlobs, grant: PutGrant | PartGrant) -> Incoming[BlobInfo | Part]:
    if isinstance(grant, PartGrant):
        return blobs.receive_part(grant.key, grant.upload_id, grant.number, size=grant.size)
    return blobs.receive(
        grant.key, size=grant.size, sha256=grant.sha256, content_type=grant.content_type, if_absent=grant.if_absent
    )


async def _store(request: Request, incoming: Incoming[BlobInfo | Part]) -> BlobInfo | Part:
    try:
        async for piece in _pieces(request.stream()):
            await run_in_threadpool(incoming.write, piece)
        return await run_in_threadpool(incoming.commit)
    finally:
        with CancelScope(shield=True):
            await run_in_threadpool(incoming.drop)


async def _pieces(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Fewer and larger ones: each costs a trip to another thread."""
    held: list[bytes] = []
    size = 0
    async for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= WRITTEN_AT_ONCE:
            yield b"".join(held)
            held, size = [], 0
    if size:
        yield b"".join(held)
