"""Verify: both sides compared as a whole.

Where `follow` or `mirror` runs, it applies the captured changes, and verify waits for that. Otherwise verify applies
them itself. Rows that differ are compared again until nothing of them is captured any more.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from sparks.journey import Stores
from sparks.migrate.apply import SourceKey
from sparks.migrate.backfill import Progress
from sparks.migrate.comparison import WHOLE_ROW, Difference, known_rows
from sparks.migrate.context import Migration, NewAccounts, check_phase, open_migration, watch_migration
from sparks.migrate.follow import BATCH, Follower, in_batches
from sparks.migrate.lease import current_holder
from sparks.migrate.mirror import Mirror, changed_ids, mirror_lag
from sparks.migrate.records import Row
from sparks.migrate.verification import summary_of
from sparks.model.errors import Busy, Conflict
from sparks.model.migration import MigrationPhase

FOLLOWERS: Final = frozenset({"follow", "mirror"})
SETTLE: Final = 120.0  # seconds in which the command that follows must come closer
POLL: Final = 0.2
CLOSE: Final = 100  # changes that may wait: a row with one is compared again later
NO_REPAIR: Final = (
    "`verify --repair` makes Sparks as the source is, and since the cutover people make their changes in Sparks: run "
    "`sparks migrate mirror`, or `rollback` first"
)


@dataclass(slots=True)
class VerifyResult:
    """Numbers of rows, and all differences."""

    checked: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def missing(self) -> int:
        return len({each.key for each in self.differences if each.field == WHOLE_ROW and each.target is None})

    @property
    def extra(self) -> int:
        return len({each.key for each in self.differences if each.field == WHOLE_ROW and each.source is None})

    @property
    def different(self) -> int:
        return len({each.key for each in self.differences if each.field != WHOLE_ROW})

    @property
    def is_equal(self) -> bool:
        return not self.differences


def run_verify(stores: Stores, accounts: NewAccounts, *, repair: bool, on_progress: Progress) -> VerifyResult:
    """Compares both sides. Where `follow` or `mirror` runs and nothing is to be repaired, it applies the changes."""
    holder = current_holder(table=stores.table)
    if not repair and holder is not None and holder.command in FOLLOWERS:
        with watch_migration(stores, accounts) as migration:
            return _verify(migration, repair=False, on_progress=on_progress)
    with open_migration("verify", stores, accounts, over=FOLLOWERS if repair else frozenset()) as migration:
        return _verify(migration, repair=repair, on_progress=on_progress)


def _verify(migration: Migration, *, repair: bool, on_progress: Progress) -> VerifyResult:
    allowed = MigrationPhase.BACKFILLED, MigrationPhase.CUTOVER
    check_phase(migration.state, *allowed, advice="run `sparks migrate backfill` first")
    if repair and migration.state.phase is MigrationPhase.CUTOVER:
        raise Conflict(NO_REPAIR)
    result = Verifier(migration, settle=lambda: _settle(migration)).verify(repair=repair, on_progress=on_progress)
    migration.note(verification=summary_of(result))
    return result


def _settle(migration: Migration) -> None:
    """Applies what is captured, or waits until the command that follows has done so."""
    is_cut_over = migration.state.phase is MigrationPhase.CUTOVER
    if is_cut_over and not migration.source.has_way_back:
        return None
    if migration.lease is not None:
        return Mirror(migration).catch_up() if is_cut_over else Follower(migration).catch_up()
    least: int | None = None
    deadline = 0.0
    while (lag := (mirror_lag(migration.table) if is_cut_over else migration.capture.lag())[0]) > CLOSE:
        if least is None or lag < least:
            least, deadline = lag, time.monotonic() + SETTLE
        elif time.monotonic() > deadline:
            raise Busy("captured changes are not applied in time: look at the command that follows")
        time.sleep(POLL)
    return None


class Verifier:
    """Compares everything. Rows that differ are compared again once their captured changes are applied."""

    def __init__(self, migration: Migration, *, settle: Callable[[], None]) -> None:
        """`settle` applies what one side has captured of its changes."""
        self._migration = migration
        self._follower = Follower(migration)
        self._settle = settle

    def verify(self, *, repair: bool, on_progress: Callable[[str, int, int], None]) -> VerifyResult:
        """With `repair`, rows that differ are applied anew and compared again."""
        self._settle()
        result = VerifyResult()
        suspects: dict[SourceKey, None] = {}
        for table in self._migration.source.tables:
            total, done = self._migration.source.count(table), 0
            for page in self._pages(table):
                found = self._follower.compare([(table, row["id"]) for row in page], with_bytes=True)
                suspects |= dict.fromkeys(each.key for each in found)
                done += len(page)
                result.checked += len(page)
                on_progress(table, done, total)
            suspects |= dict.fromkeys(self._extra(table))
        result.differences = self._settled(list(suspects))
        if repair and result.differences:
            self._repair(result)
        return result

    def _settled(self, suspects: Sequence[SourceKey]) -> list[Difference]:
        """The differences that stay when nothing is captured of their rows any more. Busy where rows change all the
        time.

        [Note: compared twice] Between the look at both sides and the look at what is captured, the command that follows
        may have applied a change. So a difference counts if it is the same in two rounds, and nothing of its row was
        captured between them.
        """
        sure: list[Difference] = []
        seen: dict[tuple[SourceKey, str], Difference] = {}
        deadline = time.monotonic() + SETTLE
        while suspects:
            if time.monotonic() > deadline:
                table, row_id = suspects[0]
                raise Busy(f"{table} {row_id} and others change all the time or are not applied: try again later")
            self._settle()
            found = [
                each for some in in_batches(suspects, BATCH) for each in self._follower.compare(some, with_bytes=True)
            ]
            again = [each for each in found if seen.get((each.key, each.field)) == each]
            sure += again
            suspects = sorted({each.key for each in found} - {each.key for each in sure})
            captured = self._captured(suspects)
            seen = {(each.key, each.field): each for each in found if each.key not in captured}
            if captured:
                time.sleep(POLL)
        return sure

    def _captured(self, keys: Sequence[SourceKey]) -> set[SourceKey]:
        """Those of which one side has captured a change that is not applied yet."""
        if self._migration.state.phase is not MigrationPhase.CUTOVER:
            return self._migration.capture.pending(keys)
        changed = changed_ids(self._migration.table)
        target_ids = {
            (table, old_id): new_id
            for table in self._migration.source.tables
            for old_id, new_id in self._migration.target.target_ids(
                table, [row_id for name, row_id in keys if name == table]
            ).items()
        }
        return {key for key in keys if not changed.isdisjoint((key[1], target_ids.get(key, key[1])))}

    def _repair(self, result: VerifyResult) -> None:
        self._migration.check()
        for each in result.differences:
            known = self._migration.target.known(each.table, [each.id]).get(each.id)
            if known is not None and each.field == "object":
                self._migration.target.remove_photo(known)
        keys = sorted({each.key for each in result.differences})
        for some in in_batches(keys, BATCH):
            self._migration.applier.apply(some)
        result.differences = self._settled(keys)

    def _extra(self, table: str) -> Iterator[SourceKey]:
        """The rows that the target knows and the source does not have."""
        for some in in_batches(known_rows(table, self._migration.target), BATCH):
            there = self._migration.source.rows(table, [row.old_id for row in some])
            yield from ((table, row.old_id) for row in some if row.old_id not in there)

    def _pages(self, table: str) -> Iterator[Sequence[Row]]:
        after: str | None = None
        while page := self._migration.source.page(table, after, BATCH):
            self._migration.check()
            yield page
            after = page[-1]["id"]
