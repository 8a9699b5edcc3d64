"""`/blobs/{key}`: blobs by their signed addresses, where Sparks serves them itself.

The answers are those that S3 gives at its own signed addresses, as far as a client looks at them.
"""

import time
from asyncio import get_running_loop
from collections.abc import AsyncIterator, Callable
from typing import Final

from anyio import CancelScope
from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

from sparks.api.answers import REVALIDATED, answer_with_blob
from sparks.api.gate import OpenRoute
from sparks.blobs.port import BlobInfo, Part
from sparks.blobs.served import Incoming, ServedBlobs
from sparks.blobs.signed import PartGrant, PutGrant, ReadGrant, read_grant, write_grant
from sparks.model.errors import AlreadyThere, BadInput, NotFound
from sparks.model.keyring import Keyring

WRITTEN_AT_ONCE: Final = 256 * 1024  # of each upload, of which there may be hundreds
RENDITIONS: Final = ("processed/", "faces/", "persons/", "profile-pictures/", "derived/")
IMMUTABLE: Final = "private, max-age=31536000, immutable"

CheckAwaited = Callable[[str], None]


def router(
    *,
    blobs: ServedBlobs,
    keyring: Keyring,
    clock: Callable[[], float] = time.time,
    check_awaited: CheckAwaited = lambda _: None,
) -> APIRouter:
    """Not in the OpenAPI document: nobody makes these addresses but Sparks. `check_awaited` raises NotFound or
    AlreadyThere where nobody waits for a blob of this key any more.
    """

    async def handle(request: Request) -> Response:
        key, query = request.path_params["key"], request.scope["query_string"].decode("latin-1")
        if request.method == "PUT":
            return await _put(request, blobs, write_grant(key, query, keyring=keyring, now=clock()), check_awaited)
        grant = read_grant(key, query, keyring=keyring, now=clock())
        return await get_running_loop().run_in_executor(None, _get, request, blobs, grant)

    routes = APIRouter()
    routes.routes.append(OpenRoute("/blobs/{key:path}", handle, methods=["GET", "HEAD", "PUT"]))
    return routes


def _get(request: Request, blobs: ServedBlobs, grant: ReadGrant) -> Response:
    caching = IMMUTABLE if grant.key.startswith(RENDITIONS) else REVALIDATED
    return answer_with_blob(
        request,
        blobs.open_blob(grant.key),
        caching=caching,
        content_type=grant.content_type,
        disposition=grant.disposition,
    )


async def _put(
    request: Request, blobs: ServedBlobs, grant: PutGrant | PartGrant, check_awaited: CheckAwaited
) -> Response:
    """[Note: twice] Whoever waits for the bytes may give up while they come. Parts need not be asked for: they have no
    place once their upload is over.
    """
    _check_headers(request.headers, grant)
    try:
        if isinstance(grant, PartGrant):
            stored = await _store(request, await run_in_threadpool(_receive, blobs, grant))
        else:
            await run_in_threadpool(check_awaited, grant.key)
            stored = await _store(request, await run_in_threadpool(_receive, blobs, grant))
            await run_in_threadpool(_keep_awaited, grant.key, blobs, check_awaited)
    except AlreadyThere as error:
        raise HTTPException(412, str(error)) from error
    return Response(headers={"ETag": f'"{stored.etag}"'})


def _keep_awaited(key: str, blobs: ServedBlobs, check_awaited: CheckAwaited) -> None:
    try:
        check_awaited(key)
    except (NotFound, AlreadyThere):
        blobs.delete(key)
        raise


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
        async for piece in pieces(request.stream()):
            await run_in_threadpool(incoming.write, piece)
        return await run_in_threadpool(incoming.commit)
    finally:
        with CancelScope(shield=True):
            await run_in_threadpool(incoming.drop)


async def pieces(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
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
