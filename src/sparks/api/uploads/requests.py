"""Request bodies and parameters of uploads."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from sparks.api.http.base_models import (
    OFFSET,
    ByteCount,
    FutureTime,
    RequestModel,
    ShortText,
    TakenTime,
    offset_of,
)
from sparks.model.photo import Visibility
from sparks.uploads.upload_request import PhotoAttributes

FileName = Annotated[str, Field(max_length=4000)]
Tags = Annotated[list[ShortText], Field(max_length=1000)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$")]
Offset = Annotated[str, Field(pattern=f"^{OFFSET}$")]


class PhotoAttributesRequest(RequestModel):
    """Attributes of the photo. What you leave out is read from the file's own metadata, if it is there."""

    filename: FileName
    title: ShortText | None = None
    description: ShortText | None = None
    alt_text: ShortText | None = None
    tags: Tags = Field(default_factory=list)
    visibility: Visibility | None = Field(None, description="Who sees the photo; the default is a setting of the site.")
    taken_at: TakenTime | None = None
    taken_offset: Offset | None = None
    modified_at: TakenTime | None = Field(None, description="When the file was last modified.")
    expires_at: FutureTime | None = Field(None, description="When the photo is to be deleted automatically.")
    album_id: Annotated[str, Field(max_length=200)] | None = Field(None, description="The album to add the photo to.")

    def attributes(self, size: int | None, **more: Any) -> PhotoAttributes:
        """The attributes with the size of the file; None where it is unknown."""
        offset = self.taken_offset
        if offset is None and self.taken_at is not None:
            offset = offset_of(self.taken_at)
        return PhotoAttributes(
            filename=self.filename,
            size=size,
            title=self.title,
            description=self.description,
            alt_text=self.alt_text,
            tags=tuple(self.tags),
            visibility=self.visibility,
            taken_at=self.taken_at,
            taken_offset=offset,
            file_time=self.modified_at,
            expires_at=self.expires_at,
            album_id=self.album_id,
            **more,
        )


class NewUploadRequest(PhotoAttributesRequest):
    """With `sha256`, bytes that you uploaded before need not be sent again, and other bytes are refused."""

    size: ByteCount
    mime_type: Annotated[str, Field(max_length=100)] | None = None
    sha256: Sha256 | None = None

    def declared_attributes(self) -> PhotoAttributes:
        return self.attributes(self.size, mime_type=self.mime_type, sha256=self.sha256)


def _split(tags: list[str]) -> list[str]:
    return [tag for text in tags for tag in text.split(",")]


class DirectUploadQuery(PhotoAttributesRequest):
    """Attributes as query parameters. Several tags are joined by commas, or given as repeated parameters."""

    tags: Annotated[list[ShortText], Field(max_length=1000), AfterValidator(_split)] = Field(default_factory=list)


class PartUrlsRequest(RequestModel):
    part_numbers: Annotated[list[Annotated[int, Field(ge=1, le=10_000)]], Field(min_length=1, max_length=1000)]
