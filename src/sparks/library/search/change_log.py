"""Change log of the search index, written in the same transaction as each change.

Photos, persons, albums and members change in many places. So the entry is added where all writes meet: in the table. No
change is without its entry, also when a process is killed, and none waits for a job.

An entry outlives the photo that it is about by some days, so it holds the id encrypted. It only says that an entity
changed; the row says how it is now. So entries may be read late, twice and in any order.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sparks.library import entity_types, keys
from sparks.library.encryption import seal, unseal
from sparks.library.face_log import days_between
from sparks.library.records import from_item, to_item
from sparks.library.search.documents import ATTRIBUTES
from sparks.model.errors import BadSignature
from sparks.model.ids import new_event_id
from sparks.model.keyring import Keyring
from sparks.model.system_records import SearchLogEntry
from sparks.model.times import now
from sparks.search.port import NameKind
from sparks.table.port import (
    MAX_CHANGES,
    Change,
    Delete,
    Key,
    Put,
    Set,
    Table,
    every,
)
from sparks.table.wrapper import TableWrapper

PURPOSE: Final = "search log"
KEEP_FOR: Final = timedelta(days=7)
PHOTO: Final = "photo"
# States of a new photo in which it is not searched for
NOT_YET: Final = frozenset({entity_types.RESERVED.value, entity_types.PENDING.value, entity_types.FAILED.value})
NAMES: Final[dict[NameKind, frozenset[str]]] = {
    NameKind.PERSON: frozenset({"displayName", "canonicalPersonId"}),
    NameKind.ALBUM: frozenset({"title"}),
    NameKind.MEMBER: frozenset({"username", "removedAt"}),
}


class ChangedEntity(NamedTuple):
    """A photo, with its owner, or an entity with a name."""

    kind: str
    id: str
    owner: str = ""


class LoggedChange(NamedTuple):
    """`about` is None where it cannot be decrypted, since its secret is gone."""

    note_id: str
    at: datetime
    about: tuple[ChangedEntity, ...] | None


class SearchLoggingTable(TableWrapper):
    """The table, with an entry in the log for each write that the search index has to follow."""

    def __init__(self, table: Table, *, keyring: Keyring) -> None:
        super().__init__(table)
        self._keyring = keyring

    def write(self, *changes: Change, token: str | None = None) -> None:
        """A write with a token, or with as many changes as a transaction allows, is logged right after it: the former
        must be equal when it is repeated, the latter has no space.
        """
        about = entities_changed_by(changes)
        if not about:
            self._table.write(*changes, token=token)
        elif token is None and len(changes) < MAX_CHANGES:
            self._table.write(*changes, self._note(about))
        else:
            self._table.write(*changes, token=token)
            self._table.write(self._note(about))

    def _note(self, about: Collection[ChangedEntity]) -> Change:
        at = now()
        sealed = tuple(seal(PURPOSE, " ".join(each), self._keyring) for each in about)
        return Put(to_item(SearchLogEntry(noted_at=at, note_id=new_event_id(), about=sealed, ttl=at + KEEP_FOR)))


def entries_between_times(
    since: datetime, until: datetime, *, table: Table, keyring: Keyring
) -> Iterator[LoggedChange]:
    """From the oldest to the newest, both ends included."""
    for day in days_between(since, until):
        for item in every(table, keys.search_log(day), keys.since(since)):
            note = from_item(SearchLogEntry, item)
            if note.noted_at > until:
                return
            yield LoggedChange(note.note_id, note.noted_at, _opened(note, keyring))


def entities_changed_by(changes: Sequence[Change]) -> list[ChangedEntity]:
    """The entities that the search index has to read again, each once."""
    found = (_changed(change) for change in changes)
    return list(dict.fromkeys(each for each in found if each is not None))


def _changed(change: Change) -> ChangedEntity | None:
    pk, sk = change.key
    if sk.startswith(keys.PHOTOS.text):
        is_known = not (isinstance(change, Put) and change.item.get("entityType") in NOT_YET)
        owner = sk.removeprefix(keys.PHOTOS.text)
        return ChangedEntity(PHOTO, pk, owner) if is_known and _touches(change, ATTRIBUTES) else None
    named = _named(change.key)
    return ChangedEntity(*named) if named is not None and _touches(change, NAMES[named[0]]) else None


def _named(key: Key) -> tuple[NameKind, str] | None:
    """The entity whose name the row holds."""
    kind, _, each = key.pk.partition("#")
    if kind == "PERSON" and key.sk == each:
        return NameKind.PERSON, each
    if kind == "ALBUM" and key.sk == "METADATA":
        return NameKind.ALBUM, each
    return (NameKind.MEMBER, key.pk) if key.pk == key.sk and "@" in key.pk else None


def _touches(change: Change, attributes: Collection[str]) -> bool:
    match change:
        case Put() | Delete():
            return True
        case Set():
            return any(name in attributes for name in (*change.values, *change.remove))
    return False


def _opened(note: SearchLogEntry, keyring: Keyring) -> tuple[ChangedEntity, ...] | None:
    try:
        return tuple(ChangedEntity(*unseal(PURPOSE, sealed, keyring).split(" ")) for sealed in note.about)
    except BadSignature:
        return None
