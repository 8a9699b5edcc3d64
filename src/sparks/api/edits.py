"""Changing one photo: its words, its time, who sees it; another try; and its deletion."""

from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from sparks.api.changes import Changes
from sparks.api.encoded import encoded
from sparks.api.gate import Caller, Gate, Routes
from sparks.api.images import ImageDetails, Images
from sparks.api.media import ImageId
from sparks.api.shapes import OFFSET, TakenTime, Version, Wish, Words, offset_of
from sparks.library.photos import KEPT, Edit
from sparks.model.access import Action
from sparks.model.caller import Who
from sparks.model.photo import Photo, Visibility

Offset = Annotated[str, Field(pattern=f"^({OFFSET})?$")]


class PhotoChange(Wish):
    """`version` is the one that you saw. What is not named stays as it is; null, or an empty text or list, clears."""

    version: Version
    title: Words | None = None
    description: Words | None = None
    alt_text: Words | None = None
    tags: Annotated[list[Words], Field(max_length=1000)] | None = None
    taken_at: TakenTime | None = None
    taken_offset: Offset | None = None
    visibility: Visibility | None = Field(None, description="Null leaves it as it is.")

    def edit(self) -> Edit:
        """BadInput for words that are too long."""
        asked: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set - {"version"}}
        if self.taken_at is not None and (offset := offset_of(self.taken_at)) is not None:
            asked.setdefault("taken_offset", offset)
        if self.visibility is None:
            asked["visibility"] = KEPT
        return Edit(**asked)


class EditRoutes:
    def __init__(self, *, gate: Gate, changes: Changes, images: Images) -> None:
        self._gate = gate
        self._changes = changes
        self._images = images

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="photos")
        photo, edit, delete = "/api/photos/{imageId}", Action.EDIT_PHOTO, Action.DELETE_PHOTO
        one: dict[str, Any] = {"errors": (404, 409), "response_model": ImageDetails}
        routes.add("PATCH", photo, edit, self.edit_photo, **one)
        routes.add("POST", f"{photo}/retry", edit, self.retry_photo, **one)
        routes.add("DELETE", photo, delete, self.delete_photo, status=204, errors=(404,))
        routes.add("DELETE", "/api/me/photos/{imageId}", delete, self.delete_own_photo, status=204, errors=(404,))
        return routes.router

    def edit_photo(self, request: Request, who: Caller, image_id: ImageId, wish: PhotoChange) -> Response:
        """Change what is said about a photo, its time, or who sees it. 409 where it was changed since you looked."""
        return self._answer(request, self._changes.edit(who, image_id, wish.edit(), version=wish.version), who)

    def retry_photo(self, request: Request, who: Caller, image_id: ImageId) -> Response:
        """Try a photo again that has failed."""
        return self._answer(request, self._changes.retry(who, image_id), who)

    def delete_photo(self, who: Caller, image_id: ImageId) -> None:
        """Delete a photo for good, whatever its state. It is gone at once; what is left of it follows in a moment."""
        self._changes.delete(who, image_id)

    def delete_own_photo(self, who: Caller, image_id: ImageId) -> None:
        """Delete a photo of yours for good: the same."""
        self._changes.delete(who, image_id)

    def _answer(self, request: Request, photo: Photo, who: Who) -> Response:
        return encoded(request, self._images.one(photo, who, at=self._gate.now()))
