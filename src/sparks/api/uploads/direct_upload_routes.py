"""Route that takes an upload in one request, as from curl.

The body is handed on chunk by chunk, so that a slow client holds neither a thread nor memory. Where anything fails, or
the client disconnects, the reservation is given back.
"""

from typing import Annotated

from anyio import CancelScope
from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from sparks.actions.direct_upload import DirectUploads
from sparks.api.http.authentication import ActionRouter, CurrentCaller, RequestAuthenticator
from sparks.api.http.openapi import BINARY_BODY
from sparks.api.http.request_body import merge_chunks
from sparks.api.uploads.requests import DirectUploadQuery
from sparks.api.uploads.responses import UPLOAD_RESPONSES, UploadResponses
from sparks.model.access import Action
from sparks.model.caller import Caller
from sparks.model.photo import Photo
from sparks.uploads.receive import IncomingOriginal

DirectUploadParameters = Annotated[DirectUploadQuery, Query()]


class DirectUploadRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, uploads: DirectUploads, responses: UploadResponses
    ) -> None:
        self._authenticator = authenticator
        self._uploads = uploads
        self._responses = responses

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="uploads")
        routes.add(
            "POST",
            "/api/photos",
            Action.UPLOAD_PHOTO,
            self.post_photo,
            status=201,
            errors=(404, 409, 415),
            responses=UPLOAD_RESPONSES,
            response_model=None,
            openapi_extra=BINARY_BODY,
        )
        return routes.router

    async def post_photo(self, request: Request, caller: CurrentCaller, about: DirectUploadParameters) -> Response:
        """Upload a photo or video in one request. The response comes when it is durable."""
        attributes = about.attributes(_content_length(request))
        photo, incoming = await run_in_threadpool(self._uploads.receive, caller, attributes)
        try:
            async for chunk in merge_chunks(request.stream()):
                await run_in_threadpool(incoming.write, chunk)
            return await run_in_threadpool(self._finish, request, caller, photo, incoming)
        except BaseException:
            with CancelScope(shield=True):
                await run_in_threadpool(self._uploads.abandon, photo)
            raise
        finally:
            with CancelScope(shield=True):
                await run_in_threadpool(incoming.drop)

    def _finish(self, request: Request, caller: Caller, photo: Photo, incoming: IncomingOriginal) -> Response:
        result = self._uploads.finish(photo, incoming)
        return self._responses.finished(request, caller, result, at=self._authenticator.now())


def _content_length(request: Request) -> int | None:
    """None for a chunked body."""
    length = request.headers.get("content-length")
    return None if length is None else int(length)
