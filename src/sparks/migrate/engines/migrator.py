"""Both sides of a migration between engines, as a command of `sparks migrate` uses them.

The lease is in the table of the source. Its epoch is written to the table of the target, too, so that a command that
has lost the lease changes neither.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from sparks.library import keys
from sparks.library.migration_state import read_engine_migration, read_migration_state
from sparks.library.records import as_read, changes
from sparks.migrate.engines import gate
from sparks.migrate.engines.copier import is_copied, key_of_item
from sparks.migrate.engines.sides import Engines, OpenStores, engines_of, same_engines, same_place, shown, variables
from sparks.migrate.engines.switch import GRACE, VALID
from sparks.migrate.lease import LOST, SHARDS, Lease, LeasedTable, held_lease
from sparks.model.engine_migration import EngineMigration
from sparks.model.errors import Busy, ConditionFailed, Conflict
from sparks.model.ids import new_event_id
from sparks.model.migration import MigrationPhase, WriteSide
from sparks.settings import Settings
from sparks.table.port import Absent, Conditions, Item, Set, Table

CAPTURE_WAIT: Final = VALID + 0.5  # seconds until every process knows of the migration
HELD_DATA: Final = "held"  # in the checkpoints: the target held data before, which may be outdated
FINISHED: Final = "the migration to other engines is finished: nothing is left to do"
NOT_BEGUN: Final = "no migration to other engines has begun: begin with `sparks migrate capture --to ENGINES`"


class Opener(Protocol):
    """Opens the stores of any engines, each once."""

    def open_home(self) -> OpenStores: ...

    def open(self, engines: Engines) -> OpenStores: ...

    def create(self, engines: Engines) -> OpenStores: ...


@dataclass(frozen=True, slots=True)
class Position:
    """`state` is the row that counts, `active` the side that takes writes, or is to do so next. `writes` is the one
    that does so now.
    """

    state: EngineMigration
    active: WriteSide
    writes: WriteSide

    @property
    def is_decided(self) -> bool:
        """Whether a side is to take writes that does not do so yet."""
        return self.writes is WriteSide.NEITHER and self.state.writes is not WriteSide.NEITHER


class EngineMigrator:
    """A command that only looks has no lease."""

    def __init__(self, state: EngineMigration, stores: Mapping[WriteSide, OpenStores], lease: Lease | None) -> None:
        self.lease = lease
        self.moves_rows = not same_place("table", state.source, state.target)
        self.moves_blobs = not same_place("blobs", state.source, state.target)
        self.moves_jobs = not same_place("jobs", state.source, state.target)
        self._sides = {side: _leased(each, lease) for side, each in stores.items()}
        if lease is not None and self.moves_rows:
            _claim_epoch(stores[WriteSide.TARGET].table, lease.epoch)

    def stores(self, side: WriteSide) -> OpenStores:
        return self._sides[side]

    def check(self) -> None:
        """Busy where the lease is lost."""
        if self.lease is not None:
            self.lease.check()

    def row(self, side: WriteSide) -> EngineMigration:
        """The state as the table of this side has it. Conflict where it has none."""
        state = read_engine_migration(self._sides[side].table)
        if state is None:
            raise Conflict(NOT_BEGUN)
        return state

    @property
    def position(self) -> Position:
        source = self.row(WriteSide.SOURCE)
        target = self.row(WriteSide.TARGET) if self.moves_rows else source
        newest = target if target.turn > source.turn else source
        active = newest.frozen_side or newest.writes
        is_ready = {WriteSide.SOURCE: source, WriteSide.TARGET: target}[active].turn == newest.turn
        return Position(newest, active, newest.writes if is_ready else WriteSide.NEITHER)

    def note(self, **values: Any) -> EngineMigration:
        """Changes the row of the source, which holds the progress."""
        before = self.row(WriteSide.SOURCE)
        after = replace(before, **values)
        if after != before:
            self._sides[WriteSide.SOURCE].table.write(changes(before, after))
        return after

    # -- Changes of the side that takes writes: see [Note: turns]

    def freeze(self, seconds: float) -> EngineMigration:
        position = self.position
        return gate.freeze(position.state, seconds=seconds, table=self.stores(position.active).table)

    def lift(self, frozen: EngineMigration) -> None:
        gate.lift(frozen, table=self._frozen_table(frozen))

    def decide(self, frozen: EngineMigration, phase: MigrationPhase) -> None:
        try:
            gate.decide(frozen, phase=phase, table=self._frozen_table(frozen))
        except ConditionFailed as failed:
            raise Busy("the freeze ended before the decision, and writes are taken as before: try again") from failed

    def activate(self) -> None:
        """Lets the side take writes for which that was decided."""
        position = self.position
        if position.is_decided:
            time.sleep(GRACE)  # until no process reads from the old side any more
            gate.activate(self.row(position.active), position.state, table=self.stores(position.active).table)

    def _frozen_table(self, frozen: EngineMigration) -> Table:
        return self.stores(frozen.frozen_side or WriteSide.SOURCE).table


@contextmanager
def begin_engine_migration(opener: Opener, settings: Settings, to: Settings) -> Iterator[EngineMigrator]:
    """The migration to these engines, captured. Conflict where another one is under way, and where the target holds
    what did not come from this library.
    """
    home, source, target = opener.open_home(), engines_of(settings), engines_of(to)
    there = read_engine_migration(home.table)
    _refuse_other(there, home.table, source, target)
    if there is not None and there.is_under_way:
        with open_engine_migration("capture", opener) as migrator:
            yield migrator
        return
    other = opener.create(target)
    held = _holds_data(other, source, target)
    if held and not _is_former(there, other.table, source, target):
        raise Conflict(f"{shown(target)} already holds data of something else: name other engines, or empty them")
    state = EngineMigration(
        migration_id=new_event_id(), source=source, target=target, checkpoints={HELD_DATA: "yes"} if held else {}
    )
    with held_lease("capture", table=home.table) as lease:
        migrator = EngineMigrator(state, {WriteSide.SOURCE: home, WriteSide.TARGET: other}, lease)
        for side in (WriteSide.TARGET, WriteSide.SOURCE) if migrator.moves_rows else (WriteSide.SOURCE,):
            gate.begin(state, table=migrator.stores(side).table)
        yield migrator


@contextmanager
def open_engine_migration(
    command: str, opener: Opener, *, over: frozenset[str] = frozenset(), finished: bool = False
) -> Iterator[EngineMigrator]:
    """The migration that the table knows, with its lease. Conflict where there is none, or where it is finished unless
    that is expected.
    """
    state = known_migration(opener)
    if not state.is_under_way and not finished:
        raise Conflict(FINISHED)
    stores = _both(state, opener)
    with held_lease(command, over=over, table=stores[WriteSide.SOURCE].table) as lease:
        yield EngineMigrator(state, stores, lease)


def watch_engine_migration(opener: Opener) -> EngineMigrator:
    """The migration, for a command that only looks while another one works."""
    state = known_migration(opener)
    return EngineMigrator(state, _both(state, opener), None)


def known_migration(opener: Opener) -> EngineMigration:
    state = read_engine_migration(opener.open_home().table)
    if state is None:
        raise Conflict(NOT_BEGUN)
    return state


def _both(state: EngineMigration, opener: Opener) -> dict[WriteSide, OpenStores]:
    return {side: opener.open(state.engines(side)) for side in (WriteSide.SOURCE, WriteSide.TARGET)}


def _leased(stores: OpenStores, lease: Lease | None) -> OpenStores:
    return stores if lease is None else replace(stores, table=LeasedTable(stores.table, lease))


def _refuse_other(there: EngineMigration | None, table: Table, source: Engines, target: Engines) -> None:
    other = read_migration_state(table)
    if other is not None and other.is_under_way:
        raise Conflict("a migration from another service is under way: finish it first")
    if there is None:
        return
    if there.is_under_way and not same_engines(there.target, target):
        raise Conflict(f"a migration to {shown(there.target)} is under way: finish it, or go on with it")
    moved = there.writes is WriteSide.TARGET and not same_place("table", there.source, there.target)
    if not there.is_under_way and moved and same_place("table", source, there.source):
        raise Conflict(f"the library has moved to {shown(there.target)}: set {variables(there.target, source)}")


def _holds_data(other: OpenStores, source: Engines, target: Engines) -> bool:
    """A capture that was killed may have left rows of its own."""
    rows = [] if same_place("table", source, target) else other.table.scan(limit=100).items
    blobs = [] if same_place("blobs", source, target) else other.blobs.list(limit=1).blobs
    return bool(blobs) or any(is_copied(key_of_item(item)) for item in rows)


def _is_former(there: EngineMigration | None, other: Table, source: Engines, target: Engines) -> bool:
    """Whether the data of the target came from an earlier migration of this library, or the beginning of this one."""
    known = read_engine_migration(other)
    of_target = known is not None and any(same_place("table", source, known.engines(side)) for side in WriteSide)
    of_source = there is not None and any(same_engines(target, there.engines(side)) for side in WriteSide)
    return of_target or of_source


def _claim_epoch(table: Table, epoch: int) -> None:
    """From now on, writes with an older epoch fail. Busy where a newer one is known."""
    shards = [keys.migration_epoch(shard) for shard in range(SHARDS)]
    found = table.get_many(shards)
    if any(row["epoch"] > epoch for row in found.values()):
        raise Busy(LOST)
    try:
        table.write(*(Set(key, {"epoch": epoch}, when=_as_seen(found.get(key))) for key in shards))
    except ConditionFailed as failed:
        raise Busy(LOST) from failed


def _as_seen(row: Item | None) -> Conditions:
    return (Absent(),) if row is None else as_read(row, ("epoch",))
