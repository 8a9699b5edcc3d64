"""Live events as they come, scope by scope.

[Note: order] An event's id tells the time by the clock of whoever wrote it, and a write may take a while. So one event
may come after another that it sorts before. What is read always begins OVERLAP before the newest event, or before now
if that is earlier, and what was there at the last reading is passed over. Whoever takes up a stream again is told what
happened from OVERLAP before on: some of it twice, which says nothing new.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.library import keys
from sparks.library.live import ALBUM, IN_ALBUMS, KEPT, PEOPLE, PHOTO, Named, photo_of
from sparks.library.records import from_item
from sparks.model.errors import BadInput, BadSignature
from sparks.model.ids import lowest_id_at, time_of
from sparks.model.keyring import Keyring
from sparks.model.ledger import LiveEvent
from sparks.model.scope import Scope
from sparks.model.times import EPOCH
from sparks.table.port import Between, Item, Table, every

OVERLAP: Final = timedelta(seconds=10)
MOST_MISSED: Final = 1000


@dataclass(frozen=True, slots=True)
class Heard:
    """Something has happened to this photo; to persons, or to albums themselves, where it names none. `albums` are
    those that it is about, where it is told to their members; `joined` is one whose member somebody is since, or is no
    more.
    """

    event_id: str
    kind: str
    photo: Named | None = None
    albums: tuple[str, ...] = ()
    joined: str | None = None

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about: of several events about the same, the last one tells all."""
        return self.kind, self.photo, self.albums, self.joined


class Tail:
    """What comes to one scope from now on, each event once."""

    def __init__(self, scope: Scope, *, at: datetime, table: Table, keyring: Keyring) -> None:
        self._scope = scope
        self._table = table
        self._keyring = keyring
        self._newest = _time_of_newest(scope, table)
        self._seen = frozenset(row["SK"] for row in self._rows(at))

    def read(self, at: datetime) -> list[Heard]:
        """What has come since it was read last."""
        rows = list(self._rows(at))
        heard = list(_heard((row for row in rows if row["SK"] not in self._seen), self._keyring))
        self._seen = frozenset(row["SK"] for row in rows)
        self._newest = max([self._newest, *(time_of(row["SK"]) for row in rows[-1:])])
        return heard

    def _rows(self, at: datetime) -> Iterator[Item]:
        return every(self._table, keys.events(self._scope), _since(min(self._newest, at)))


def missed_since(
    position: str, scopes: Iterable[Scope], *, at: datetime, table: Table, keyring: Keyring
) -> list[Heard] | None:
    """What whoever has come as far as `position` was not told. None where nobody can tell any more, it is too much, or
    the position is none: they had better look at everything anew.
    """
    try:
        time = time_of(position)
    except BadInput:
        return None
    if time < at - KEPT + OVERLAP:
        return None
    rows: list[Item] = []
    for scope in scopes:
        rows += table.query(keys.events(scope), _since(min(time, at)), limit=MOST_MISSED + 1).items
    return None if len(rows) > MOST_MISSED else list(_heard(rows, keyring))


def _time_of_newest(scope: Scope, table: Table) -> datetime:
    rows = table.query(keys.events(scope), limit=1, newest_first=True).items
    return time_of(rows[0]["SK"]) if rows else EPOCH


def _since(time: datetime) -> Between:
    return Between(low=lowest_id_at(max(time - OVERLAP, EPOCH)))


def _heard(rows: Iterable[Item], keyring: Keyring) -> Iterator[Heard]:
    """[Note: old secrets] Which photo it was that an event tells of, nobody knows when its secret is out of use."""
    for row in rows:
        event = from_item(LiveEvent, row)
        albums = tuple(event.body.get(IN_ALBUMS, ()))
        try:
            if event.kind == PHOTO:
                yield Heard(event.event_id, PHOTO, photo_of(event, keyring=keyring), albums)
            elif event.kind == PEOPLE:
                yield Heard(event.event_id, PEOPLE, albums=albums)
            elif event.kind == ALBUM:
                yield Heard(event.event_id, ALBUM, albums=albums, joined=event.body.get(ALBUM))
        except BadSignature:
            continue
