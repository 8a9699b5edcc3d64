"""Makes the target agree with rows of the source as they are now, in any order and as often as wanted."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeVar

from sparks.library import entity_types
from sparks.library.accounts.users import users_by_email
from sparks.library.records import from_item, key_of
from sparks.migrate.addresses import Addresses, ambiguous_users
from sparks.migrate.gallery import album_of, person_of, photo_of, user_of
from sparks.migrate.migrated_people import MigratedPeople, parents_first
from sparks.migrate.new_rows import NewRows, album_rows, rows_not_taken
from sparks.migrate.records import (
    ALL_TABLES,
    OwnedRecord,
    Row,
    SourceAlbum,
    SourcePerson,
    SourcePhoto,
    SourceRecord,
    SourceUser,
    with_issue,
)
from sparks.migrate.target import ADDRESS_TAKEN, NO_ALBUM, NO_USER, Target
from sparks.model.account import User
from sparks.model.errors import Busy, ConditionFailed, NotFound
from sparks.model.migration import ALBUMS, PERSONS, PHOTOS, USERS
from sparks.model.photo_index import ExternalId
from sparks.table.port import Delete, every

WORKERS: Final = 16  # most of their time they wait for commits, which they share
TRIES: Final = 5
Owned = TypeVar("Owned", bound=OwnedRecord)
T = TypeVar("T")
SourceKey = tuple[str, str]  # table and id


class Rows(Protocol):
    def rows(self, table: str, ids: Sequence[str]) -> Mapping[str, Row]:
        """The rows with these ids as they are now."""

    def ids_naming(self, table: str, column: str, ids: Sequence[str]) -> list[str]:
        """The ids of rows whose column names one of these."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A record with the owner and the album that it has in the target, and with all its issues."""

    table: str
    record: SourceRecord
    owner: str | None = None
    album_id: str | None = None
    has_account: bool = False  # a user whose address has an account already


class Resolver:
    """Finds the owners and albums of rows, and the issues that follow from them.

    `ambiguous` are the ids of users whose addresses differ only by the case of letters.
    """

    def __init__(self, target: Target, addresses: Addresses, *, ambiguous: Collection[str] = ()) -> None:
        self._target = target
        self._addresses = addresses
        self._ambiguous = ambiguous

    def resolve(self, table: str, rows: Sequence[Row]) -> list[Resolved]:
        if table == USERS:
            return self._users(rows)
        if table == ALBUMS:
            return self._albums([album_of(row) for row in rows])
        if table == PERSONS:
            return [Resolved(PERSONS, person_of(row)) for row in rows]
        return self._photos([photo_of(row) for row in rows])

    def _users(self, rows: Sequence[Row]) -> list[Resolved]:
        given = self._addresses.of([row["id"] for row in rows])
        users = [user_of(row, address=given.get(row["id"])) for row in rows]
        accounts = users_by_email([each.email for each in users if each.email is not None], table=self._target.table)
        return [self._user(user, accounts.get(user.email or "")) for user in users]

    def _user(self, user: SourceUser, account: User | None) -> Resolved:
        is_taken = account is not None and account.source_id not in (None, user.id)
        if user.email is not None and (is_taken or user.id in self._ambiguous):
            user = with_issue(user, USERS, "email", user.email, ADDRESS_TAKEN, taken=False)
        return Resolved(USERS, user, user.email, has_account=account is not None)

    def _albums(self, albums: Sequence[SourceAlbum]) -> list[Resolved]:
        owners = self._target.target_ids(USERS, {album.user_id for album in albums})
        return [Resolved(ALBUMS, _owned(ALBUMS, each, owners), owners.get(each.user_id)) for each in albums]

    def _photos(self, photos: Sequence[SourcePhoto]) -> list[Resolved]:
        owners = self._target.target_ids(USERS, {photo.user_id for photo in photos})
        albums = self._target.target_ids(ALBUMS, {photo.album_id for photo in photos if photo.album_id is not None})
        return [_photo(photo, owners, albums) for photo in photos]


