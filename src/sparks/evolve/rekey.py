"""Re-keying: moves all rows to the other table under their new keys, while they are in use.

New table, dual write, backfill, verification, switch, deletion of the old rows: each step goes on where a killed run
ended, because the state and the checkpoint are stored after the work that they stand for. See [Note: how a re-keying
keeps every write].

[Note: one runner] A lease keeps two runs apart, but a process that was suspended may wake up after its lease has ended.
So a runner claims a step: it reads the state, puts its own mark into the table that it is going to write to, and then
moves the state on, which fails if the state is another one by now. Every write checks the mark. So a runner whose claim
succeeded knows that no earlier one writes to that table any more, and that the state cannot be moved on without a later
claim, which ends its own writes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sparks.evolve.key_view import KeyView
from sparks.evolve.pages import last_key, throttled_pages
from sparks.evolve.rekeyed_table import RekeyedTable, move_on
from sparks.evolve.row_copy import RowCopy, Runner, clear
from sparks.library.leases import REKEYING, HeldLeases, held_leases
from sparks.library.migration_state import read_migration_state
from sparks.library.schema import Rekeying
from sparks.library.throttle import Throttle
from sparks.model.errors import Busy, Conflict
from sparks.model.schema_state import Place, RekeyPhase, SchemaState
from sparks.table.port import Key, Table

# Seconds until a write or read that another process has begun is over: a request to a store is tried for ten.
LONGEST_REQUEST: Final = 20.0
LONGEST_FREEZE: Final = 7.0  # seconds in which the last captured rows are copied; processes end a switch after nine
SWITCH_TRIES: Final = 10
CATCH_UP_TRIES: Final = 100
FEW_ENTRIES: Final = 50  # captured entries that are copied within the freeze
CHANGED: Final = "another process has changed the state of the data: run `sparks evolve run` again"
Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class RekeyResult:
    """`again` counts the rows that the verification copied once more, `frozen` the seconds in which writes waited."""

    copied: int
    again: int
    frozen: float


class Rekeyer:
    def __init__(
        self,
        table: RekeyedTable,
        leases: HeldLeases,
        *,
        throttle: Throttle,
        on_progress: Progress,
        settle: float,
        sleep: Callable[[float], None],
    ) -> None:
        self._table = table
        self._leases = leases
        self._throttle = throttle
        self._on_progress = on_progress
        self._settle = settle
        self._sleep = sleep
        self._runner = Runner()
        self._again = 0
        self._frozen = 0.0

    def run(self) -> RekeyResult | None:
        """Goes through all steps that are left; None where the rows have all their new keys."""
        state = self._table.open()
        if state.phase is None and not waiting_rekeyings(self._table, state):
            return None
        if state.phase is None:
            state = self._begin(state)
        if state.phase in (RekeyPhase.COPYING, RekeyPhase.SWITCHING):
            state = self._copy_and_switch(state)
        if state.phase is RekeyPhase.SWITCHED:
            self._sleep(1.5 * self._table.hold)  # until every process reads the new table
            state = self._moved(state, RekeyPhase.CLEARING)
        self._clear(state)
        return RekeyResult(self._noted("copied", 0), self._again, self._frozen)

    # -- Steps

    def _begin(self, state: SchemaState) -> SchemaState:
        self._table.create(state.place.other)
        names = tuple(rekeying.name for rekeying in waiting_rekeyings(self._table, state))
        rows = self._copier(state, names)
        rows.check_keys_are_free()
        self._note(rekeying=list(names), after=None, copied=0, settled=False, backfilled=False)
        return self._moved(state, RekeyPhase.COPYING, rekeying=names)

    def _copy_and_switch(self, state: SchemaState) -> SchemaState:
        state = self._claimed(state, RekeyPhase.COPYING, state.place.other)
        rows = self._copier(state, state.rekeying)
        old, new = self._tables(state)
        if not self._noted("settled", default=False):
            self._sleep(self._settle)  # until every write is captured
            self._note(settled=True)
        if not self._noted("backfilled", default=False):
            self._backfill(old, rows)
        self._verify(old, new, rows)
        for _ in range(SWITCH_TRIES):
            switched = self._switch(rows, state.rekeying)
            if switched is not None:
                return switched
        raise Busy("too much is written to switch now: run `sparks evolve run` again at a quieter time")

    def _backfill(self, old: Table, rows: RowCopy) -> None:
        after = self._noted("after", None)
        copied = self._noted("copied", 0)
        for page in throttled_pages(old, self._throttle, None if after is None else Key(*after)):
            rows.put(page)
            rows.drain()
            copied += len(page)
            self._note(after=last_key(page), copied=copied)
            self._on_progress("rows copied", copied)
        self._note(backfilled=True)

    def _verify(self, old: Table, new: Table, rows: RowCopy) -> None:
        """Finds what no capture told of: rows that the engine expired by itself, and writes of a process that was
        suspended since before the copy began.
        """
        compared = 0
        for table, repair in ((old, rows.repair), (new, rows.repair_extra)):
            for page in throttled_pages(table, self._throttle):
                self._again += repair(page)
                compared += len(page)
                self._on_progress("rows compared", compared)

    def _switch(self, rows: RowCopy, names: tuple[str, ...]) -> SchemaState | None:
        """None where the switch took too long, and was taken back by this run or by another process."""
        for _ in range(CATCH_UP_TRIES):
            if rows.drain() < FEW_ENTRIES:
                break
        began = time.monotonic()
        state = self._table.open()
        if state.phase not in (RekeyPhase.COPYING, RekeyPhase.SWITCHING) or state.rekeying != names:
            raise Busy(CHANGED)
        state = self._claimed(state, RekeyPhase.SWITCHING, state.place.other)
        while rows.drain():
            if time.monotonic() - began > LONGEST_FREEZE:
                move_on(self._table.tables, state, phase=RekeyPhase.COPYING)
                return None
        switched = move_on(
            self._table.tables,
            state,
            phase=RekeyPhase.SWITCHED,
            place=state.place.other,
            rekeyed=(*state.rekeyed, *state.rekeying),
        )
        self._frozen = time.monotonic() - began
        return switched

    def _clear(self, state: SchemaState) -> None:
        self._sleep(self._settle)  # until every read of the old table is over
        state = self._claimed(state, RekeyPhase.CLEARING, state.place.other)
        deleted = 0
        deletion = clear(self._table.tables(state.place.other), self._runner)
        while some := self._throttle.read(lambda: next(deletion, [])):
            deleted += len(some)
            self._on_progress("old rows deleted", deleted)
        self._moved(state, None, rekeying=())

    # -- Parts

    def _tables(self, state: SchemaState) -> tuple[Table, Table]:
        return self._table.tables(state.place), self._table.tables(state.place.other)

    def _copier(self, state: SchemaState, names: tuple[str, ...]) -> RowCopy:
        known = [each for each in self._table.registry.rekeyings if each.name in names]
        return RowCopy(*self._tables(state), KeyView(known), self._runner)

    def _claimed(self, state: SchemaState, phase: RekeyPhase, place: Place) -> SchemaState:
        """See [Note: one runner]. Busy where another process has moved the state on."""
        self._runner.take_over(self._table.tables(place))
        moved = move_on(self._table.tables, state, phase=phase)
        if moved is None:
            raise Busy(CHANGED)
        return moved

    def _moved(self, state: SchemaState, phase: RekeyPhase | None, **changed: Any) -> SchemaState:
        """The next state, which another process may have reached, too."""
        moved = move_on(self._table.tables, state, phase=phase, **changed)
        current = self._table.open() if moved is None else moved
        if current.phase is not phase:
            raise Busy(CHANGED)
        return current

    def _noted(self, name: str, default: Any) -> Any:
        found = (self._leases[REKEYING].stats or {}).get(name)
        return default if found is None else found

    def _note(self, **stats: Any) -> None:
        merged = {**(self._leases[REKEYING].stats or {}), **stats}
        self._leases.note(REKEYING, stats={name: value for name, value in merged.items() if value is not None})


def waiting_rekeyings(table: RekeyedTable, state: SchemaState) -> list[Rekeying]:
    return [rekeying for rekeying in table.registry.rekeyings if rekeying.name not in state.rekeyed]


def run_rekeyings(
    table: RekeyedTable,
    *,
    at: datetime,
    throttle: Throttle,
    on_progress: Progress,
    settle: float = LONGEST_REQUEST,
    sleep: Callable[[float], None] = time.sleep,
) -> RekeyResult | None:
    """Goes through all steps that are left; None where the rows have all their new keys.

    Busy while another run holds the lease; Conflict during a migration from another service.
    """
    migration = read_migration_state(table)
    if migration is not None and migration.is_under_way:
        raise Conflict("a migration is under way: finish it first, or roll it back (`sparks migrate status`)")
    with held_leases(REKEYING, at=at, table=table.tables(Place.FIRST)) as leases:
        return Rekeyer(table, leases, throttle=throttle, on_progress=on_progress, settle=settle, sleep=sleep).run()
