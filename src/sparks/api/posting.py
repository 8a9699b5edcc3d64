"""An upload in one request, for scripts: `curl -X POST -T sea.jpg "../api/photos?filename=sea.jpg"`.

The body is handed on piece by piece, so that a slow client holds neither a thread nor memory. Whatever goes wrong on
the way, a client that went away too, gives the reservation back.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, Final

from anyio import CancelScope
from fastapi import APIRouter, Query, Request, Response
from pydantic import AfterValidator, Field
from starlette.concurrency import run_in_threadpool

from sparks.api.blobs import pieces
from sparks.api.gate import Caller, Gate, Routes
from sparks.api.receipts import RECEIPTS, Receipts
from sparks.api.shapes import Words
from sparks.api.upload_shapes import AboutPhoto
from sparks.api.uploaders import Uploaders, takes_of
from sparks.journey import Stores
from sparks.library.limits import read_limit
from sparks.model.access import Action
from sparks.model.caller import Who
from sparks.model.errors import Conflict, UploadLimitReached
from sparks.model.photo import Photo
from sparks.upload.receiving import Arrival
from sparks.upload.recording import record_upload
from sparks.upload.tickets import give_up_upload, reserve_upload
from sparks.upload.wish import check_size

FILE: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "The file itself.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


def _split(tags: list[str]) -> list[str]:
    return [tag for text in tags for tag in text.split(",")]


class PostedPhoto(AboutPhoto):
    """As part of the address; several tags are joined by commas, or told one by one."""

    tags: Annotated[list[Words], Field(max_length=1000), AfterValidator(_split)] = Field(default_factory=list)


About = Annotated[PostedPhoto, Query()]


class PostingRoutes:
    def __init__(
        self,
        *,
        gate: Gate,
        stores: Stores,
        receipts: Receipts,
        uploaders: Uploaders,
        most_bytes: int,
    ) -> None:
        self._gate = gate
        self._stores = stores
        self._receipts = receipts
        self._uploaders = uploaders
        self._most_bytes = most_bytes

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="uploads")
        routes.add(
            "POST",
            "/api/photos",
            Action.UPLOAD_PHOTO,
            self.post_photo,
            status=201,
            errors=(404, 409, 415),
            responses=RECEIPTS,
            response_model=None,
            openapi_extra=FILE,
        )
        return routes.router

    async def post_photo(self, request: Request, who: Caller, about: About) -> Response:
        """Upload a photo or video in one request. Answered once it is durable."""
        arrival, photo = await run_in_threadpool(self._begin, who, about, _length(request))
        try:
            async for piece in pieces(request.stream()):
                await run_in_threadpool(arrival.write, piece)
            return await run_in_threadpool(self._finish, request, who, photo, arrival)
        except BaseException:
            with CancelScope(shield=True):
                await run_in_threadpool(self._give_up, photo)
            raise
        finally:
            with CancelScope(shield=True):
                await run_in_threadpool(arrival.drop)

    def _begin(self, who: Who, about: AboutPhoto, length: int | None) -> tuple[Arrival, Photo]:
        """Reserved before a byte is read; where nobody told how many come, at first without its bytes."""
        if length is not None:
            check_size(length, most=self._most_bytes)
        stores = self._stores
        plan = self._uploaders.plan(who, about, length)
        photo = reserve_upload(plan.wish, into=plan.into, guest=plan.guest, at=self._gate.now(), table=stores.table)
        check = self._check(plan.wish.owner, known=length is not None)
        return Arrival(photo, check=check, takes=takes_of(who), blobs=stores.blobs, served=stores.served), photo

    def _check(self, email: str, *, known: bool) -> Callable[[int], None]:
        limit = None if known else read_limit(email, table=self._stores.table)

        def check(size: int) -> None:
            check_size(size, most=self._most_bytes)
            if limit is not None and limit.bytes_left is not None and size > limit.bytes_left:
                message = f"only {limit.bytes_left:,} bytes are left, and more came: ask an administrator for more"
                raise UploadLimitReached(message, photos_left=limit.photos_left, bytes_left=limit.bytes_left)

        return check

    def _finish(self, request: Request, who: Who, photo: Photo, arrival: Arrival) -> Response:
        original = arrival.commit()
        at = self._gate.now()
        recorded = record_upload(photo, original, at=at, table=self._stores.table, blobs=self._stores.blobs)
        return self._receipts.answer(request, who, recorded, at=at)

    def _give_up(self, photo: Photo) -> None:
        with suppress(Conflict):  # it was recorded: what failed came behind that
            give_up_upload(photo, table=self._stores.table, blobs=self._stores.blobs)


def _length(request: Request) -> int | None:
    """None where the body comes in chunks."""
    told = request.headers.get("content-length")
    return None if told is None else int(told)
