"""Backfill: copies the rows that the target does not have yet, page by page, with their objects.

Only what is absent is put. A row that changes or goes meanwhile is captured, and `follow` applies that afterwards. A
page is checkpointed once all its rows are durable, so that a killed run goes on from there.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from sparks.library.throttle import Throttle
from sparks.migrate.addresses import ambiguous_users
from sparks.migrate.apply import Resolved, Resolver, rows_to_put
from sparks.migrate.context import Migration
from sparks.migrate.new_rows import NewRows
from sparks.migrate.records import Row
from sparks.model.errors import ConditionFailed
from sparks.model.migration import ALBUMS, PERSONS, PHOTOS, USERS, MigrationPhase
from sparks.table.port import MAX_CHANGES

PAGE: Final = 500
WORKERS: Final = 4
SLICE: Final = 25  # rows that a worker takes at once, for a transaction or two
CHANGES_AT_ONCE: Final = MAX_CHANGES - 2  # beside the check of the lease and the entry for the search index
BYTES_AT_ONCE: Final = 3_500_000  # of 4 MiB
ADDED_BYTES: Final = 10_000  # at most so many more in the rows that a row of the source becomes
ISSUE_BYTES: Final = 5_000
NAMES: Final[Mapping[str, str]] = {USERS: "users", ALBUMS: "albums", PHOTOS: "photos", PERSONS: "persons"}  # in counts
TRIES: Final = 3
Progress = Callable[[str, int, int], None]


class Backfill:
    def __init__(self, migration: Migration, *, throttle: Throttle, on_progress: Progress) -> None:
        self._migration = migration
        self._throttle = throttle
        self._on_progress = on_progress

    def run(self) -> None:
        """Copies all tables, parents first, from where an earlier run ended."""
        totals = {NAMES[table]: self._migration.source.count(table) for table in self._migration.source.tables}
        counts = {name: self._migration.state.counts.get(name, 0) for name in totals}
        self._migration.note(totals=totals, counts=counts)
        with ThreadPoolExecutor(WORKERS) as pool, ThreadPoolExecutor(1) as reader:
            for table in self._migration.source.tables:
                self._copy(table, pool, reader)
        self._migration.note(phase=MigrationPhase.BACKFILLED)

    def _copy(self, table: str, pool: ThreadPoolExecutor, reader: ThreadPoolExecutor) -> None:
        """A page is prepared while the one before it is written; the checkpoint follows the writes."""
        resolver = Resolver(self._migration.target, self._migration.addresses, ambiguous=self._ambiguous(table))
        pages = self._pages(table, self._migration.state.checkpoints.get(table), reader)
        written: tuple[Sequence[Row], list[Future[None]]] | None = None
        for page in pages:
            self._migration.check()
            writes = self._prepared(table, page, resolver)
            if written is not None:
                self._note_written(table, *written)
            written = page, [pool.submit(write) for write in writes]
        if written is not None:
            self._note_written(table, *written)

    def _note_written(self, table: str, page: Sequence[Row], writes: Iterable[Future[None]]) -> None:
        """Waits for the writes of the page, then moves the checkpoint behind it."""
        for write in writes:
            write.result()
        state, name = self._migration.state, NAMES[table]
        done = state.counts.get(name, 0) + len(page)
        self._migration.note(
            checkpoints={**state.checkpoints, table: page[-1]["id"]}, counts={**state.counts, name: done}
        )
        self._on_progress(name, done, state.totals.get(name, done))

    def _ambiguous(self, table: str) -> frozenset[str]:
        if table != USERS:
            return frozenset()
        return ambiguous_users(lambda: every_row(self._migration, USERS), self._migration.addresses.of)

    def _pages(self, table: str, after: str | None, reader: ThreadPoolExecutor) -> Iterator[list[Row]]:
        """Reads a page while the one before it is written."""
        source = self._migration.source

        def read(after: str | None) -> list[Row]:
            return self._throttle.read(lambda: list(source.page(table, after, PAGE)))

        coming = reader.submit(read, after)
        while page := coming.result():
            coming = reader.submit(read, page[-1]["id"])
            yield page

    def _prepared(self, table: str, page: Sequence[Row], resolver: Resolver) -> list[Callable[[], None]]:
        """The writes of the rows of this page that are not in the target."""
        if table == PERSONS:
            return [partial(self._migration.applier.apply, [(table, row["id"]) for row in page])]
        there = self._migration.target.known(table, [row["id"] for row in page])
        missing = resolver.resolve(table, [row for row in page if row["id"] not in there])
        missing.sort(key=lambda each: each.owner or "")  # a transaction has a change for the limit of each owner
        return [partial(self._put_slice, missing[start : start + SLICE]) for start in range(0, len(missing), SLICE)]

    def _put_slice(self, some: Sequence[Resolved]) -> None:
        for group in _packed((each, self._new(each)) for each in some):
            self._put(group)

    def _new(self, each: Resolved) -> NewRows | None:
        """The rows to put; None for a user whose account is there already, and is linked at once."""
        if each.has_account and each.record.is_taken:
            self._migration.applier.apply_one(each, None)
            return None
        return rows_to_put(each, self._migration.target)

    def _put(self, some: Sequence[tuple[Resolved, NewRows]]) -> None:
        """Where a row is there by now, the others are put one by one."""
        try:
            self._migration.target.put([rows for _, rows in some])
        except ConditionFailed:
            for each, rows in some:
                self._put_one(each, rows)

    def _put_one(self, each: Resolved, rows: NewRows) -> None:
        target = self._migration.target
        for _ in range(TRIES):
            if target.known(each.table, [each.record.id]):
                return
            try:
                target.put([rows])
            except ConditionFailed:
                continue  # another photo took the digest of the same bytes between a look and the write
            else:
                return
        self._migration.applier.apply([(each.table, each.record.id)])


def every_row(migration: Migration, table: str) -> Iterator[Row]:
    after: str | None = None
    while page := migration.source.page(table, after, PAGE):
        yield from page
        after = page[-1]["id"]


@dataclass(slots=True)
class _Group:
    """New rows for one transaction."""

    rows: list[tuple[Resolved, NewRows]] = field(default_factory=list)
    owners: set[str] = field(default_factory=set)
    changes: int = 0
    size: int = 0

    def takes(self, new: NewRows, size: int) -> bool:
        """Whether the transaction can hold these, too, with the limits of their owner."""
        limits = len(self.owners) + (new.owner is not None and new.owner not in self.owners)
        fits = self.changes + new.changes + limits <= CHANGES_AT_ONCE and self.size + size <= BYTES_AT_ONCE
        return fits or not self.rows

    def add(self, each: Resolved, new: NewRows, size: int) -> None:
        self.rows.append((each, new))
        self.changes += new.changes
        self.size += size
        if new.owner is not None:
            self.owners.add(new.owner)


def _packed(made: Iterable[tuple[Resolved, NewRows | None]]) -> Iterator[list[tuple[Resolved, NewRows]]]:
    """Groups that fit into one transaction each."""
    group = _Group()
    for each, new in made:
        if new is None:
            continue
        size = each.record.max_bytes + ADDED_BYTES + ISSUE_BYTES * len(each.record.issues)
        if not group.takes(new, size):
            yield group.rows
            group = _Group()
        group.add(each, new, size)
    if group.rows:
        yield group.rows
