"""Cutover, rollback and finish: the moments at which the side changes that takes people's changes.

At a cutover the source stops first: its writes are refused until a deadline, what it captured is applied, and only then
the refusal is made permanent. That is the decision. The target's state moves last. At a rollback the target stops
first. So the two sides never take changes at the same time, whenever a command is killed.
"""

import time
from dataclasses import dataclass
from typing import Final

from sparks.library import keys
from sparks.migrate.context import Migration, check_phase
from sparks.migrate.follow import Follower
from sparks.migrate.issues import count_issues
from sparks.migrate.lease import remove_lease
from sparks.migrate.mirror import Mirror
from sparks.model.errors import Busy, Conflict
from sparks.model.migration import MigrationPhase, WriteSide
from sparks.table.port import Table

FREEZE: Final = 9.0  # seconds after which the source takes writes again by itself
CATCH_UP: Final = 300.0  # seconds to come close to the source before it is frozen
CLOSE: Final = 200  # entries, which are applied well within the freeze
NOT_TAKEN: Final = (
    "{} rows of the source were not taken: see `sparks migrate issues`, mend them and `retry`, or leave them behind "
    "with --accept-issues"
)
LOOKS: Final = 5
NO_WAY_BACK: Final = (
    "this source is DynamoDB, to which nothing is written back: until `finish`, its tables are as they were at "
    "cutover, and the old service can be started on them again, without what people did in Sparks since"
)
STILL_WRITTEN: Final = (
    "the tables of the source still change: stop every writer of the old service, then run `sparks migrate cutover` "
    "again; nothing was switched"
)
TOO_SLOW: Final = "the target does not keep up with the source: try again when fewer changes are made"


@dataclass(frozen=True, slots=True)
class SwitchResult:
    """How long writes were refused, and how many changes were applied."""

    seconds: float
    applied: int


def cut_over(migration: Migration, *, accept_issues: bool) -> SwitchResult:
    """Lets the target take people's changes. Conflict or Busy where it is not possible now: the source goes on then.

    A cutover that was killed after its decision is completed.
    """
    state = migration.state
    if state.phase is MigrationPhase.CUTOVER and state.writes is WriteSide.TARGET:
        return SwitchResult(0.0, 0)
    advice = (
        "run `sparks migrate backfill` first" if state.phase is not MigrationPhase.CUTOVER else "run `rollback` again"
    )
    check_phase(state, MigrationPhase.BACKFILLED, advice=advice)
    follower = Follower(migration)
    if not migration.freeze.is_decided():
        if migration.source.has_way_back:
            _come_close(migration, follower)
        follower.catch_up()  # rows whose user or album came later are taken now
        _check_issues(migration.table, accept_issues)
    began = time.monotonic()
    if not migration.source.has_way_back:
        _look_and_decide(migration, follower)
    else:
        if not migration.freeze.is_decided():
            _freeze(migration, follower)
        follower.drain()
    migration.note(phase=MigrationPhase.CUTOVER, writes=WriteSide.TARGET)
    return SwitchResult(time.monotonic() - began, follower.applied)


def _freeze(migration: Migration, follower: Follower) -> None:
    """Refuses writes, applies the rest and decides. Anything unexpected before the decision lifts the refusal."""
    migration.freeze.begin(FREEZE)
    deadline = time.monotonic() + FREEZE  # later, a write of the application keeps the decision from being taken
    try:
        follower.drain(until=lambda: time.monotonic() > deadline)
        migration.check()
        migration.freeze.decide()
    except BaseException:
        if not migration.freeze.is_decided():
            migration.freeze.lift()
        raise


def _look_and_decide(migration: Migration, follower: Follower) -> None:
    """For a source that cannot refuse writes: looks at all of it, until a look finds nothing, and decides."""
    if migration.freeze.is_decided():
        return
    for _ in range(LOOKS):
        before = follower.applied
        follower.catch_up()
        if follower.applied == before:
            migration.check()
            migration.freeze.decide()
            return
    raise Busy(STILL_WRITTEN)


def _come_close(migration: Migration, follower: Follower) -> None:
    deadline = time.monotonic() + CATCH_UP
    while migration.capture.lag()[0] > CLOSE:
        if time.monotonic() > deadline:
            raise Busy(TOO_SLOW)
        follower.step()
        migration.check()
    follower.step()


def _check_issues(table: Table, accepted: bool) -> None:
    not_taken = count_issues(table).not_taken
    if not_taken and not accepted:
        raise Conflict(NOT_TAKEN.format(not_taken))


def roll_back(migration: Migration) -> SwitchResult:
    """Lets the source take changes again, after all that people did in the target was written to it. What the source
    cannot hold stays in the target. One that was killed is completed.
    """
    state = migration.state
    if not migration.source.has_way_back:
        raise Conflict(NO_WAY_BACK)
    if state.phase is MigrationPhase.BACKFILLED and not migration.freeze.is_decided():
        return SwitchResult(0.0, 0)
    check_phase(
        state, MigrationPhase.CUTOVER, advice="only a cutover can be rolled back; run `cutover` again to complete it"
    )
    began = time.monotonic()
    migration.note(writes=WriteSide.NEITHER)
    mirror = Mirror(migration)
    mirror.drain()
    migration.freeze.lift()
    migration.note(phase=MigrationPhase.BACKFILLED, writes=WriteSide.SOURCE)
    return SwitchResult(time.monotonic() - began, mirror.applied)


def only_in_target(table: Table) -> dict[str, int]:
    """What people made in the target and the source cannot hold, by kind."""
    row = table.get(keys.ONLY_IN_TARGET) or {}
    return {name: count for name, count in row.items() if name not in ("PK", "SK") and count}


def finish(migration: Migration) -> None:
    """Ends the migration: the source keeps its data and refuses nothing any more, and loses triggers and outbox."""
    check_phase(migration.state, MigrationPhase.CUTOVER, advice="run `sparks migrate cutover` first")
    if migration.source.has_way_back:
        Mirror(migration).drain()
    migration.capture.remove()
    migration.note(phase=MigrationPhase.FINISHED, writes=WriteSide.TARGET)
    remove_lease(table=migration.table)
