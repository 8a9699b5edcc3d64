"""Status of the migration: phase, side that takes writes, lag, issues, and the running command."""

from contextlib import closing
from dataclasses import dataclass, field

from sparks.library.migration_state import read_migration_state
from sparks.migrate.cutover import only_in_target
from sparks.migrate.issues import count_issues
from sparks.migrate.lease import Holder, current_holder
from sparks.migrate.mirror import mirror_lag
from sparks.migrate.sources import capture_of, connect_source, freeze_of
from sparks.model.errors import SparksError
from sparks.model.migration import MigrationPhase, MigrationState, WriteSide
from sparks.table.port import Table


@dataclass(frozen=True, slots=True)
class Status:
    """`problem` is why the source could not be asked; lag and writes are then as they were last written down."""

    state: MigrationState
    writes: WriteSide
    changes: int = 0
    seconds: float = 0.0
    issues: int = 0
    not_taken: int = 0
    running: Holder | None = None
    only_in_target: dict[str, int] = field(default_factory=dict)
    problem: str | None = None


def migration_status(table: Table) -> Status:
    state = read_migration_state(table)
    if state is None or state.source is None:
        return Status(MigrationState(), WriteSide.SOURCE)
    issues = count_issues(table)
    writes, changes, seconds, problem = _asked(state, table)
    return Status(
        state,
        writes,
        changes,
        seconds,
        issues.total,
        issues.not_taken,
        current_holder(table=table),
        only_in_target(table),
        problem,
    )


def _asked(state: MigrationState, table: Table) -> tuple[WriteSide, int, float, str | None]:
    if state.phase is MigrationPhase.FINISHED:
        return state.writes, 0, 0.0, None
    if state.phase is MigrationPhase.CUTOVER:
        return state.writes, *mirror_lag(table), None
    try:
        with closing(connect_source(state.source or "", state.options)) as source:
            frozen = freeze_of(source).is_frozen()
            lag = capture_of(source).lag() if state.phase is not MigrationPhase.NONE else (0, 0.0)
            return WriteSide.NEITHER if frozen else state.writes, *lag, None
    except SparksError as error:
        return state.writes, state.lag_changes or 0, state.lag_seconds or 0.0, str(error)
