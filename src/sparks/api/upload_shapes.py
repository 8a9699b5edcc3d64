"""What uploaders say about their files, and what they are told on the way."""

from typing import Annotated, Any

from pydantic import Field

from sparks.api.shapes import OFFSET, Answer, Bytes, FutureTime, TakenTime, Time, Wish, Words, offset_of
from sparks.model.photo import Visibility
from sparks.upload import wish as told

FileName = Annotated[str, Field(max_length=4000)]
Tags = Annotated[list[Words], Field(max_length=1000)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$")]
Offset = Annotated[str, Field(pattern=f"^{OFFSET}$")]


class AboutPhoto(Wish):
    """What an uploader may say about a file. What they do not say is taken from the file, as far as it tells."""

    filename: FileName
    title: Words | None = None
    description: Words | None = None
    alt_text: Words | None = None
    tags: Tags = Field(default_factory=list)
    visibility: Visibility | None = Field(None, description="Who sees it; by default what the settings say.")
    taken_at: TakenTime | None = None
    taken_offset: Offset | None = None
    modified_at: TakenTime | None = Field(None, description="When the file was last modified.")
    expires_at: FutureTime | None = Field(None, description="When the photo is to be deleted by itself.")
    album_id: Annotated[str, Field(max_length=200)] | None = Field(None, description="The album that it comes into.")

    def wish(self, owner: str, size: int, *, visibility: Visibility, **more: Any) -> told.Wish:
        """BadInput for words that are too long."""
        offset = self.taken_offset
        if offset is None and self.taken_at is not None:
            offset = offset_of(self.taken_at)
        return told.Wish(
            filename=self.filename,
            size=size,
            owner=owner,
            title=self.title,
            description=self.description,
            alt_text=self.alt_text,
            tags=tuple(self.tags),
            visibility=self.visibility or visibility,
            taken_at=self.taken_at,
            taken_offset=offset,
            file_time=self.modified_at,
            expires_at=self.expires_at,
            **more,
        )


class NewUpload(AboutPhoto):
    """With `sha256`, bytes that are there already need not be sent, and others than these are refused."""

    size: Bytes
    mime_type: Annotated[str, Field(max_length=100)] | None = None
    sha256: Sha256 | None = None


class UploadTicket(Answer):
    """Where the bytes go: all in one request to `url`, or in parts of `partSize`, the last one being what is left."""

    image_id: str
    size: int
    url: str | None = Field(None, description="For one request, with this method and exactly these headers.")
    method: str | None = None
    headers: dict[str, str] | None = None
    part_size: int | None = None
    part_count: int | None = None
    expires_at: Time = Field(description="When the reservation ends. Addresses end sooner: ask for new ones.")


class UploadState(Answer):
    """How far it is. `completed`: it is a photo by now. `arrived`: all bytes are there. `arrivedParts`: these are."""

    image_id: str
    completed: bool
    arrived: bool | None = None
    arrived_parts: list[int] | None = None
    ticket: UploadTicket | None = None


class WantedParts(Wish):
    part_numbers: Annotated[list[Annotated[int, Field(ge=1, le=10_000)]], Field(min_length=1, max_length=1000)]


class PartAddress(Answer):
    part_number: int
    size: int
    url: str
    method: str
    headers: dict[str, str]


class PartAddresses(Answer):
    parts: list[PartAddress]
