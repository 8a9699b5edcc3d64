"""Outbox of a migration between engines: which rows and blobs have changed since they were copied.

An entry holds keys, no values: what is under a key is read when it is copied. So entries may be read late, twice and in
any order.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from sparks.library import keys
from sparks.library.records import from_item, key_of, to_item
from sparks.model.engine_migration import OUTBOX_SHARDS, EngineOutboxEntry
from sparks.model.ids import new_event_id, time_of
from sparks.model.times import now
from sparks.table.port import Change, Delete, Key, Put, Table

PENDING_FOR: Final = timedelta(seconds=60)  # after which the process that made an entry counts as gone
DELETED_AT_ONCE: Final = 90


def new_entry(*, rows: Iterable[Key] = (), blobs: Iterable[str] = (), pending: bool = False) -> EngineOutboxEntry:
    pairs = tuple((key.pk, key.sk) for key in rows)
    return EngineOutboxEntry(entry_id=new_event_id(), keys=pairs, blobs=tuple(blobs), pending=pending)


def put(entry: EngineOutboxEntry) -> Change:
    return Put(to_item(entry))


def read_entries(most: int, *, table: Table) -> list[EngineOutboxEntry]:
    """Some of the entries, about the oldest."""
    found: list[EngineOutboxEntry] = []
    for shard in range(OUTBOX_SHARDS):
        items = table.query(keys.engine_outbox(shard), limit=-(-most // OUTBOX_SHARDS)).items
        found += [from_item(EngineOutboxEntry, item) for item in items]
    return found


def drop(entries: Sequence[EngineOutboxEntry], *, table: Table) -> None:
    for start in range(0, len(entries), DELETED_AT_ONCE):
        table.write(*(Delete(key_of(entry)) for entry in entries[start : start + DELETED_AT_ONCE]))


def is_running(entry: EngineOutboxEntry) -> bool:
    """Whether the change that the entry announces may still be made."""
    return entry.pending and now() - time_of(entry.entry_id) < PENDING_FOR


def lag(*, table: Table, most: int = 10_000) -> tuple[int, float]:
    """The number of entries, at most about `most`, and the age of the oldest in seconds."""
    found = read_entries(most, table=table)
    oldest = min((time_of(entry.entry_id) for entry in found), default=None)
    return len(found), 0.0 if oldest is None else max(0.0, (now() - oldest).total_seconds())
