"""Photo or video: its state, visibility, metadata and renditions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from sparks.model.errors import BadInput
from sparks.model.face import Box
from sparks.model.ids import time_of
from sparks.model.stored import Stored
from sparks.model.times import month_of

ORIGINAL: Final = "ORIGINAL"  # the first of `sizes`
VIDEO: Final = "video"  # the rendition that any browser plays, where the original does not
MOTION: Final = "motion"  # the rendition of the video in a live photo
BACKSTOP: Final = timedelta(days=30)  # how long after its end the table itself may drop a row


class PhotoState(StrEnum):
    """RESERVED -> PENDING -> READY or FAILED; then perhaps TRASHED; DELETING at the end.

    The values are the row's `entityType`, with two exceptions: a READY photo that is private is an `IMAGE_PRIVATE`, and
    a TRASHED one an `IMAGE_TRASHED#{owner}`.
    """

    RESERVED = "IMAGE_RESERVED"  # its bytes are on their way
    PENDING = "IMAGE_PENDING"  # its bytes are durable, its renditions are not made yet
    READY = "IMAGE"
    FAILED = "IMAGE_FAILED"  # the owner sees the reason; only a retry continues
    TRASHED = "IMAGE_TRASHED"
    DELETING = "IMAGE_DELETING"


HIDDEN: Final = frozenset({PhotoState.RESERVED, PhotoState.TRASHED, PhotoState.DELETING})


class Visibility(StrEnum):
    COMMUNITY = "community"
    PRIVATE = "private"


class AssetType(StrEnum):
    IMAGE = "IMAGE"
    VIDEO = "VIDEO"


class ProcessingStatus(StrEnum):
    """The progress of the renditions, independent of FaceStatus."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"


class FaceStatus(StrEnum):
    """The progress of face detection, independent of ProcessingStatus."""

    RAW = "RAW"
    INDEXED = "INDEXED"
    FAILED = "FAILED"


class Rendition(StrEnum):
    """The renditions of every original. Settings may add others by name."""

    LARGE = "large"
    MEDIUM = "medium"
    THUMB = "thumb"


RENDITION_NAME: Final = re.compile(r"[a-z][a-z0-9]{0,19}", re.ASCII)


def size_name(rendition: str) -> str:
    """The name of a rendition in `sizes`: in capitals, as ORIGINAL."""
    return rendition.upper()


@dataclass(frozen=True, slots=True)
class Renditions:
    """The blob key of each rendition by its name, and when they were made."""

    keys: Mapping[str, str] = field(default_factory=dict, hash=False)
    processed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exif(Stored):
    """The metadata that the camera wrote. `extra` holds all other values that were found.

    `taken_from` names the source of the photo's time, unless people set it: `exif`, `gps`, .. or `file` where the photo
    itself has none.
    """

    camera: str | None = None
    make: str | None = None
    model: str | None = None
    lens: str | None = None
    iso: int | None = None
    shutter_speed: str | None = None
    f_number: float | None = None
    focal_length: float | None = None  # millimeters
    focal_length_35mm: int | None = None
    exposure_bias: float | None = None
    flash: bool | None = None  # whether it fired
    orientation: int | None = None  # of the stored pixels, as EXIF counts
    rating: int | None = None  # 1 to 5
    taken_from: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Location(Stored):
    """The place where it was taken, in degrees and meters."""

    latitude: float
    longitude: float
    altitude: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedMetadata:
    """Metadata that a file holds about itself; None or empty where it holds none."""

    title: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] = ()
    taken_at: datetime | None = None
    taken_offset: str | None = None
    exif: Exif | None = None
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Photo(Stored):
    """`persons`, `tags` and `albums` are a cache of the rows that say so: always rewritten whole from them.

    `version` rises with changes by people, never by the pipeline. The photo counts as deleted from `expires_at` on;
    from `ttl` on the table itself may drop the row, as a backstop.
    """

    image_id: str
    owner: str
    state: PhotoState
    visibility: Visibility = Visibility.COMMUNITY
    asset_type: AssetType = AssetType.IMAGE
    version: int = 1

    original_key: str | None = None
    original_filename: str | None = None
    mime_type: str | None = None
    file_size: int | None = None
    sha256: str | None = None
    sha1: str | None = None
    width: int | None = None
    height: int | None = None
    aspect_ratio: float | None = None
    duration: float | None = None  # seconds of a video, or of the video in a live photo

    title: str | None = None
    description: str | None = None
    alt_text: str | None = None
    persons: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    albums: tuple[str, ...] = ()
    albums_version: int = 0  # rises with every change of the rows that put it into albums

    taken_at: datetime | None = None
    taken_offset: str | None = None
    file_time: datetime | None = None  # when the uploader's file was last modified
    exif: Exif | None = None
    location: Location | None = None

    processing_status: ProcessingStatus = ProcessingStatus.PENDING
    processing_error: str | None = None
    renditions: Renditions | None = None
    rendition_format: str | None = None
    rendition_quality: int | None = None
    processed_size: int | None = None  # bytes of the renditions
    sizes: tuple[str, ...] = ()  # those that have been written, ORIGINAL first
    thumbhash: bytes | None = None

    face_status: FaceStatus = FaceStatus.RAW
    face_error: str | None = None  # the reason why face detection failed
    face_engine: str | None = None
    face_count: int = 0
    faces_version: int = 0  # rises with every change of a face, or of a decision about one
    forgotten_boxes: tuple[Box, ...] = ()  # of erased faces, where none is detected again

    upload_id: str | None = None  # of an unfinished multipart upload
    kept_until: datetime | None = None  # when it expires once it is complete
    guest_id: str | None = None
    uploader_tag: str | None = None  # the name that a guest gave
    source_id: str | None = None  # in the service from which it was migrated

    created_at: datetime | None = None
    uploaded_at: datetime | None = None
    last_modified: datetime | None = None
    updated_at: datetime | None = None
    trashed_at: datetime | None = None
    expires_at: datetime | None = None
    ttl: datetime | None = None

    @property
    def uploaded_by(self) -> str | None:
        """The user in whose list of uploads it is: None while it is reserved, trashed or being deleted."""
        return None if self.state in HIDDEN else self.owner

    @property
    def is_live(self) -> bool:
        """Whether it is a live photo: a still with a video in the same file."""
        return self.asset_type is AssetType.IMAGE and self.duration is not None

    @property
    def is_own_film(self) -> bool:
        """Whether it is a video whose original is played, since no rendition was made."""
        has_rendition = self.renditions is not None and VIDEO in self.renditions.keys
        is_shown = self.asset_type is AssetType.VIDEO and self.processing_status is ProcessingStatus.COMPLETED
        return is_shown and self.original_key is not None and not has_rendition

    @property
    def lacks_motion(self) -> bool:
        """Whether the video of a live photo still has to be made into one that browsers play."""
        return self.is_live and (self.renditions is None or MOTION not in self.renditions.keys)

    @property
    def month(self) -> str | None:
        """`yyyy-mm` by the photographer's clock, or of the upload where that time is unknown; None before both."""
        time = self.time
        return None if time is None else month_of(time, self.taken_offset if self.taken_at is not None else None)

    @property
    def time(self) -> datetime | None:
        """When it was taken or, where that is unknown, uploaded. The id of a migrated photo holds a time, too."""
        known = self.taken_at or self.uploaded_at
        if known is not None or self.state is PhotoState.RESERVED:
            return known
        try:
            return time_of(self.image_id)
        except BadInput:
            return None
