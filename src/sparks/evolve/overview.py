"""Overview of the stored data: their version, every attribute with its history, and what is due."""

from dataclasses import dataclass
from datetime import datetime

from sparks.evolve.rekey import waiting_rekeyings
from sparks.evolve.rekeyed_table import RekeyedTable
from sparks.evolve.remove_attributes import due_at, due_removals
from sparks.library.leases import ATTRIBUTE_REMOVAL, REKEYING, job_state
from sparks.library.schema import AttributeHistory, Version
from sparks.model.schema_state import Place, RekeyPhase, SchemaState
from sparks.table.port import Table


@dataclass(frozen=True, slots=True)
class AttributeOverview:
    """`due_at` is the time from which a retired attribute may be removed, `removed_at` when that was done."""

    history: AttributeHistory
    due_at: datetime | None = None
    removed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Rows that an unfinished run has done so far. `is_running`: a process holds its lease."""

    rows: int
    is_running: bool


@dataclass(frozen=True, slots=True)
class Overview:
    state: SchemaState
    versions: tuple[Version, ...]
    attributes: list[AttributeOverview]
    due: list[AttributeHistory]
    rekeyings: list[str]
    phase: RekeyPhase | None
    removal: Progress | None
    rekeying: Progress | None

    @property
    def program_version(self) -> int:
        return self.versions[-1].number


def read_overview(table: RekeyedTable, *, at: datetime) -> Overview:
    state, registry = table.open(), table.registry
    return Overview(
        state=state,
        versions=registry.versions,
        attributes=[
            AttributeOverview(
                each,
                due_at(each, state) if each.retired is not None else None,
                state.removed.get(each.name),
            )
            for each in registry.attributes()
        ],
        due=due_removals(registry, state, at=at),
        rekeyings=[rekeying.name for rekeying in waiting_rekeyings(table, state)] or list(state.rekeying),
        phase=state.phase,
        removal=_progress(table, ATTRIBUTE_REMOVAL, "rows", unfinished="after", at=at),
        rekeying=None
        if state.phase is None
        else _progress(table.tables(Place.FIRST), REKEYING, "copied", unfinished="rekeying", at=at),
    )


def _progress(table: Table, job_name: str, counted: str, *, unfinished: str, at: datetime) -> Progress | None:
    state = job_state(job_name, table=table)
    stats = state.stats or {}
    if unfinished not in stats:
        return None
    return Progress(stats.get(counted, 0), state.lease is not None and state.lease.expires_at > at)
