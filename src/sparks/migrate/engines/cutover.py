"""Cutover, rollback and finish of a migration between engines.

Neither side takes writes while the rest is copied. Processes wait meanwhile, and go on at the side that takes writes
then. Anything unexpected before the decision lets the side go on that took writes before: the migrator sees to that,
and so does every process whose write has waited until the deadline.
"""

import time
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from sparks.library import keys
from sparks.library.records import changes
from sparks.migrate.engines import outbox
from sparks.migrate.engines.follow import EngineFollower
from sparks.migrate.engines.migrator import EngineMigrator
from sparks.migrate.engines.switch import HELD, PREPARE_EVERY
from sparks.migrate.lease import remove_lease
from sparks.model.errors import Busy, Conflict
from sparks.model.migration import MigrationPhase, WriteSide
from sparks.model.times import from_iso, now
from sparks.table.port import Delete, Key, every

FREEZE: Final = 8.0  # seconds, less than a write waits
CATCH_UP: Final = 300.0
POLL: Final = 0.02
TOO_SLOW: Final = "the changes were not copied in time, and writes are taken as before: try again"
CLOSE: Final = 100  # entries, which are copied well within the freeze
MOVED_AT_ONCE: Final = 10
SENT_AGAIN: Final = 60.0  # seconds of a lease, after which a job that was not moved is received again


@dataclass(frozen=True, slots=True)
class SwitchResult:
    """How long no writes were taken, and how many entries were copied."""

    seconds: float
    applied: int


def cut_over(migrator: EngineMigrator) -> SwitchResult:
    """Lets the target take writes. Conflict or Busy where it is not possible now: the source goes on then. One that was
    killed after its decision is completed.
    """
    position = migrator.position
    if position.active is WriteSide.SOURCE:
        check_phase(position.state.phase, MigrationPhase.BACKFILLED, advice="run `sparks migrate backfill` first")
        _refuse_obstacles(migrator)
    return _switch(migrator, WriteSide.TARGET, MigrationPhase.CUTOVER)


def roll_back(migrator: EngineMigrator) -> SwitchResult:
    """Lets the source take writes again, with all that changed at the target."""
    position = migrator.position
    if position.active is WriteSide.SOURCE and position.state.turn == 0:
        raise Conflict("only a cutover can be rolled back: the source takes writes all the time")
    return _switch(migrator, WriteSide.SOURCE, MigrationPhase.BACKFILLED)


def check_phase(phase: MigrationPhase, *allowed: MigrationPhase, advice: str) -> None:
    """Conflict, with the advice, in another phase."""
    if phase not in allowed:
        raise Conflict(f"the migration to other engines is in the phase {phase}: {advice}")


def _switch(migrator: EngineMigrator, to: WriteSide, phase: MigrationPhase) -> SwitchResult:
    position = migrator.position
    if position.active is to:
        migrator.activate()
        return SwitchResult(0.0, 0)
    if position.state.writes is WriteSide.NEITHER:
        migrator.lift(position.state)  # of a command that was killed
    with closing(EngineFollower(migrator)) as follower:
        _come_close(migrator, follower)
        began, before = time.monotonic(), follower.applied
        _freeze(migrator, follower, phase)
        migrator.activate()
        return SwitchResult(time.monotonic() - began, follower.applied - before)


def _come_close(migrator: EngineMigrator, follower: EngineFollower) -> None:
    deadline = time.monotonic() + CATCH_UP
    while follower.report() > CLOSE:
        if time.monotonic() > deadline:
            raise Busy("the other side does not keep up with the changes: try again when fewer are made")
        follower.step()
        migrator.check()
    follower.step()


def _freeze(migrator: EngineMigrator, follower: EngineFollower, phase: MigrationPhase) -> None:
    """Takes no writes, copies the rest and decides."""
    frozen = migrator.freeze(FREEZE)
    try:
        _copy_rest(follower, time.monotonic())
        migrator.check()
        migrator.decide(frozen, phase)
    except BaseException:
        migrator.lift(frozen)
        raise


def _copy_rest(follower: EngineFollower, began: float) -> None:
    """Returns when nothing is left and every process knows of the freeze: see [Note: reads at the change-over]."""
    follower.copy_uploads()
    while time.monotonic() < began + HELD or follower.report():
        follower.drain(until=lambda: time.monotonic() > began + FREEZE)
        if time.monotonic() > began + FREEZE:
            raise Busy(TOO_SLOW)
        time.sleep(POLL)


def _refuse_obstacles(migrator: EngineMigrator) -> None:
    since = now() - timedelta(seconds=2 * PREPARE_EVERY)
    for row in every(migrator.stores(WriteSide.SOURCE).table, keys.ENGINE_OBSTACLES):
        if from_iso(row["at"]) >= since:
            raise Conflict(f"the process {row['SK']} cannot use the other engines: {row['reason']}")


def finish(migrator: EngineMigrator) -> None:
    """Ends the migration: changes are not noted any more, and the way back is closed. The source keeps its data, and
    its table says where the library is.
    """
    position = migrator.position
    if position.active is not WriteSide.TARGET:
        raise Conflict("the source takes writes: run `sparks migrate cutover` first")
    migrator.activate()
    if migrator.moves_jobs:
        _move_jobs(migrator)
    for side in (WriteSide.TARGET, WriteSide.SOURCE):
        row, table = migrator.row(side), migrator.stores(side).table
        table.write(changes(row, replace(row, phase=MigrationPhase.FINISHED)))
    time.sleep(HELD)
    for side in (WriteSide.SOURCE, WriteSide.TARGET):
        table = migrator.stores(side).table
        while entries := outbox.read_entries(1000, table=table):
            outbox.drop(entries, table=table)
        for item in list(every(table, keys.ENGINE_OBSTACLES)):
            table.write(Delete(Key(item["PK"], item["SK"])))
    remove_lease(table=migrator.stores(WriteSide.SOURCE).table)


def _move_jobs(migrator: EngineMigrator) -> None:
    """Sends the jobs that are left in the queue of the source to that of the target. Conflict where some run, are
    delayed or dead.
    """
    old, new = migrator.stores(WriteSide.SOURCE).jobs, migrator.stores(WriteSide.TARGET).jobs
    while deliveries := old.receive(most=MOVED_AT_ONCE, wait=0, lease=SENT_AGAIN):
        for delivery in deliveries:
            new.send(delivery.job)
            old.done(delivery)
    counts = old.counts()
    if counts.dead:
        raise Conflict(f"{counts.dead} dead jobs are in the queue of the source: see `sparks jobs`, retry or drop them")
    if later := counts.delayed + counts.leased + counts.waiting:
        raise Conflict(
            f"{later} jobs in the queue of the source run, or wait for their time: try again in some minutes"
        )
