"""What an uploader is told once their bytes are durable."""

from datetime import datetime
from typing import Any, Final, Literal

from fastapi import Request, Response

from sparks import logs
from sparks.api.encoded import encoded
from sparks.api.images import ImageDetails, Images
from sparks.api.shapes import Answer
from sparks.journey import Journey, Stores
from sparks.model.caller import Who
from sparks.upload.recording import Recorded


class Duplicate(Answer):
    """The same bytes are there already: this photo is them."""

    image_id: str
    duplicate: Literal[True]


RECEIPTS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"model": Duplicate, "description": "The same bytes are there already."},
    201: {"model": ImageDetails, "description": "The photo, on its way: its bytes are durable."},
}


class Receipts:
    def __init__(self, *, stores: Stores, journey: Journey, images: Images) -> None:
        self._jobs = stores.jobs
        self._journey = journey
        self._images = images

    def answer(self, request: Request, who: Who, recorded: Recorded, *, at: datetime) -> Response:
        """Sends the photo on its way first."""
        if recorded.follows is not None:
            self._journey.send_after(recorded.follows, jobs=self._jobs, request_id=logs.REQUEST_ID.get())
        if recorded.duplicate:
            return self.duplicate(request, recorded.photo.image_id)
        return encoded(request, self._images.one(recorded.photo, who, at=at), status=201)

    def duplicate(self, request: Request, image_id: str) -> Response:
        return encoded(request, {"imageId": image_id, "duplicate": True})
