"""Comparison of rows of the source with what they became in the target, field by field and byte by byte."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sparks.library import entity_types, keys
from sparks.library.records import from_item
from sparks.media.digests import digests_of
from sparks.migrate.apply import Resolved, SourceKey
from sparks.migrate.gallery import SOURCE_COLUMNS
from sparks.migrate.migrated_people import MigratedPeople
from sparks.migrate.records import SourceAlbum, SourcePerson, SourcePhoto, SourceRecord, SourceUser
from sparks.migrate.target import Target
from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.errors import NotFound
from sparks.model.migration import ALBUMS, ISSUE_FIELDS, PERSONS, PHOTOS, USERS
from sparks.model.person import Person
from sparks.model.photo import Photo, PhotoState
from sparks.model.photo_index import ExternalId
from sparks.model.stored import Stored
from sparks.model.times import iso
from sparks.table.port import Key, every

WHOLE_ROW: Final = "row"  # the field of a difference about a row that one side lacks
BYTES: Final = "object"  # .. about the bytes of an object
DIGITS: Final = "0123456789abcdef"
_KINDS: Final[Mapping[str, type[Stored]]] = {USERS: User, ALBUMS: Album, PHOTOS: Photo, PERSONS: Person}


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of a row that is another one in the target. `field` is `row` where one side has no such row."""

    table: str
    id: str
    field: str
    source: Any
    target: Any

    @property
    def key(self) -> SourceKey:
        return self.table, self.id


class Comparison:
    """Compares rows of the source with what they became. A row that was not taken is an issue and no difference."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._people = MigratedPeople(target)

    def differences(self, table: str, resolved: Sequence[Resolved], *, with_bytes: bool) -> list[Difference]:
        """`with_bytes` reads the objects of photos on both sides."""
        known = self._target.known(table, [each.record.id for each in resolved])
        held = self._held(table, known.values())
        found: list[Difference] = []
        for each in resolved:
            found += self._compare(each, known.get(each.record.id), held, with_bytes=with_bytes)
        return found

    def rows_gone(self, table: str, known: Iterable[ExternalId], there: Collection[str]) -> list[Difference]:
        """What is left of rows that the source does not have: `there` are the ids that it has."""
        gone = [row for row in known if row.old_id not in there]
        held = self._held(table, gone)
        shown = {row.old_id: row.target_id for row in gone if row.target_id is None or _key(row) in held}
        return [Difference(table, old_id, WHOLE_ROW, None, target_id or "issue") for old_id, target_id in shown.items()]

    def _held(self, table: str, known: Iterable[ExternalId]) -> dict[Key, Stored]:
        """What these rows became, by key; what is being deleted is left out."""
        found = self._target.table.get_many([_key(row) for row in known if row.target_id is not None])
        held = {key: from_item(_KINDS[table], item) for key, item in found.items()}
        return {key: value for key, value in held.items() if not _is_going(value)}

    def _compare(
        self, each: Resolved, known: ExternalId | None, held: Mapping[Key, Stored], *, with_bytes: bool
    ) -> Iterator[Difference]:
        record, table = each.record, each.table
        if isinstance(record, SourcePerson) and known is not None and known.target_id is not None:
            for name, source, here in self._people.differences(record, known):
                yield Difference(table, record.id, name, source, here)
            return
        target = None if known is None or known.target_id is None else held.get(_key(known))
        if not record.is_taken and (known is None or known.target_id is None):
            if known is None:
                yield Difference(table, record.id, WHOLE_ROW, record.id, None)
            return
        if known is None or target is None:
            yield Difference(table, record.id, WHOLE_ROW, record.id, None)
            return
        if not record.is_taken and table != USERS:
            return  # as it was when it could be taken
        for name, (source, here) in fields_of(each, target).items():
            if source != here:
                yield Difference(table, record.id, name, _shown(source), _shown(here))
        if with_bytes and isinstance(record, SourcePhoto) and isinstance(target, Photo):
            yield from self._compare_bytes(record, target)

    def _compare_bytes(self, record: SourcePhoto, photo: Photo) -> Iterator[Difference]:
        there = self._target.objects.digests(record.object_key)
        here = self._stored_digest(photo)
        source = None if there is None else there.sha256
        if source != here or (source is not None and source != photo.sha256):
            yield Difference(PHOTOS, record.id, BYTES, source, here)

    def _stored_digest(self, photo: Photo) -> str | None:
        if photo.original_key is None:
            return None
        try:
            return digests_of(self._target.blobs.open(photo.original_key)).sha256
        except NotFound:
            return None


def fields_of(each: Resolved, target: Stored) -> dict[str, tuple[Any, Any]]:
    """The columns of a row with their values on both sides."""
    match each.record, target:
        case SourceUser() as user, User() as account:
            return {
                "username": (user.username, account.username),
                "created_at": (user.created_at, account.created_at),
                **_extra(user, account),
            }
        case SourceAlbum() as album, Album() as made:
            return {
                "user_id": (each.owner, made.owner),
                "title": (album.title, made.title),
                "description": (album.description, made.description),
                "created_at": (album.created_at, made.created_at),
                **_extra(album, made),
            }
        case SourcePhoto() as photo, Photo() as taken:
            return _photo_fields(each, photo, taken)
    raise TypeError(f"a {type(each.record).__name__} does not become a {type(target).__name__}")


def _photo_fields(each: Resolved, photo: SourcePhoto, taken: Photo) -> dict[str, tuple[Any, Any]]:
    in_album = each.album_id if each.album_id in taken.albums else None
    columns: Mapping[str, Any] = taken.extra.get(SOURCE_COLUMNS, {})
    return {
        "user_id": (each.owner, taken.owner),
        "album_id": (each.album_id, in_album),
        "s3_key": (photo.object_key, columns.get("s3_key")),
        "original_filename": (photo.original_filename, taken.original_filename),
        "title": (photo.title, taken.title),
        "description": (photo.description, taken.description),
        "alt_text": (photo.alt_text, taken.alt_text),
        "tags": (photo.tags, taken.tags),
        "created_at": (photo.created_at, taken.uploaded_at),
        "updated_at": (photo.updated_at, taken.updated_at),
        **_extra(photo, taken),
    }


def _extra(record: SourceRecord, target: Stored) -> dict[str, tuple[Any, Any]]:
    """Columns that Sparks keeps without knowing them."""
    names = (record.extra.keys() | record.empty) - {SOURCE_COLUMNS}
    return {name: (record.extra.get(name), target.extra.get(name)) for name in sorted(names)}


def known_rows(table: str, target: Target) -> Iterator[ExternalId]:
    """All rows of old ids of this table."""
    lists = [entity_types.external_id(table, digit) for digit in DIGITS]
    for within in (*lists, *map(entity_types.migration_issue, ISSUE_FIELDS)):
        for item in every(target.table, within):
            row = from_item(ExternalId, item)
            if row.system == table:
                yield row


def _key(known: ExternalId) -> Key:
    target_id = known.target_id or ""
    if known.system == USERS:
        return keys.user(target_id)
    if known.system == PERSONS:
        return keys.person(target_id)
    return keys.album(target_id) if known.system == ALBUMS else keys.photo(target_id, known.owner or "")


def _is_going(value: Stored) -> bool:
    match value:
        case Photo():
            return value.state is PhotoState.DELETING
        case Album():
            return value.deleting_at is not None
        case User():
            return value.removed_at is not None
    return False


def _shown(value: Any) -> Any:
    """The value as JSON can show it."""
    if hasattr(value, "tzinfo"):
        return iso(value)
    return list(value) if isinstance(value, tuple) else value
