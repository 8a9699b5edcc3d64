"""Response bodies of photos, timelines and tags, with URLs signed for the caller."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from fastapi import Request, Response
from pydantic import Field

from sparks.actions.photo_changes import ChangedPhoto
from sparks.api.http.base_models import PageResponse, ResponseModel, Time
from sparks.api.http.cursors import read_page
from sparks.api.http.errors import error_code
from sparks.api.http.json_response import json_response
from sparks.auth.callers import signed_in
from sparks.auth.signed_media_urls import MediaSigner, viewer_of
from sparks.feed.photo_items import READ_ATTRIBUTES, PhotoValues, photo_details, photo_values
from sparks.feed.photo_pages import PhotoPages
from sparks.library.photos.favorites import favorites_among, favorites_between
from sparks.library.photos.photo_lists import ItemPage
from sparks.model.caller import Caller, caller_name
from sparks.model.errors import SparksError
from sparks.model.keyring import Keyring
from sparks.model.photo import AssetType, FaceStatus, Photo, ProcessingStatus, Visibility
from sparks.model.system_records import TagRename
from sparks.table.port import Item, Key, Table

ReadImages = Callable[[int, Key | None], tuple[list[Item], Key | None]]

# -- Photos


class ImageResponse(ResponseModel):
    """A photo or video. `images` are the blob keys of its renditions; `urls` are their URLs, signed for you. The URLs
    expire: then read the photo again. Unknown values are left out.
    """

    image_id: str
    asset_type: AssetType
    uploaded_by: str | None = Field(None, description="E-mail of the owner; not for guests.")
    mine: bool | None = Field(None, description="For guests: whether you uploaded it.")
    waits: bool | None = Field(None, description="For guests: your upload awaits the host's approval.")
    uploaded_datetime: Time | None = Field(None, alias="uploaded_datetime")
    last_modified: Time | None = None
    s3_key: str | None = None
    images: dict[str, str] = Field(description="Blob keys of the renditions large, medium, thumb, ..")
    persons: list[str]
    tags: list[str]
    original_filename: str | None = Field(None, description="For guests only if the link shows metadata.")
    mime_type: str | None = None
    width: int | None = None
    height: int | None = None
    aspect_ratio: float | None = None
    duration: float | None = Field(None, description="Seconds of a video, or of the video of a live photo.")
    title: str | None = None
    description: str | None = None
    alt_text: str | None = None
    taken_at: Time | None = None
    taken_offset: str | None = None
    visibility: Visibility
    processing_status: ProcessingStatus
    processing_error: str | None = None
    status: FaceStatus
    face_count: int
    uploader_tag: str | None = None
    version: int
    thumbhash: str | None = Field(None, description="In base64.")
    trashed_at: Time | None = None
    expires_at: Time | None = None
    urls: dict[str, str] = Field(
        description="URLs of the renditions large, medium, thumb, .. that exist; of the `original`; of the `motion` of "
        "a live photo; and of the `video` that browsers play, which for guests may be the original."
    )
    favorite: bool


class ImageDetailsResponse(ImageResponse):
    """A photo with all of its metadata. Guests get `exif` and `location` only if the link shows metadata."""

    file_size: int | None = None
    sizes: list[str] | None = None
    exif: dict[str, Any] | None = None
    location: dict[str, Any] | None = None
    created_at: Time | None = None
    updated_at: Time | None = None
    processed_at: Time | None = Field(None, description="When the renditions were made.")
    error: str | None = Field(
        None, description="Why face detection failed (`status` FAILED); for the owner and administrators."
    )


class ImageList(PageResponse):
    images: list[ImageResponse]


class ImageResponses:
    def __init__(self, *, sizes: Iterable[str], table: Table, keyring: Keyring) -> None:
        """`sizes` are the names of the renditions that Sparks serves."""
        self._sizes = frozenset(sizes)
        self._table = table
        self._keyring = keyring

    def one(self, photo: Photo, caller: Caller, *, at: datetime) -> PhotoValues:
        """The photo with its details, for a caller who may see it."""
        item, details = photo_details(photo, caller)
        marked = favorites_among([photo.image_id], caller_name(caller), table=self._table)
        return self._values([item], caller, marked, at)[0] | details

    def page(
        self, items: Sequence[Item], caller: Caller, *, at: datetime, all_marked: bool = False
    ) -> list[PhotoValues]:
        """The photos of these items, for a caller who may see them; `all_marked`: they are the caller's favorites. The
        items are changed in place, and need no other attributes than `READ_ATTRIBUTES`.
        """
        ids = [item["PK"] for item in items]
        marked = ids if all_marked else favorites_between(ids, caller_name(caller), table=self._table)
        return self._values(items, caller, marked, at)

    def _values(
        self, items: Sequence[Item], caller: Caller, favorites: Iterable[str], at: datetime
    ) -> list[PhotoValues]:
        signer = MediaSigner(viewer_of(signed_in(caller)), now=at, keyring=self._keyring)
        return photo_values(
            items,
            caller,
            favorites=frozenset(favorites),
            sizes=self._sizes,
            media_query=signer.query,
            table=self._table,
        )


class ImagePageResponses:
    """Pages of photos that the caller may see: the reader leaves out all others."""

    def __init__(self, images: ImageResponses, *, keyring: Keyring) -> None:
        self._images = images
        self._keyring = keyring

    def page(
        self,
        request: Request,
        caller: Caller,
        read: ReadImages,
        *,
        query: str,
        limit: int,
        cursor: str | None,
        at: datetime,
        all_marked: bool = False,
    ) -> Response:
        """The page after the cursor. `query` names the list with its parameters; `all_marked`: it holds the caller's
        favorites.
        """
        items, after = read_page(read, query=query, caller=caller, limit=limit, cursor=cursor, keyring=self._keyring)
        body: dict[str, Any] = {"images": self._images.page(items, caller, at=at, all_marked=all_marked)}
        body |= {"hasMore": False} if after is None else {"lastEvaluatedKey": after, "hasMore": True}
        return json_response(request, body)


def page_reader(read: Callable[[PhotoPages], ItemPage], *, at: datetime, table: Table) -> ReadImages:
    """Reader of a list of `PhotoPages`, with the attributes that responses show."""
    return lambda limit, after: read(PhotoPages(limit=limit, after=after, only=READ_ATTRIBUTES, at=at, table=table))


# -- Changes of many photos


class BulkStatus(StrEnum):
    TRASHED = "trashed"
    RESTORED = "restored"
    DELETED = "deleted"
    CHANGED = "changed"


class UndoResponse(ResponseModel):
    """The change that undoes this one, in the form of a request; it names only what was really changed."""

    add_tags: list[str] | None = None
    remove_tags: list[str] | None = None
    visibility: Visibility | None = None
    favorite: bool | None = None


class BulkResult(ResponseModel):
    """The result for one photo: a `status`, or an `error` with its `message`. `undo` is there if it was changed."""

    image_id: str
    status: BulkStatus | None = None
    version: int | None = None
    processing_status: ProcessingStatus | None = None
    undo: UndoResponse | None = None
    error: str | None = None
    message: str | None = None


class BulkResults(ResponseModel):
    results: list[BulkResult]


class EmptyTrashResponse(ResponseModel):
    deleted: int


def bulk_results(status: BulkStatus, results: Iterable[tuple[str, Photo | ChangedPhoto | SparksError]]) -> BulkResults:
    return BulkResults(results=[_bulk_result(status, image_id, result) for image_id, result in results])


def _bulk_result(status: BulkStatus, image_id: str, result: Photo | ChangedPhoto | SparksError) -> BulkResult:
    match result:
        case SparksError():
            return BulkResult(**failure(image_id, result))
        case Photo() if status is BulkStatus.DELETED:
            return BulkResult(image_id=result.image_id, status=status)
    photo, undo = (result, None) if isinstance(result, Photo) else (result.after, undo_response(result))
    return BulkResult(
        image_id=photo.image_id,
        status=status,
        version=photo.version,
        processing_status=photo.processing_status,
        undo=undo,
    )


def undo_response(change: ChangedPhoto) -> UndoResponse | None:
    """None where nothing was changed."""
    before, after = change.before, change.after
    undo = UndoResponse(
        add_tags=[tag for tag in before.tags if tag not in after.tags] or None,
        remove_tags=[tag for tag in after.tags if tag not in before.tags] or None,
        visibility=before.visibility if before.visibility is not after.visibility else None,
        favorite=change.was_favorite,
    )
    return None if undo == UndoResponse() else undo


def failure(image_id: str, error: SparksError) -> dict[str, Any]:
    """The fields of a result that is an error."""
    return {"image_id": image_id, "error": error_code(error), "message": str(error)}


# -- Timelines


class MonthCountResponse(ResponseModel):
    """`version` changes with every change of the month."""

    month: str
    count: int
    version: int


class TimelineResponse(ResponseModel):
    """The months that have photos, newest first."""

    months: list[MonthCountResponse]


class MonthResponse(ResponseModel):
    """The photos of a month as columns with one entry for each photo, newest first by the time they were taken."""

    month: str
    version: int | None = Field(None, description="Left out while the month is changing: ask again soon.")
    count: int
    ids: list[str]
    ratios: list[float] = Field(description="Width divided by height; 1 where it is unknown.")
    thumbhashes: list[str] = Field(description="In base64; empty where there is none.")
    times: list[str] = Field(description="When each photo was taken or, where that is unknown, uploaded.")
    offsets: list[str] = Field(description="Time zone of the photographer, as `+02:00`; empty where it is unknown.")
    kinds: list[AssetType]
    durations: list[float] = Field(description="Seconds of a video, or of the video of a live photo; 0 for a still.")
    favorites: list[str] = Field(description="The ids of your favorites.")
    queries: list[str] | None = Field(
        None, description="On request: `/media/{id}/{size}?{query}` is the URL of a rendition."
    )


# -- Tags


class TagResponse(ResponseModel):
    """A tag in lower case, as lists name it, and the number of photos in the scope that have it."""

    tag: str
    count: int


class TagList(PageResponse):
    tags: list[TagResponse]


class TagChangeResponse(ResponseModel):
    """Progress of renaming a tag. `failed` counts photos that other requests kept changing: rename these again."""

    change_id: str
    tag: str
    name: str
    photos: int = Field(description="The number of photos with the tag; an estimate until it is finished.")
    done: int
    failed: int
    finished: bool
    begun_at: Time
    finished_at: Time | None = None


def tag_change_response(rename: TagRename) -> TagChangeResponse:
    return TagChangeResponse(
        change_id=rename.change_id,
        tag=rename.tag,
        name=rename.name,
        photos=rename.photos,
        done=rename.done,
        failed=rename.failed,
        finished=rename.finished_at is not None,
        begun_at=rename.begun_at,
        finished_at=rename.finished_at,
    )
