"""Migration from another service: its state, and the changes that are written back to that service.

The service that Sparks replaces is the source; Sparks itself is the target.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from zlib import crc32

from sparks.model.stored import Stored

USERS: Final = "users"
ALBUMS: Final = "gallery_albums"
PHOTOS: Final = "gallery_images"
PERSONS: Final = "persons"
OUTBOX_SHARDS: Final = 8

# Columns that an issue may be about; `row` is the row as a whole, and `other` any column that is not listed.
OTHER_FIELD: Final = "other"
ISSUE_FIELDS: Final = (
    "row",
    "id",
    "email",
    "username",
    "user_id",
    "album_id",
    "photo_id",
    "s3_key",
    "thumbnail_key",
    "original_filename",
    "mime_type",
    "file_size",
    "width",
    "height",
    "title",
    "description",
    "alt_text",
    "tags",
    "created_at",
    "updated_at",
    OTHER_FIELD,
)


class MigrationPhase(StrEnum):
    """A rollback leads from CUTOVER back to BACKFILLED."""

    NONE = "none"
    CAPTURED = "captured"
    BACKFILLED = "backfilled"
    CUTOVER = "cutover"
    FINISHED = "finished"


class WriteSide(StrEnum):
    """The side that takes people's changes of what came from the source."""

    SOURCE = "source"
    TARGET = "target"
    NEITHER = "nobody"


class MirroredKind(StrEnum):
    PHOTO = "photo"
    ALBUM = "album"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification(Stored):
    """The result of the last comparison of both sides. `differences` holds the first ones: table, id, field, source,
    target.
    """

    checked: int = 0
    missing: int = 0
    extra_rows: int = 0
    different: int = 0
    at: datetime | None = None
    differences: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationState(Stored):
    """`checkpoints` are the last ids that were copied, by table. `counts` and `totals` are rows that were copied and
    rows of the source, for `users`, `albums` and `photos`. `reported_at` is when `lag_changes` and `lag_seconds` were
    so. `options` is what else a source of DynamoDB's tables needs: `layout`, `owner` and the file `staging`.
    """

    phase: MigrationPhase = MigrationPhase.NONE
    writes: WriteSide = WriteSide.SOURCE
    source: str | None = None
    objects: str | None = None
    visibility: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    checkpoints: Mapping[str, str] = field(default_factory=dict, hash=False)
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    totals: Mapping[str, int] = field(default_factory=dict, hash=False)
    lag_changes: int | None = None
    lag_seconds: float | None = None
    reported_at: datetime | None = None
    verification: Verification | None = None

    @property
    def is_under_way(self) -> bool:
        return self.phase not in (MigrationPhase.NONE, MigrationPhase.FINISHED)

    @property
    def has_way_back(self) -> bool:
        """Whether changes by people are written back to the source after the cutover."""
        return not (self.source or "").startswith("dynamodb:")

    @property
    def guards_changes(self) -> bool:
        """Whether changes by people are refused, or are to be written back."""
        return self.is_under_way and (self.has_way_back or self.writes is not WriteSide.TARGET)


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorOutboxEntry(Stored):
    """A photo, album or user that people changed, which the mirror has to write to the source.

    `id` is an image id, an album id or an e-mail address. `owner` is that of the photo or the album. `source_id` is the
    id in the source, where it came from there: the row itself may be deleted by now.
    """

    entry_id: str
    kind: MirroredKind
    id: str
    owner: str | None = None
    source_id: str | None = None

    @property
    def shard(self) -> int:
        return crc32(self.entry_id.encode()) % OUTBOX_SHARDS
