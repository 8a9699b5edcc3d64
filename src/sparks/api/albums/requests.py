"""Request bodies of albums, their members, photos and comments."""

from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool

from sparks.api.http.base_models import RequestModel, ShortText
from sparks.api.http.parameters import ImageIdField
from sparks.api.photos.requests import PhotoIdsRequest
from sparks.library.albums.album_details import AlbumEdit
from sparks.library.photos.photo_edit import UNCHANGED
from sparks.model.album import AlbumOrder, AlbumRole


class NewAlbum(RequestModel):
    title: ShortText
    description: ShortText | None = None
    order: AlbumOrder = AlbumOrder.TAKEN
    finds_faces: StrictBool = Field(default=True, description="Find faces in photos that are uploaded to it.")


class AlbumChange(RequestModel):
    """A field that is left out stays as it is; an empty description clears it. Only the owner changes `findsFaces`,
    which holds for photos that are uploaded from now on.
    """

    title: ShortText | None = None
    description: ShortText | None = None
    order: AlbumOrder | None = None
    cover_image_id: ImageIdField | None = None
    finds_faces: StrictBool | None = None

    def edit(self) -> AlbumEdit:
        """BadInput for texts that are too long."""
        named: dict[str, Any] = {"description": self.description} if "description" in self.model_fields_set else {}
        return AlbumEdit(title=UNCHANGED if self.title is None else self.title, order=self.order or UNCHANGED, **named)


class NewMember(RequestModel):
    role: Literal[AlbumRole.EDITOR, AlbumRole.CONTRIBUTOR, AlbumRole.VIEWER]


class MovePhotosRequest(PhotoIdsRequest):
    """Photos to put, in this order, before another one; at the end if `before` is left out."""

    before: Annotated[
        ImageIdField | None, Field(description="A photo of the album that is not one of the moved photos.")
    ] = None


class NewCommentRequest(RequestModel):
    text: ShortText
