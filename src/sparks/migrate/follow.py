"""Follow: captured changes applied and read back.

An entry of the outbox only says that a row has changed. So entries may be applied late, twice and in any order: each
time, the row is read as it is then. Entries that were read are deleted once what was written has been read back.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, Protocol, TypeVar

from sparks.migrate.apply import SourceKey
from sparks.migrate.comparison import Comparison, Difference, known_rows
from sparks.migrate.context import Migration
from sparks.migrate.lease import Lease
from sparks.migrate.records import ALL_TABLES
from sparks.migrate.source_port import Captured
from sparks.model.errors import Busy, Conflict, Unavailable

BATCH: Final = 500
POLL: Final = 0.3  # seconds between two looks at an empty outbox
REPORT: Final = 2.0  # seconds between two reports of the lag
PATIENCE: Final = 120.0  # seconds in which nothing succeeds, after which a store counts as away

T = TypeVar("T")
log = logging.getLogger(__name__)


class Stepper(Protocol):
    """Work in steps that goes on for as long as wanted: `follow` and `mirror`."""

    applied: int

    def step(self) -> int:
        """Does one batch; 0 where there is nothing to do now."""

    def catch_up(self) -> None:
        """Does what is waiting now."""

    def report(self) -> int:
        """Writes down the lag; the number of entries that wait."""


def run_steps(
    stepper: Stepper, lease: Lease, *, stops: Callable[[], bool], on_progress: Callable[[int, int], None]
) -> None:
    """Goes on until told to stop, or until another command wants the lease. Stores that are away are waited for."""
    succeeded = reported = time.monotonic()
    while not stops() and not lease.is_wanted:
        lease.check()
        try:
            if not stepper.step():
                time.sleep(POLL)
            if time.monotonic() - reported >= REPORT:
                on_progress(stepper.applied, stepper.report())
                reported = time.monotonic()
            succeeded = time.monotonic()
        except (Busy, Unavailable, Conflict) as error:
            lease.check()
            if time.monotonic() - succeeded > PATIENCE:
                raise
            log.warning("it goes on in a moment: %s", error)
            time.sleep(POLL)


class Follower:
    """Applies captured changes. `applied` counts the entries that were applied and deleted."""

    def __init__(self, migration: Migration) -> None:
        self._migration = migration
        self._compare = Comparison(migration.target)
        self.applied = 0

    def step(self, *, at_once: bool = False) -> int:
        """Applies one batch of entries; the number that was applied, 0 where the outbox is empty, and a source that
        does not report changes has none. It is asked only now and then, unless `at_once`. Conflict where an entry
        cannot be applied.
        """
        capture = self._migration.capture
        entries = capture.read(BATCH)
        if not entries and capture.poll(at_once=at_once):
            entries = capture.read(BATCH)
        if not entries:
            return 0
        changed = self._rows_meant(entries)
        self._migration.applier.apply(changed)
        left = self._read_back(changed)
        done = [each.entry for each in entries if each.key is None or (each.table, each.key) not in left]
        self._migration.capture.drop(done)
        self.applied += len(done)
        if left:
            table, row_id = min(left)
            raise Conflict(f"{table} {row_id} was applied and is not in the target as it should be: see the log")
        return len(done)

    def drain(self, *, until: Callable[[], bool] = lambda: False) -> None:
        """Applies until the outbox is empty or the condition holds; for a source that takes no writes."""
        while not until() and self.step(at_once=True):
            self._migration.check()

    def catch_up(self) -> None:
        """Applies as many entries as are waiting now. A busy source adds others meanwhile."""
        self._migration.capture.poll(at_once=True)
        waiting, _ = self._migration.capture.lag()
        done = self.applied + waiting
        while self.applied < done and self.step():
            self._migration.check()

    def report(self) -> int:
        """Writes down the lag; the number of entries that wait."""
        return self._migration.note_lag()[0]

    def _rows_meant(self, entries: Iterable[Captured]) -> set[SourceKey]:
        """An entry without a key stands for all rows of its table that the target knows."""
        meant = {(each.table, each.key) for each in entries if each.key is not None}
        for table in {each.table for each in entries if each.key is None}:
            meant |= {(table, row.old_id) for row in known_rows(table, self._migration.target)}
        return meant

    def _read_back(self, changed: Iterable[SourceKey]) -> set[SourceKey]:
        """The rows that are not in the target as they are in the source, though nothing of them was captured since."""
        found = self.compare(changed, with_bytes=False)
        if found:
            again = {each.key for each in found}
            self._migration.applier.apply(again)
            found = self.compare(again, with_bytes=False)
        for each in found:
            log.warning(
                "a row differs after it was applied", extra={"table": each.table, "id": each.id, "field": each.field}
            )
        return {each.key for each in found} - self._migration.capture.pending(each.key for each in found)

    def compare(self, changed: Iterable[SourceKey], *, with_bytes: bool) -> list[Difference]:
        """The differences of these rows, as both sides are now."""
        ids = {table: sorted({row_id for name, row_id in changed if name == table}) for table in ALL_TABLES}
        found: list[Difference] = []
        for table, wanted in ids.items():
            rows = self._migration.source.rows(table, wanted) if wanted else {}
            resolved = self._migration.applier.resolver(table, rows.values()).resolve(table, list(rows.values()))
            found += self._compare.differences(table, resolved, with_bytes=with_bytes)
            known = self._migration.target.known(table, wanted)
            found += self._compare.rows_gone(table, known.values(), rows)
        return found


def in_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some
