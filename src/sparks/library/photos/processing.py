"""What the pipeline writes: that it has begun with a photo, what it made, or why it could not. Never the `version`,
always `lastModified`, so that one sees what has not moved for long.

Each raises NotFound where the photo is gone or being deleted: the step then removes what it made. A photo in the trash
stays there, however far the pipeline comes with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from sparks.library.photos.words import usable_tags
from sparks.library.photos.writing import change_photo
from sparks.model.errors import Conflict
from sparks.model.photo import (
    ORIGINAL,
    Exif,
    Location,
    Photo,
    PhotoState,
    ProcessingStatus,
    Renditions,
    size_name,
)
from sparks.table.port import Table

MOST_REASON: Final = 1000  # characters

_DONE: Final = frozenset({ProcessingStatus.COMPLETED, ProcessingStatus.FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a file tells about itself; absent when absent."""

    title: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] = ()
    taken_at: datetime | None = None
    taken_offset: str | None = None
    exif: Exif | None = None
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What was made of an original: `renditions` are the keys of what was written just now, by its name, and
    `processed_size` the bytes of all renditions that there are. `width` and `height` are the original's, upright.
    """

    renditions: Mapping[str, str]
    processed_size: int
    width: int
    height: int
    thumbhash: bytes
    duration: float | None = None
    format: str = "webp"
    quality: int | None = None
    told: Told = field(default_factory=Told)


def begin_processing(photo: Photo, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now. What is finished or has failed stays so: only a retry begins with it again."""

    def plan(photo: Photo) -> Photo:
        _check_arrived(photo)
        if photo.state is PhotoState.READY or photo.processing_status in _DONE:
            return photo
        return replace(photo, processing_status=ProcessingStatus.PROCESSING, last_modified=at)

    return change_photo(photo, plan, table=table)


def finish_processing(photo: Photo, made: Made, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now: READY unless it is in the trash. A repeat adds what was made since.

    What people said about it stays; what the file tells fills the gaps, once.
    """

    def plan(photo: Photo) -> Photo:
        _check_arrived(photo)
        first = photo.processing_status is not ProcessingStatus.COMPLETED
        return replace(
            photo,
            **(_from_file(photo, made.told) if first else {}),
            state=photo.state if photo.state is PhotoState.TRASHED else PhotoState.READY,
            processing_status=ProcessingStatus.COMPLETED,
            processing_error=None,
            renditions=Renditions({**_keys(photo), **made.renditions}, at),
            sizes=_sizes(photo, made),
            processed_size=made.processed_size,
            rendition_format=made.format,
            rendition_quality=made.quality,
            width=made.width,
            height=made.height,
            aspect_ratio=made.width / made.height,
            thumbhash=made.thumbhash,
            duration=made.duration,
            last_modified=at,
        )

    return change_photo(photo, plan, table=table)


def add_rendition(photo: Photo, name: str, key: str, size: int, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now, with one more rendition, of `size` bytes. A repeat changes nothing."""

    def plan(photo: Photo) -> Photo:
        _check_arrived(photo)
        if name in _keys(photo):
            return photo
        return replace(
            photo,
            renditions=Renditions({**_keys(photo), name: key}, at),
            sizes=tuple(dict.fromkeys((ORIGINAL, *photo.sizes, size_name(name)))),
            processed_size=(photo.processed_size or 0) + size,
            last_modified=at,
        )

    return change_photo(photo, plan, table=table)


def drop_motion(photo: Photo, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now: a still, unless a film was made of what is behind it meanwhile."""

    def plan(photo: Photo) -> Photo:
        return replace(photo, duration=None, last_modified=at) if photo.lacks_motion else photo

    return change_photo(photo, plan, table=table)


def fail_processing(photo: Photo, reason: str, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now: FAILED unless it is in the trash. One that was finished meanwhile stays as it is."""

    def plan(photo: Photo) -> Photo:
        _check_arrived(photo)
        if photo.state is PhotoState.READY or photo.processing_status is ProcessingStatus.COMPLETED:
            return photo
        return replace(
            photo,
            state=photo.state if photo.state is PhotoState.TRASHED else PhotoState.FAILED,
            processing_status=ProcessingStatus.FAILED,
            processing_error=reason[:MOST_REASON],
            last_modified=at,
        )

    return change_photo(photo, plan, table=table)


def retry_processing(photo: Photo, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now: PENDING, and to be sent on its way again. Conflict unless it has failed, or waits
    already.
    """

    def plan(photo: Photo) -> Photo:
        if photo.state is PhotoState.PENDING:
            return photo
        if photo.state is not PhotoState.FAILED:
            raise Conflict("only a photo that has failed is tried again")
        return replace(
            photo,
            state=PhotoState.PENDING,
            processing_status=ProcessingStatus.PENDING,
            processing_error=None,
            last_modified=at,
        )

    return change_photo(photo, plan, table=table)


def _check_arrived(photo: Photo) -> None:
    if photo.state is PhotoState.RESERVED:
        raise Conflict("the bytes of this photo have not arrived, so nothing can be made of them")


def _keys(photo: Photo) -> Mapping[str, str]:
    return {} if photo.renditions is None else photo.renditions.keys


def _sizes(photo: Photo, made: Made) -> tuple[str, ...]:
    """The original, what was there, what was made: each once."""
    return tuple(dict.fromkeys((ORIGINAL, *photo.sizes, *map(size_name, made.renditions))))


def _from_file(photo: Photo, told: Told) -> dict[str, Any]:
    """What nobody has said about the photo. A time and its offset belong together."""
    filled: dict[str, Any] = {
        "title": photo.title or told.title,
        "description": photo.description or told.description,
        "tags": photo.tags or usable_tags(told.keywords),
        "exif": photo.exif or _exif(photo, told),
        "location": photo.location or told.location,
    }
    if photo.taken_at is None:
        filled |= {"taken_at": told.taken_at, "taken_offset": told.taken_offset}
    return filled


def _exif(photo: Photo, told: Told) -> Exif | None:
    """Where a time comes from that somebody has said, the file does not know."""
    if told.exif is None or photo.taken_at is None:
        return told.exif
    return replace(told.exif, taken_from=None)
