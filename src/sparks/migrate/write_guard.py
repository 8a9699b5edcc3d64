"""Write guard: while a migration is under way, only one of the two services takes changes by people.

As long as the source takes writes, a change by people of what came from it is refused (`Migrating`); what was made in
Sparks may be changed. From the cutover on, Sparks takes them, and each leaves an entry in the outbox of the mirror, in
the same transaction. Processing goes on in both cases: renditions, faces, counters, covers.

[Note: guarded transactions] Every process holds the state for up to a second. So each guarded transaction also checks
that the state is still the one that it was planned for; where it is not, the state is read and the write is planned
again. Entry and check come behind the caller's changes, so that a failing change is reported at its own position.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, NamedTuple

from sparks.library import entity_types, keys
from sparks.library.migration_state import read_migration_state
from sparks.library.photos.album_membership import is_membership_key
from sparks.library.records import to_item
from sparks.model.errors import Busy, ConditionFailed, Migrating
from sparks.model.ids import new_event_id
from sparks.model.migration import MigrationState, MirroredKind, MirrorOutboxEntry, WriteSide
from sparks.table.port import MAX_CHANGES, Change, Check, Delete, Equals, Item, Key, Put, Set, Table
from sparks.table.wrapper import TableWrapper

SECONDS_HELD: Final = 1.0
TRIES: Final = 5
ENTRIES: Final = MAX_CHANGES - 1  # in a transaction, beside the check

# Attributes that only people change. `albums` is missing: it follows the rows that put a photo into an album.
PHOTO_ATTRIBUTES: Final = frozenset(
    {
        "title",
        "description",
        "altText",
        "tags",
        "originalFilename",
        "visibility",
        "trashedAt",
        "uploadedBy",
        "updatedAt",
    }
)
ALBUM_ATTRIBUTES: Final = frozenset({"title", "description", "deletingAt"})
USER_ATTRIBUTES: Final = frozenset({"username", "removedAt"})
APPROVAL: Final = frozenset({"entityType"})


class ChangedByPeople(NamedTuple):
    """A photo, album or user that people change. `owner` is None where the changes do not name it. `album_id` is the
    album into which, or out of which, a photo is moved. `refusable` is False where the source has nothing of the kind.
    """

    kind: MirroredKind
    id: str
    owner: str | None = None
    album_id: str | None = None
    refusable: bool = True


class GuardedTable(TableWrapper):
    """The table of every process except the migrator.

    It wraps the table that logs changes for the search index: a refused write is then not logged, and the entry for the
    mirror, which must be in the transaction, takes its place before the entry of that log, which may follow.
    """

    def __init__(self, table: Table, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(table)
        self._clock = clock
        self._held: tuple[float, MigrationState | None] | None = None

    def write(self, *changes: Change, token: str | None = None) -> None:
        """Migrating where people change what the source still owns; otherwise as the table below."""
        for _ in range(TRIES):
            state = self._state()
            touched = () if state is None or not state.guards_changes else changed_by_people(changes)
            if state is None or not touched:
                return self._table.write(*changes, token=token)
            try:
                return self._write_guarded(changes, touched, state, token)
            except ConditionFailed as failed:
                if failed.position < len(changes):
                    raise
                self._held = None
        raise Busy("the migration is being switched at this moment: try again later")

    def _state(self) -> MigrationState | None:
        at = self._clock()
        if self._held is None or at - self._held[0] >= SECONDS_HELD:
            self._held = at, read_migration_state(self._table)
        return self._held[1]

    def _write_guarded(
        self,
        changes: Sequence[Change],
        touched: Sequence[ChangedByPeople],
        state: MigrationState,
        token: str | None,
    ) -> None:
        """ConditionFailed behind the caller's changes where the state is another one by now."""
        rows = self._rows_of(touched)
        unchanged = Check(
            keys.MIGRATION_STATE, (Equals("phase", state.phase.value), Equals("writes", state.writes.value))
        )
        if state.writes is not WriteSide.TARGET:
            self._refuse(changes, touched, rows)
            entries: Sequence[MirrorOutboxEntry] = ()
        else:
            entries = _entries(touched, rows)
        if token is None and len(changes) + len(entries) < MAX_CHANGES:
            self._table.write(*changes, *_puts(entries), unchanged)
        else:
            self._write_around(changes, entries, unchanged, token)

    def _write_around(
        self, changes: Sequence[Change], entries: Sequence[MirrorOutboxEntry], unchanged: Check, token: str | None
    ) -> None:
        """The entries before and after the changes: a write with a token must be equal when it is repeated, and a full
        one has no space. The first entries are there if the process is killed behind the changes; the mirror may have
        read those before the changes were written, so it gets others.
        """
        try:
            self._write_entries(entries, unchanged)
        except ConditionFailed as failed:
            raise ConditionFailed(len(changes), failed.found) from failed
        self._table.write(*changes, token=token)
        if entries:
            self._write_entries(_again(entries))

    def _write_entries(self, entries: Iterable[MirrorOutboxEntry], *checks: Check) -> None:
        """In as few transactions as hold them, each with the checks; at least one."""
        puts = _puts(entries)
        self._table.write(*islice(puts, ENTRIES), *checks)
        while some := list(islice(puts, ENTRIES)):
            self._table.write(*some, *checks)

    def _refuse(self, changes: Sequence[Change], touched: Sequence[ChangedByPeople], rows: Mapping[Key, Item]) -> None:
        """What is absent or being deleted passes: its deletion was let through, perhaps since the source deleted it,
        and a job completes it. So does the removal of a closed account.
        """
        if any(map(_continues_removal, changes)):
            return
        for each in touched:
            album = None if each.album_id is None else rows.get(keys.album(each.album_id))
            leaves_deleted_album = each.album_id is not None and (album is None or _is_being_deleted(album))
            row = None if leaves_deleted_album or not each.refusable else _row_of(each, rows)
            if row is not None and "sourceId" in row and not _is_being_deleted(row):
                raise Migrating

    def _rows_of(self, touched: Sequence[ChangedByPeople]) -> dict[Key, Item]:
        """The rows of what is changed, as they are now."""
        known = [_key_of(each) for each in touched if each.kind is not MirroredKind.PHOTO or each.owner is not None]
        albums = [keys.album(each.album_id) for each in touched if each.album_id is not None]
        found = self._table.get_many(list(dict.fromkeys((*known, *albums))))
        for each in touched:
            if each.kind is MirroredKind.PHOTO and each.owner is None:
                for row in self._table.query(keys.photo_rows(each.id), keys.PHOTOS, limit=1).items:
                    found[Key(row["PK"], row["SK"])] = row
        return found