def _photo(photo: SourcePhoto, owners: Mapping[str, str], albums: Mapping[str, str]) -> Resolved:
    album_id = None if photo.album_id is None else albums.get(photo.album_id)
    if photo.album_id is not None and album_id is None:
        photo = with_issue(photo, PHOTOS, "album_id", photo.album_id, NO_ALBUM, taken=True)
    return Resolved(PHOTOS, _owned(PHOTOS, photo, owners), owners.get(photo.user_id), album_id)


def _owned(table: str, record: Owned, owners: Mapping[str, str]) -> Owned:
    if record.user_id in owners:
        return record
    return with_issue(record, table, "user_id", record.user_id, NO_USER, taken=False)


def rows_to_put(each: Resolved, target: Target, known: ExternalId | None = None) -> NewRows:
    """The rows of a record that is not in the target yet. `known` is the row that says that it was not taken."""
    match each.record:
        case record if not record.is_taken or each.owner is None:
            return rows_not_taken(each.table, record)
        case SourceUser() as user:
            return target.new_user(user, each.owner, known)
        case SourceAlbum() as album:
            return album_rows(album, each.owner, known)
        case SourcePhoto() as photo:
            return target.new_photo(photo, each.owner, each.album_id, known)
    raise TypeError(f"no row of the source is a {type(each.record).__name__}")


