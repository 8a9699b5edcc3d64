"""Request bodies of photos and tags."""

from typing import Annotated, Any, Final

from pydantic import Field, StrictBool

from sparks.api.http.base_models import OFFSET, RequestModel, ShortText, TakenTime, Version, offset_of
from sparks.api.http.parameters import ImageIdField
from sparks.library.photos.photo_edit import UNCHANGED, BulkPhotoEdit, PhotoEdit
from sparks.model.photo import Visibility

MAX_PHOTOS: Final = 500  # of one request

Tags = Annotated[list[ShortText], Field(max_length=1000)]
Offset = Annotated[str, Field(pattern=f"^({OFFSET})?$")]


class PhotoChangeRequest(RequestModel):
    """`version` is the version that you edited. A field that is left out stays as it is; null, an empty text or list
    clears it.
    """

    version: Version
    title: ShortText | None = None
    description: ShortText | None = None
    alt_text: ShortText | None = None
    tags: Tags | None = None
    taken_at: TakenTime | None = None
    taken_offset: Offset | None = None
    visibility: Visibility | None = Field(None, description="Null leaves it as it is.")

    def edit(self) -> PhotoEdit:
        """BadInput for texts that are too long."""
        named: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set - {"version"}}
        if self.taken_at is not None and (offset := offset_of(self.taken_at)) is not None:
            named.setdefault("taken_offset", offset)
        if self.visibility is None:
            named["visibility"] = UNCHANGED
        return PhotoEdit(**named)


class PhotoIdsRequest(RequestModel):
    """Ids of photos; a repeated id counts once."""

    ids: Annotated[list[ImageIdField], Field(min_length=1, max_length=MAX_PHOTOS)]


class PhotosChangeRequest(PhotoIdsRequest):
    """A field that is left out or null stays as it is. Tags are compared without regard to case, and removed before
    others are added.
    """

    add_tags: Tags | None = None
    remove_tags: Tags | None = None
    visibility: Visibility | None = None
    favorite: StrictBool | None = None

    def edit(self) -> BulkPhotoEdit:
        """BadInput for invalid tags."""
        return BulkPhotoEdit(
            add_tags=tuple(self.add_tags or ()),
            remove_tags=tuple(self.remove_tags or ()),
            visibility=self.visibility,
        )


class RenameTagRequest(RequestModel):
    """The new name of the tag. Where you have a tag of that name already, the two become one."""

    name: ShortText
