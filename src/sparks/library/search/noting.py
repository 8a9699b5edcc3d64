"""The log of what search has to hear of: every write to the table that changes it carries an entry, by itself.

[Note: in the write] Photos, persons, albums and members are changed in many places, and more will come. What tells of a
change is therefore put into its own transaction where all of them meet: the table. So no change is without its entry,
whatever is killed when, and none waits for a job.

[Note: sealed] An entry outlives the photo that it is about by some days, and nothing that does may tell its id. It says
only that something has changed; the row says how it is now. So entries may be heard late, twice and in any order.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sparks.library import entity_types, keys
from sparks.library.face_log import days_between
from sparks.library.records import from_item, to_item
from sparks.library.sealing import seal, unseal
from sparks.library.search.documents import ATTRIBUTES
from sparks.model.errors import BadSignature
from sparks.model.ids import new_event_id
from sparks.model.keyring import Keyring
from sparks.model.ledger import SearchNote
from sparks.model.times import now
from sparks.search.port import NameKind
from sparks.table.forwarded import ForwardedTable
from sparks.table.port import (
    MOST_CHANGES,
    Change,
    Delete,
    Key,
    Put,
    Set,
    Table,
    every,
)

PURPOSE: Final = "search log"
KEPT: Final = timedelta(days=7)
PHOTO: Final = "photo"
NOT_YET: Final = frozenset({entity_types.RESERVED.value, entity_types.PENDING.value})
NAMES: Final[dict[NameKind, frozenset[str]]] = {
    NameKind.PERSON: frozenset({"displayName", "canonicalPersonId"}),
    NameKind.ALBUM: frozenset({"title"}),
    NameKind.MEMBER: frozenset({"username", "removedAt"}),
}


class Changed(NamedTuple):
    """A photo, with its owner, or somebody or something that has a name."""

    kind: str
    id: str
    owner: str = ""


class Heard(NamedTuple):
    """`about` is None where nobody can tell any more: the secret that it was sealed with is gone."""

    note_id: str
    at: datetime
    about: tuple[Changed, ...] | None


class NotedTable(ForwardedTable):
    """The table, with an entry in the log beside whatever search has to hear of."""

    def __init__(self, table: Table, *, keyring: Keyring) -> None:
        super().__init__(table)
        self._keyring = keyring

    def write(self, *changes: Change, token: str | None = None) -> None:
        """[Note: behind] What has a token, or as many changes as a transaction takes, is noted right after: the one
        must be the same when it is repeated, the other has no room.
        """
        about = changed_by(changes)
        if not about:
            self._table.write(*changes, token=token)
        elif token is None and len(changes) < MOST_CHANGES:
            self._table.write(*changes, self._note(about))
        else:
            self._table.write(*changes, token=token)
            self._table.write(self._note(about))

    def _note(self, about: Collection[Changed]) -> Change:
        at = now()
        sealed = tuple(seal(PURPOSE, " ".join(each), self._keyring) for each in about)
        return Put(to_item(SearchNote(noted_at=at, note_id=new_event_id(), about=sealed, ttl=at + KEPT)))


def notes_between(since: datetime, until: datetime, *, table: Table, keyring: Keyring) -> Iterator[Heard]:
    """From the oldest one to the newest, both ends included."""
    for day in days_between(since, until):
        for item in every(table, keys.search_log(day), keys.since(since)):
            note = from_item(SearchNote, item)
            if note.noted_at > until:
                return
            yield Heard(note.note_id, note.noted_at, _opened(note, keyring))


def changed_by(changes: Sequence[Change]) -> list[Changed]:
    """What search has to hear of, each once."""
    found = (_changed(change) for change in changes)
    return list(dict.fromkeys(each for each in found if each is not None))


def _changed(change: Change) -> Changed | None:
    pk, sk = change.key
    if sk.startswith(keys.PHOTOS.text):
        is_known = not (isinstance(change, Put) and change.item.get("entityType") in NOT_YET)
        owner = sk.removeprefix(keys.PHOTOS.text)
        return Changed(PHOTO, pk, owner) if is_known and _touches(change, ATTRIBUTES) else None
    named = _named(change.key)
    return Changed(*named) if named is not None and _touches(change, NAMES[named[0]]) else None


def _named(key: Key) -> tuple[NameKind, str] | None:
    """Whose row it is that tells a name."""
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


def _opened(note: SearchNote, keyring: Keyring) -> tuple[Changed, ...] | None:
    try:
        return tuple(Changed(*unseal(PURPOSE, sealed, keyring).split(" ")) for sealed in note.about)
    except BadSignature:
        return None
