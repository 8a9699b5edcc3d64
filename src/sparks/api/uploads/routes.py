"""Routes of resumable uploads: reserve, sign parts, complete, cancel. Every request may be repeated."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

from sparks.actions.upload_photo import Uploads
from sparks.api.http.authentication import ActionRouter, CurrentCaller, RequestAuthenticator
from sparks.api.http.parameters import ImageId
from sparks.api.uploads.requests import NewUploadRequest, PartUrlsRequest
from sparks.api.uploads.responses import (
    UPLOAD_RESPONSES,
    DuplicateResponse,
    PartUrlsResponse,
    UploadResponses,
    UploadStateResponse,
    UploadTicketResponse,
    part_urls_response,
)
from sparks.blobs.port import Blobs
from sparks.model.access import Action
from sparks.model.photo import PhotoState
from sparks.uploads.upload_urls import part_urls

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=255)]


class UploadRoutes:
    def __init__(
        self, *, authenticator: RequestAuthenticator, uploads: Uploads, responses: UploadResponses, blobs: Blobs
    ) -> None:
        self._authenticator = authenticator
        self._uploads = uploads
        self._responses = responses
        self._blobs = blobs

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="uploads")
        upload, one = Action.UPLOAD_PHOTO, "/api/uploads/{imageId}"
        duplicate = {200: {"model": DuplicateResponse, "description": "You uploaded the same bytes before: send none."}}
        routes.add(
            "POST",
            "/api/uploads",
            upload,
            self.create_upload,
            status=201,
            errors=(404, 409, 415),
            responses=duplicate,
            response_model=UploadTicketResponse,
        )
        routes.add("GET", one, upload, self.read_upload, errors=(404,))
        routes.add("DELETE", one, upload, self.delete_upload, status=204, errors=(404, 409))
        routes.add("POST", f"{one}/parts", upload, self.sign_parts, errors=(404, 409))
        routes.add(
            "POST",
            f"{one}/complete",
            upload,
            self.complete_upload,
            status=201,
            errors=(404, 409, 415),
            responses=UPLOAD_RESPONSES,
            response_model=None,
        )
        return routes.router

    def create_upload(
        self, request: Request, caller: CurrentCaller, body: NewUploadRequest, idempotency_key: IdempotencyKey = None
    ) -> Any:
        """Reserve a photo, and get the URLs for its bytes. A file over a limit is refused before any byte is sent. With
        an `Idempotency-Key`, a repeated request gets the first reservation.
        """
        photo = self._uploads.reserve(caller, body.declared_attributes(), idempotency_key=idempotency_key)
        if photo.state is not PhotoState.RESERVED:
            return self._responses.duplicate(request, photo.image_id)
        return self._responses.ticket(photo, at=self._authenticator.now())

    def read_upload(self, caller: CurrentCaller, image_id: ImageId) -> UploadStateResponse:
        """Read the progress of an upload, with new URLs: to continue after a lost connection."""
        return self._responses.state(self._uploads.find(caller, image_id), at=self._authenticator.now())

    def delete_upload(self, caller: CurrentCaller, image_id: ImageId) -> None:
        """Cancel an upload: the reservation is given back, and the bytes that have arrived are deleted."""
        self._uploads.cancel(caller, image_id)

    def sign_parts(self, caller: CurrentCaller, image_id: ImageId, body: PartUrlsRequest) -> PartUrlsResponse:
        """Get URLs for parts of the file, valid for an hour."""
        photo = self._uploads.find_reservation(caller, image_id)
        return part_urls_response(photo, part_urls(photo, body.part_numbers, blobs=self._blobs))

    def complete_upload(
        self, request: Request, caller: CurrentCaller, image_id: ImageId, idempotency_key: IdempotencyKey = None
    ) -> Response:
        """Make the photo, once all bytes are sent. The response comes when it is durable. With an `Idempotency-Key`, a
        repeated request gets the first response.
        """
        result = self._uploads.complete(caller, image_id, idempotency_key=idempotency_key)
        return self._responses.finished(request, caller, result, at=self._authenticator.now())
