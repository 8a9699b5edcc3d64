"""Reader of live events by scope, each once, resumable by id.

The id of an event holds the time by the clock of the process that wrote it, and a write may take a while. So an event
may arrive after another one that sorts behind it. Each read therefore begins OVERLAP before the newest event, or before
now if that is earlier, and skips the events of the last read. A client that resumes a stream gets the events from
OVERLAP before its position on; some of them twice, which does no harm.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.library import keys
from sparks.library.live_events import ALBUM, IN_ALBUMS, KEEP_FOR, PEOPLE, PHOTO, EventPhoto, photo_of
from sparks.library.records import from_item
from sparks.model.errors import BadInput, BadSignature
from sparks.model.ids import lowest_id_at, time_of
from sparks.model.keyring import Keyring
from sparks.model.scope import Scope
from sparks.model.system_records import LiveEvent
from sparks.model.times import EPOCH
from sparks.table.port import Between, Item, Table, every

OVERLAP: Final = timedelta(seconds=10)
MAX_MISSED: Final = 1000


@dataclass(frozen=True, slots=True)
class ScopeEvent:
    """A change of this photo or, without a photo, of persons or albums. `albums` are the albums that it is about, where
    it goes to their members; `joined` is an album that the user joined or left.
    """

    event_id: str
    kind: str
    photo: EventPhoto | None = None
    albums: tuple[str, ...] = ()
    joined: str | None = None

    @property
    def subject(self) -> tuple[object, ...]:
        """The subject of the event. Of several events with the same subject, the last one is enough."""
        return self.kind, self.photo, self.albums, self.joined


class EventTail:
    """Reader of the events of one scope from now on, each once."""

    def __init__(self, scope: Scope, *, at: datetime, table: Table, keyring: Keyring) -> None:
        self._scope = scope
        self._table = table
        self._keyring = keyring
        self._newest = _time_of_newest(scope, table)
        self._read_ids = frozenset(row["SK"] for row in self._rows(at))

    def read(self, at: datetime) -> list[ScopeEvent]:
        """The events since the last read."""
        rows = list(self._rows(at))
        events = list(_parse((row for row in rows if row["SK"] not in self._read_ids), self._keyring))
        self._read_ids = frozenset(row["SK"] for row in rows)
        self._newest = max([self._newest, *(time_of(row["SK"]) for row in rows[-1:])])
        return events

    def _rows(self, at: datetime) -> Iterator[Item]:
        return every(self._table, keys.events(self._scope), _since(min(self._newest, at)))


def missed_since(
    position: str, scopes: Iterable[Scope], *, at: datetime, table: Table, keyring: Keyring
) -> list[ScopeEvent] | None:
    """The events since `position`, where a client left the stream. None where they are not stored any more, are too
    many, or the position is invalid: the client then reloads everything.
    """
    try:
        time = time_of(position)
    except BadInput:
        return None
    if time < at - KEEP_FOR + OVERLAP:
        return None
    rows: list[Item] = []
    for scope in scopes:
        rows += table.query(keys.events(scope), _since(min(time, at)), limit=MAX_MISSED + 1).items
    return None if len(rows) > MAX_MISSED else list(_parse(rows, keyring))


def _time_of_newest(scope: Scope, table: Table) -> datetime:
    rows = table.query(keys.events(scope), limit=1, newest_first=True).items
    return time_of(rows[0]["SK"]) if rows else EPOCH


def _since(time: datetime) -> Between:
    return Between(low=lowest_id_at(max(time - OVERLAP, EPOCH)))


def _parse(rows: Iterable[Item], keyring: Keyring) -> Iterator[ScopeEvent]:
    """The events of these rows. An event whose photo was sealed with a retired secret is skipped."""
    for row in rows:
        event = from_item(LiveEvent, row)
        albums = tuple(event.body.get(IN_ALBUMS, ()))
        try:
            if event.kind == PHOTO:
                yield ScopeEvent(event.event_id, PHOTO, photo_of(event, keyring=keyring), albums)
            elif event.kind == PEOPLE:
                yield ScopeEvent(event.event_id, PEOPLE, albums=albums)
            elif event.kind == ALBUM:
                yield ScopeEvent(event.event_id, ALBUM, albums=albums, joined=event.body.get(ALBUM))
        except BadSignature:
            continue