class Applier:
    """Applies rows of the source to the target. It runs on several threads; rows of users and albums come first."""

    def __init__(self, source: Rows, target: Target, addresses: Addresses) -> None:
        self._source = source
        self._target = target
        self._people = MigratedPeople(target)
        self._addresses = addresses

    def apply(self, changed: Iterable[SourceKey]) -> None:
        """Makes these rows in the target as they are in the source now: put, changed or removed. Rows that waited for
        one of them are applied, too.
        """
        ids = _by_table(changed)
        if ids[USERS]:
            ids[USERS] |= self._with_issue(USERS, "email")  # one of them may be free to take now
        gone: dict[str, list[ExternalId]] = {}
        for table in ALL_TABLES:
            taken, gone[table] = self._apply_table(table, ids[table])
            for waiting, field in _WAITING.get(table, ()):
                ids[waiting] |= self._with_issue(waiting, field, values=taken)
            if table == PHOTOS and taken:
                ids[PERSONS] |= self._with_issue(PERSONS, "photo_id")
        for table in reversed(ALL_TABLES):
            remove = self._people.remove if table == PERSONS else partial(self._target.remove, table)
            self._each(remove, gone[table])
        left = self._left_by({table: [row.old_id for row in rows] for table, rows in gone.items()})
        if left:
            self.apply(left)

    def _left_by(self, gone: Mapping[str, list[str]]) -> set[SourceKey]:
        """Rows that still name rows that are gone, where the source has no foreign keys; and users whose address may be
        free now.
        """
        left = {
            (table, row_id)
            for parent, named in _WAITING.items()
            for table, column in named
            if gone[parent]
            for row_id in self._source.ids_naming(table, column, gone[parent])
        }
        albums = [row_id for table, row_id in left if table == ALBUMS]  # they are not taken any more
        left |= {(PHOTOS, row_id) for row_id in (self._source.ids_naming(PHOTOS, "album_id", albums) if albums else ())}
        return left | ({(USERS, row_id) for row_id in self._with_issue(USERS, "email")} if gone[USERS] else set())

    def _apply_table(self, table: str, ids: Collection[str]) -> tuple[set[str], list[ExternalId]]:
        """The rows that were taken now and were not before, and those that are gone from the source."""
        if not ids:
            return set(), []
        rows = self._source.rows(table, sorted(ids))
        known = self._target.known(table, ids)
        resolved = self.resolver(table, rows.values()).resolve(table, list(rows.values()))
        if table == PERSONS:  # one after the other: they lead to each other
            for person in parents_first(each.record for each in resolved if isinstance(each.record, SourcePerson)):
                self.apply_one(Resolved(PERSONS, person), known.get(person.id))
        else:
            self._each(lambda each: self.apply_one(each, known.get(each.record.id)), resolved)
        taken = {each.record.id for each in resolved if each.record.is_taken}
        before = {old_id for old_id, row in known.items() if row.target_id is not None}
        return taken - before, [row for old_id, row in known.items() if old_id not in rows]

    def resolver(self, table: str, rows: Collection[Row]) -> Resolver:
        """The resolver for these rows. Users share addresses with each other, and with users that were not taken."""
        if table != USERS:
            return Resolver(self._target, self._addresses)
        waiting = self._source.rows(USERS, sorted(self._with_issue(USERS, "email")))
        users = {row["id"]: row for row in (*waiting.values(), *rows)}
        ambiguous = ambiguous_users(users.values, self._addresses.of)
        return Resolver(self._target, self._addresses, ambiguous=ambiguous)

    def apply_one(self, each: Resolved, known: ExternalId | None) -> None:
        """Makes one row of the target agree with its record. It is tried again where another process was faster."""
        for _ in range(TRIES):
            try:
                return self._apply_one(each, known)
            except ConditionFailed:
                known = self._target.known(each.table, [each.record.id]).get(each.record.id)
            except NotFound:
                known = self._forget(each, known)
        raise Busy(f"{each.table} {each.record.id} is being changed by other processes: try again later")

    def _forget(self, each: Resolved, known: ExternalId | None) -> ExternalId | None:
        """The account or album of this row is gone from the target: it is made again."""
        if known is None or each.table == PHOTOS:
            return known
        self._target.table.write(Delete(key_of(known)))
        return None

    def _apply_one(self, each: Resolved, known: ExternalId | None) -> None:
        if isinstance(each.record, SourcePerson):
            self._people.apply(each.record, known)
        elif known is not None and (known.target_id is not None or not each.record.is_taken):
            self._change(each, known)
        elif each.has_account and each.record.is_taken and isinstance(each.record, SourceUser):
            self._target.adopt_user(each.record, each.owner or "", known)
        else:
            self._target.put([rows_to_put(each, self._target, known)])

    def _change(self, each: Resolved, known: ExternalId) -> None:
        """A row that cannot be taken any more stays as it was taken, with its issues."""
        if known.target_id is not None and isinstance(each.record, SourceUser):
            self._target.change_user(known, each.record)
        elif not each.record.is_taken or each.owner is None:
            self._target.note_issues(known, each.record)
        elif isinstance(each.record, SourceAlbum):
            self._target.change_album(known, each.record, each.owner)
        elif isinstance(each.record, SourcePhoto):
            self._target.change_photo(known, each.record, each.owner, each.album_id)

    def _with_issue(self, table: str, field: str, values: Collection[str] | None = None) -> set[str]:
        """The ids of rows whose first issue is about this field, and about one of these values."""
        found = every(self._target.table, entity_types.migration_issue(field))
        rows = (row for row in (from_item(ExternalId, item) for item in found) if row.system == table)
        return {row.old_id for row in rows if values is None or row.issues[0].get("value") in values}

    def _each(self, run: Callable[[T], None], items: Sequence[T]) -> None:
        with ThreadPoolExecutor(WORKERS) as pool:
            for _ in pool.map(run, items):
                pass


# Tables whose rows wait for rows of another one, with the field that names those.
_WAITING: Final[Mapping[str, Sequence[tuple[str, str]]]] = {
    USERS: ((ALBUMS, "user_id"), (PHOTOS, "user_id")),
    ALBUMS: ((PHOTOS, "album_id"),),
}


def _by_table(changed: Iterable[SourceKey]) -> dict[str, set[str]]:
    ids: dict[str, set[str]] = {table: set() for table in ALL_TABLES}
    for table, row_id in changed:
        ids[table].add(row_id)
    return ids
