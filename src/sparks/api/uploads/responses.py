"""Response bodies of uploads: upload URLs, progress, and the finished photo."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

from fastapi import Request, Response
from pydantic import Field

from sparks.actions.upload_photo import UploadResult
from sparks.api.http.base_models import ResponseModel, Time
from sparks.api.http.json_response import json_response
from sparks.api.photos.responses import ImageDetailsResponse, ImageResponses
from sparks.blobs.port import Blobs, SignedUrl
from sparks.model.caller import Caller
from sparks.model.photo import Photo, PhotoState
from sparks.uploads.upload_urls import arrived_parts, expected_parts, has_arrived, part_size, upload_url


class DuplicateResponse(ResponseModel):
    """You uploaded the same bytes before: this is their photo."""

    image_id: str
    duplicate: Literal[True]


class UploadTicketResponse(ResponseModel):
    """The place for the bytes: one request to `url`, or parts of `partSize`, of which the last one may be shorter."""

    image_id: str
    size: int
    url: str | None = Field(None, description="For a single request, with this method and exactly these headers.")
    method: str | None = None
    headers: dict[str, str] | None = None
    part_size: int | None = None
    part_count: int | None = None
    expires_at: Time = Field(description="When the reservation ends. URLs end sooner: then ask for new ones.")


class UploadStateResponse(ResponseModel):
    """Progress of an upload. `completed`: it has become a photo. `arrived`: all bytes are there. `arrivedParts`: the
    numbers of the parts that are there.
    """

    image_id: str
    completed: bool
    arrived: bool | None = None
    arrived_parts: list[int] | None = None
    ticket: UploadTicketResponse | None = None


class PartUrlResponse(ResponseModel):
    part_number: int
    size: int
    url: str
    method: str
    headers: dict[str, str]


class PartUrlsResponse(ResponseModel):
    parts: list[PartUrlResponse]


UPLOAD_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"model": DuplicateResponse, "description": "You uploaded the same bytes before."},
    201: {"model": ImageDetailsResponse, "description": "The photo, whose bytes are durable; it is being processed."},
}


class UploadResponses:
    def __init__(self, *, images: ImageResponses, blobs: Blobs) -> None:
        self._images = images
        self._blobs = blobs

    def finished(self, request: Request, caller: Caller, result: UploadResult, *, at: datetime) -> Response:
        if result.photo is None:
            return self.duplicate(request, result.image_id)
        return json_response(request, self._images.one(result.photo, caller, at=at), status=201)

    def duplicate(self, request: Request, image_id: str) -> Response:
        return json_response(request, {"imageId": image_id, "duplicate": True})

    def ticket(self, photo: Photo, *, at: datetime) -> UploadTicketResponse:
        signed = upload_url(photo, blobs=self._blobs)
        size = photo.file_size or 0
        return UploadTicketResponse(
            image_id=photo.image_id,
            size=size,
            url=None if signed is None else signed.url,
            method=None if signed is None else signed.method,
            headers=None if signed is None else dict(signed.headers),
            part_size=None if signed is not None else part_size(size),
            part_count=None if signed is not None else len(expected_parts(photo)),
            expires_at=photo.expires_at or photo.created_at or at,
        )

    def state(self, photo: Photo, *, at: datetime) -> UploadStateResponse:
        if photo.state is not PhotoState.RESERVED:
            return UploadStateResponse(image_id=photo.image_id, completed=True)
        parts = None if photo.upload_id is None else arrived_parts(photo, blobs=self._blobs)
        all_there = has_arrived(photo, blobs=self._blobs) if parts is None else len(parts) == len(expected_parts(photo))
        return UploadStateResponse(
            image_id=photo.image_id,
            completed=False,
            arrived=all_there,
            arrived_parts=None if parts is None else [part.number for part in parts],
            ticket=self.ticket(photo, at=at),
        )


def part_urls_response(photo: Photo, urls: Mapping[int, SignedUrl]) -> PartUrlsResponse:
    sizes = expected_parts(photo)
    return PartUrlsResponse(
        parts=[
            PartUrlResponse(
                part_number=number,
                size=sizes[number],
                url=signed.url,
                method=signed.method,
                headers=dict(signed.headers),
            )
            for number, signed in urls.items()
        ]
    )
