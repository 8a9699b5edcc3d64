"""Copy of rows from one table to the other under new keys, kept up to date by captured keys.

One runner copies at a time, page after page: it reads rows and writes them at once, so that it never puts an older row
over a newer one. Every write checks that this runner is still the one (`SCHEMA`, `RUNNER` in the same table): one that
was suspended and wakes up changes nothing any more.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sparks.evolve.key_view import KeyView
from sparks.evolve.pages import pages
from sparks.library import keys
from sparks.library.leases import REKEYING
from sparks.library.records import from_item
from sparks.model.errors import Busy, ConditionFailed, Conflict
from sparks.model.ids import random_id
from sparks.model.schema_state import FENCES, CapturedKeys
from sparks.table.port import MAX_ITEM_BYTES, MAX_WRITE_BYTES, Change, Check, Delete, Equals, Item, Key, Put, Table
from sparks.table.values import same_value, size_of

CHANGES: Final = 90  # in a transaction
BYTES: Final = MAX_WRITE_BYTES - MAX_ITEM_BYTES
ENTRIES: Final = 50
_STAYING: Final = frozenset({keys.SCHEMA_STATE.pk, keys.job_state(REKEYING).pk})
_CAPTURES: Final = keys.captured_keys(0).pk.removesuffix("0")


def stays(key: Key) -> bool:
    """Whether the row belongs to the re-keying itself, and is not moved."""
    return key.pk in _STAYING or key.pk.startswith(_CAPTURES)


class Runner:
    """The one process that writes to a table that no other process uses: the new one, or the old one at the end."""

    def __init__(self) -> None:
        self._id = ""

    def take_over(self, table: Table) -> None:
        """Ends all other runners: none of them writes to this table any more."""
        self._id = random_id()
        table.write(Put({"PK": keys.SCHEMA_RUNNER.pk, "SK": keys.SCHEMA_RUNNER.sk, "runner": self._id}))

    def write(self, table: Table, changes: Sequence[Change]) -> None:
        """Busy where another runner has taken over."""
        try:
            table.write(*changes, Check(keys.SCHEMA_RUNNER, (Equals("runner", self._id),)))
        except ConditionFailed as failed:
            raise Busy("another `sparks evolve run` has taken over: this one has stopped") from failed


class RowCopy:
    def __init__(self, old: Table, new: Table, view: KeyView, runner: Runner) -> None:
        self._old = old
        self._new = new
        self._view = view
        self._runner = runner

    def check_keys_are_free(self) -> None:
        """Conflict where a row has the new form already."""
        for page in pages(self._old):
            for key in map(_key, page):
                if self._view.old_key(self._view.new_key(key)) != key:
                    raise Conflict(f"a row has the new form already, so that two would get the same key: {key.pk}")

    def put(self, items: Iterable[Item]) -> None:
        """Copies rows that were just read."""
        self._write([Put(self._view.new_item(item)) for item in items if not stays(_key(item))])

    def copy(self, wanted: Sequence[Key]) -> None:
        """Copies these rows as they are now; those that are gone go in the new table, too."""
        found = self._old.get_many(wanted)
        changes: list[Change] = [
            Put(self._view.new_item(found[key])) if key in found else Delete(self._view.new_key(key))
            for key in dict.fromkeys(wanted)
            if not stays(key)
        ]
        self._write(changes)

    def drain(self) -> int:
        """Copies what was captured, up to some hundred entries, and returns their number."""
        return sum(self._drain(shard) for shard in range(FENCES))

    def repair(self, items: Sequence[Item]) -> int:
        """Compares rows of the old table with the new one, copies those that differ, and returns their number."""
        moving = [item for item in items if not stays(_key(item))]
        there = self._new.get_many([self._view.new_key(_key(item)) for item in moving])
        differ = [
            _key(item)
            for item in moving
            if not same_value(there.get(self._view.new_key(_key(item))), self._view.new_item(item))
        ]
        return self._settle(differ)

    def repair_extra(self, items: Sequence[Item]) -> int:
        """The same for rows of the new table that the old one does not have."""
        moved = [self._view.old_key(_key(item)) for item in items if not stays(_key(item))]
        there = self._old.get_many(moved)
        return self._settle([key for key in moved if key not in there])

    def _settle(self, suspects: Sequence[Key]) -> int:
        """A row that is written at this moment is captured, so it only differs where it does after a drain."""
        if not suspects:
            return 0
        self.drain()
        old = self._old.get_many(suspects)
        new = self._new.get_many([self._view.new_key(key) for key in suspects])
        wrong = [key for key in suspects if not self._is_equal(old.get(key), new.get(self._view.new_key(key)))]
        self.copy(wrong)
        return len(wrong)

    def _is_equal(self, old: Item | None, new: Item | None) -> bool:
        return same_value(None if old is None else self._view.new_item(old), new)

    def _drain(self, shard: int) -> int:
        items = self._old.query(keys.captured_keys(shard), limit=ENTRIES).items
        if items:
            entries = [from_item(CapturedKeys, item) for item in items]
            self.copy([Key(*key) for entry in entries for key in entry.written])
            self._old.write(*(Delete(_key(item)) for item in items))
        return len(items)

    def _write(self, changes: Sequence[Change]) -> None:
        for some in batches(changes):
            self._runner.write(self._new, some)


def clear(table: Table, runner: Runner) -> Iterator[list[Change]]:
    """Deletes all rows that are moved, and yields each batch."""
    for page in pages(table):
        for some in batches([Delete(_key(item)) for item in page if not stays(_key(item))]):
            runner.write(table, some)
            yield some


def batches(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Groups of changes that fit into a transaction each."""
    some: list[Change] = []
    size = 0
    for change in changes:
        more = size_of(change.item) if isinstance(change, Put) else 0
        if some and (len(some) == CHANGES or size + more > BYTES):
            yield some
            some, size = [], 0
        some.append(change)
        size += more
    if some:
        yield some


def _key(item: Item) -> Key:
    return Key(item["PK"], item["SK"])
