"""Processing state of a photo: begun, finished with its renditions, failed or retried.

Each change sets `lastModified`, which shows photos that are stuck, and never the `version`. Each raises NotFound where
the photo is deleted or being deleted: the step then removes what it made. A photo in the trash stays there, however far
its processing comes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from sparks.library.photos.photo_rows import update_photo
from sparks.model.errors import Conflict
from sparks.model.photo import (
    ORIGINAL,
    EmbeddedMetadata,
    Exif,
    Photo,
    PhotoState,
    ProcessingStatus,
    Renditions,
    size_name,
)
from sparks.model.text_validation import usable_tags
from sparks.table.port import Table

MAX_REASON: Final = 1000  # characters

_DONE: Final = frozenset({ProcessingStatus.COMPLETED, ProcessingStatus.FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessingResult:
    """The result for an original: `renditions` are the keys of those that were written now, by name, and
    `processed_size` the bytes of all renditions. `width` and `height` are the original's, upright.
    """

    renditions: Mapping[str, str]
    processed_size: int
    width: int
    height: int
    thumbhash: bytes
    duration: float | None = None
    format: str = "webp"
    quality: int | None = None
    metadata: EmbeddedMetadata = field(default_factory=EmbeddedMetadata)


def begin_processing(photo: Photo, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now. A finished or failed one stays so: only a retry begins again."""

    def plan(photo: Photo) -> Photo:
        _check_arrived(photo)
        if photo.state is PhotoState.READY or photo.processing_status in _DONE:
            return photo
        return replace(photo, processing_status=ProcessingStatus.PROCESSING, last_modified=at)

    return update_photo(photo, plan, table=table)


def finish_processing(photo: Photo, made: ProcessingResult, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now: READY unless it is in the trash. A repeat adds the renditions that were made since.

    Values that people set stay; the file's metadata fills the gaps, once.
    """

    def plan(photo: Photo) -> Photo:
        _check_arrived(photo)
        first = photo.processing_status is not ProcessingStatus.COMPLETED
        return replace(
            photo,
            **(_from_file(photo, made.metadata) if first else {}),
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

    return update_photo(photo, plan, table=table)


def add_rendition(photo: Photo, name: str, key: str, size: int, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now, with one more rendition of `size` bytes. A repeat changes nothing."""

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

    return update_photo(photo, plan, table=table)


def drop_motion(photo: Photo, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now: a still, unless its video was made meanwhile."""

    def plan(photo: Photo) -> Photo:
        return replace(photo, duration=None, last_modified=at) if photo.lacks_motion else photo

    return update_photo(photo, plan, table=table)


def fail_processing(photo: Photo, reason: str, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now: FAILED unless it is in the trash. One that was finished meanwhile stays as it is."""

    def plan(photo: Photo) -> Photo:
        _check_arrived(photo)
        if photo.processing_status is ProcessingStatus.COMPLETED:
            return photo
        return replace(
            photo,
            state=photo.state if photo.state is PhotoState.TRASHED else PhotoState.FAILED,
            processing_status=ProcessingStatus.FAILED,
            processing_error=reason[:MAX_REASON],
            last_modified=at,
        )

    return update_photo(photo, plan, table=table)


def retry_processing(photo: Photo, *, at: datetime, table: Table) -> Photo:
    """The photo as it is now: PENDING, to be sent to be processed again. Conflict unless it has failed, or is pending
    already.
    """

    def plan(photo: Photo) -> Photo:
        if photo.state is PhotoState.PENDING:
            return photo
        if photo.state is not PhotoState.FAILED:
            raise Conflict("only a failed photo can be retried")
        return replace(
            photo,
            state=PhotoState.PENDING,
            processing_status=ProcessingStatus.PENDING,
            processing_error=None,
            last_modified=at,
        )

    return update_photo(photo, plan, table=table)


def _check_arrived(photo: Photo) -> None:
    if photo.state is PhotoState.RESERVED:
        raise Conflict("this photo has not been uploaded completely, so it cannot be processed")


def _keys(photo: Photo) -> Mapping[str, str]:
    return {} if photo.renditions is None else photo.renditions.keys


def _sizes(photo: Photo, made: ProcessingResult) -> tuple[str, ...]:
    """The original, the former sizes and the new ones, each once."""
    return tuple(dict.fromkeys((ORIGINAL, *photo.sizes, *map(size_name, made.renditions))))


def _from_file(photo: Photo, metadata: EmbeddedMetadata) -> dict[str, Any]:
    """The values that people have not set. A time and its offset belong together. A migrated photo keeps the texts that
    it had in the other service, also where it had none.
    """
    filled: dict[str, Any] = {
        "exif": photo.exif or _exif(photo, metadata),
        "location": photo.location or metadata.location,
    }
    if photo.source_id is None:
        filled |= {
            "title": photo.title or metadata.title,
            "description": photo.description or metadata.description,
            "tags": photo.tags or usable_tags(metadata.keywords),
        }
    if photo.taken_at is None:
        filled |= {"taken_at": metadata.taken_at, "taken_offset": metadata.taken_offset}
    return filled


def _exif(photo: Photo, metadata: EmbeddedMetadata) -> Exif | None:
    """A time that people set does not come from the file."""
    if metadata.exif is None or photo.taken_at is None:
        return metadata.exif
    return replace(metadata.exif, taken_from=None)
