"""Records of a source in neutral form: users, albums and photos, with the issues of their rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, TypeVar

from sparks.model.face import Box
from sparks.model.migration import ALBUMS, PERSONS, PHOTOS, USERS

TABLES: Final = (USERS, ALBUMS, PHOTOS)  # rows name only rows of earlier tables
ALL_TABLES: Final = (*TABLES, PERSONS)  # of any source

# Columns that no table of PostgreSQL has, in rows that are made of other items.
PHOTOS_LEFT: Final = "#photosLeft"
RENDITIONS: Final = "#renditions"

Row = Mapping[str, Any]
Record = TypeVar("Record", bound="SourceRecord")


@dataclass(frozen=True, slots=True)
class Issue:
    """A value that cannot be taken as it is. `taken` is whether the rest of its row was taken."""

    table: str
    id: str
    field: str
    value: Any
    reason: str
    taken: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    """`extra` holds the columns that have no place in Sparks, as attributes that Sparks keeps without knowing them;
    `empty` are the names of those that are NULL. `max_bytes` is at least the size of the row.
    """

    id: str
    created_at: datetime | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    empty: frozenset[str] = frozenset()
    issues: tuple[Issue, ...] = ()
    max_bytes: int = 0

    @property
    def is_taken(self) -> bool:
        return all(issue.taken for issue in self.issues)

    def extra_over(self, held: Mapping[str, Any]) -> dict[str, Any]:
        """Other attributes of a row that it has already, with those of this record."""
        return {**{name: value for name, value in held.items() if name not in self.empty}, **self.extra}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceUser(SourceRecord):
    """`email` is the address as its account is keyed, or None where the row has none that can be one."""

    email: str | None
    username: str
    photos_left: int | None = None  # that the user may still upload; None where the settings say so


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedRecord(SourceRecord):
    user_id: str


@dataclass(frozen=True, slots=True)
class SourceFace:
    """A face that the source found in a photo."""

    photo_id: str
    face_id: str
    box: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePerson(SourceRecord):
    """`display_name` is None for a person without a name. `canonical_id` is the person that this one became. `faces`
    have a place in their photo; `alone_in` are photos in which the person is, and no other known one.
    """

    display_name: str | None = None
    canonical_id: str | None = None
    faces: tuple[SourceFace, ...] = ()
    alone_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAlbum(OwnedRecord):
    title: str
    description: str | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePhoto(OwnedRecord):
    """`object_key` names the object with its bytes. `columns` are the columns that describe the bytes, which Sparks
    reads from the bytes themselves.
    """

    album_id: str | None
    object_key: str
    original_filename: str | None = None
    title: str | None = None
    description: str | None = None
    alt_text: str | None = None
    tags: tuple[str, ...] = ()
    updated_at: datetime | None = None
    renditions: Mapping[str, str] = field(default_factory=dict)  # keys of files that are made already, by their size
    columns: Mapping[str, Any] = field(default_factory=dict)


def with_issue(record: Record, table: str, field: str, value: Any, reason: str, *, taken: bool) -> Record:
    """The record with one more issue, before its others."""
    return replace(record, issues=(Issue(table, record.id, field, value, reason, taken), *record.issues))