def changed_by_people(changes: Sequence[Change]) -> tuple[ChangedByPeople, ...]:
    """The photos, albums and users whose meaning to the source is changed, each once for each reason."""
    owners = {
        change.key.pk: change.key.sk.removeprefix(keys.PHOTOS.text) for change in changes if _is_photo(change.key)
    }
    found = (_changed(change, owners) for change in changes)
    return tuple(dict.fromkeys(each for each in found if each is not None))


def _changed(change: Change, owners: Mapping[str, str]) -> ChangedByPeople | None:
    pk, sk = change.key
    if _is_photo(change.key):
        return ChangedByPeople(MirroredKind.PHOTO, pk, owners[pk]) if _changes_photo(change) else None
    if is_membership_key(change.key):
        owner, album_id = _owner(change, owners), sk.removeprefix(keys.ALBUMS.text)
        return ChangedByPeople(MirroredKind.PHOTO, pk, owner, album_id) if _touches(change, APPROVAL) else None
    if sk.startswith(keys.COMMENTS.text):
        comments = ChangedByPeople(MirroredKind.PHOTO, pk, _owner(change, owners), refusable=False)
        return comments if isinstance(change, Put | Delete) else None
    if pk.startswith(keys.ALBUMS.text) and change.key == keys.album(pk.removeprefix(keys.ALBUMS.text)):
        album_id = pk.removeprefix(keys.ALBUMS.text)
        album = ChangedByPeople(MirroredKind.ALBUM, album_id, _owner(change, owners))
        return album if _touches(change, ALBUM_ATTRIBUTES) else None
    if _is_user(change.key):
        return ChangedByPeople(MirroredKind.USER, pk) if _touches(change, USER_ATTRIBUTES) else None
    return None


def _changes_photo(change: Change) -> bool:
    """A reservation is no photo yet."""
    match change:
        case Put():
            return change.item.get("entityType") != entity_types.RESERVED.value
        case Set() if change.values.get("entityType") == entity_types.DELETING.value:
            return True
    return _touches(change, PHOTO_ATTRIBUTES)


def _touches(change: Change, attributes: frozenset[str]) -> bool:
    match change:
        case Put() | Delete():
            return True
        case Set():
            return not attributes.isdisjoint((*change.values, *change.remove))
    return False


def _owner(change: Change, owners: Mapping[str, str]) -> str | None:
    owner = change.item.get("owner") if isinstance(change, Put) else None
    return owners.get(change.key.pk, owner)


def _is_photo(key: Key) -> bool:
    return key.sk.startswith(keys.PHOTOS.text)


def _is_user(key: Key) -> bool:
    return key.pk == key.sk and "@" in key.pk


def _continues_removal(change: Change) -> bool:
    """Whether the change is made only while an account is being removed."""
    return _is_user(change.key) and any(isinstance(when, Equals) and when.name == "removedAt" for when in change.when)


def _is_being_deleted(row: Item) -> bool:
    return row.get("entityType") == entity_types.DELETING.value or "deletingAt" in row or "removedAt" in row


def _key_of(each: ChangedByPeople) -> Key:
    match each.kind:
        case MirroredKind.PHOTO:
            return keys.photo(each.id, each.owner or "")
        case MirroredKind.ALBUM:
            return keys.album(each.id)
        case MirroredKind.USER:
            return keys.user(each.id)


def _row_of(each: ChangedByPeople, rows: Mapping[Key, Item]) -> Item | None:
    if each.kind is not MirroredKind.PHOTO or each.owner is not None:
        return rows.get(_key_of(each))
    return next((row for key, row in rows.items() if key.pk == each.id and _is_photo(key)), None)


def _entries(touched: Iterable[ChangedByPeople], rows: Mapping[Key, Item]) -> list[MirrorOutboxEntry]:
    """One for each photo, album and user."""
    entries: dict[tuple[MirroredKind, str], MirrorOutboxEntry] = {}
    for each in touched:
        row = _row_of(each, rows) or {}
        entries[each.kind, each.id] = MirrorOutboxEntry(
            entry_id=new_event_id(),
            kind=each.kind,
            id=each.id,
            owner=each.owner or row.get("owner"),
            source_id=row.get("sourceId"),
        )
    return list(entries.values())


def _again(entries: Iterable[MirrorOutboxEntry]) -> list[MirrorOutboxEntry]:
    return [replace(entry, entry_id=new_event_id()) for entry in entries]


def _puts(entries: Iterable[MirrorOutboxEntry]) -> Iterator[Put]:
    return (Put(to_item(entry)) for entry in entries)
