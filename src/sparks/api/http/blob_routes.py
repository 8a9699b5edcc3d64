"""Routes that read and write blobs at signed URLs, with the statuses and headers that S3 uses at its own."""

import time
from asyncio import get_running_loop
from collections.abc import Callable
from typing import Final

from anyio import CancelScope
from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

from sparks.api.http.authentication import PublicRoute
from sparks.api.http.blob_response import REVALIDATED, blob_response
from sparks.api.http.request_body import merge_chunks
from sparks.blobs.port import BlobInfo, Blobs, IncomingBlob, UploadPart
from sparks.blobs.signed_urls import PartGrant, PutGrant, ReadGrant, read_grant, write_grant
from sparks.model.errors import AlreadyThere, BadInput, NotFound
from sparks.model.keyring import Keyring

IMMUTABLE_PREFIXES: Final = ("processed/", "faces/", "persons/", "profile-pictures/", "derived/")
IMMUTABLE: Final = "private, max-age=31536000, immutable"

CheckExpected = Callable[[str], None]


def router(
    *,
    blobs: Blobs,
    keyring: Keyring,
    clock: Callable[[], float] = time.time,
    check_expected: CheckExpected = lambda _: None,
) -> APIRouter:
    """The route is not in the OpenAPI document, since only Sparks makes these URLs. `check_expected` raises NotFound or
    AlreadyThere for a key whose upload has ended.
    """

    async def handle(request: Request) -> Response:
        key, query = request.path_params["key"], request.scope["query_string"].decode("latin-1")
        if request.method == "PUT":
            return await _put(request, blobs, write_grant(key, query, keyring=keyring, now=clock()), check_expected)
        grant = read_grant(key, query, keyring=keyring, now=clock())
        return await get_running_loop().run_in_executor(None, _get, request, blobs, grant)

    routes = APIRouter()
    routes.routes.append(PublicRoute("/blobs/{key:path}", handle, methods=["GET", "HEAD", "PUT"]))
    return routes


def _get(request: Request, blobs: Blobs, grant: ReadGrant) -> Response:
    caching = IMMUTABLE if grant.key.startswith(IMMUTABLE_PREFIXES) else REVALIDATED
    return blob_response(
        request,
        blobs.open_blob(grant.key),
        caching=caching,
        content_type=grant.content_type,
        disposition=grant.disposition,
    )


async def _put(request: Request, blobs: Blobs, grant: PutGrant | PartGrant, check_expected: CheckExpected) -> Response:
    """The key is checked before and after the bytes are stored, since the upload may be cancelled meanwhile. Parts need
    no check: they are refused once their multipart upload has ended.
    """
    _check_headers(request.headers, grant)
    try:
        if isinstance(grant, PartGrant):
            stored = await _store(request, await run_in_threadpool(_receive, blobs, grant))
        else:
            await run_in_threadpool(check_expected, grant.key)
            stored = await _store(request, await run_in_threadpool(_receive, blobs, grant))
            await run_in_threadpool(_delete_unexpected, grant.key, blobs, check_expected)
    except AlreadyThere as error:
        raise HTTPException(412, str(error)) from error
    return Response(headers={"ETag": f'"{stored.etag}"'})


def _delete_unexpected(key: str, blobs: Blobs, check_expected: CheckExpected) -> None:
    try:
        check_expected(key)
    except (NotFound, AlreadyThere):
        blobs.delete(key)
        raise


def _check_headers(headers: Headers, grant: PutGrant | PartGrant) -> None:
    """Checks the headers before a byte of the body is read."""
    length = headers.get("content-length")
    if length is None:
        raise HTTPException(411, "the request needs a Content-Length")
    if length != str(grant.size):
        raise BadInput(f"this URL takes exactly {grant.size} bytes")
    if isinstance(grant, PutGrant) and headers.get("content-type") != grant.content_type:
        raise BadInput(f"this URL takes the Content-Type {grant.content_type}")


def _receive(blobs: Blobs, grant: PutGrant | PartGrant) -> IncomingBlob[BlobInfo | UploadPart]:
    if isinstance(grant, PartGrant):
        return blobs.receive_part(grant.key, grant.upload_id, grant.number, size=grant.size)
    return blobs.receive(
        grant.key, size=grant.size, sha256=grant.sha256, content_type=grant.content_type, if_absent=grant.if_absent
    )


async def _store(request: Request, incoming: IncomingBlob[BlobInfo | UploadPart]) -> BlobInfo | UploadPart:
    try:
        async for batch in merge_chunks(request.stream()):
            await run_in_threadpool(incoming.write, batch)
        return await run_in_threadpool(incoming.commit)
    finally:
        with CancelScope(shield=True):
            await run_in_threadpool(incoming.drop)
