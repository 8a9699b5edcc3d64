"""Removal of retired attributes from the rows, 30 days after the data came to the version that retired them.

A batch job: it walks all rows, goes on where a killed run ended, and keeps to a rate. A row is changed only if the
attribute still has the value that was read; so a row that is deleted meanwhile is not made anew, and a value that an
older Sparks writes meanwhile is looked at again. From its beginning, no Sparks that would write the attribute can open
the data any more.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from sparks.evolve.pages import last_key, throttled_pages
from sparks.evolve.rekeyed_table import RekeyedTable
from sparks.library.leases import ATTRIBUTE_REMOVAL, HeldLeases, held_leases
from sparks.library.schema import AttributeHistory, Registry
from sparks.library.schema_state import change_schema_state
from sparks.library.throttle import Throttle
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.schema_state import Place, SchemaState
from sparks.table.port import Equals, Item, Key, Set, Table

WAIT: Final = timedelta(days=30)
CHANGES: Final = 50  # in a transaction
TRIES: Final = 10
Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class RemovalResult:
    """`rows` were looked at; `removed` counts the rows that lost each attribute, or would lose it."""

    rows: int
    removed: Mapping[str, int]


def due_at(attribute: AttributeHistory, state: SchemaState) -> datetime | None:
    """The time from which a retired attribute may be removed; None where the data have not come to its version."""
    taken_on = state.taken_on.get(str(attribute.retired))
    return None if taken_on is None else taken_on + WAIT


def due_removals(registry: Registry, state: SchemaState, *, at: datetime) -> list[AttributeHistory]:
    due = ((each, due_at(each, state)) for each in registry.retired() if each.name not in state.removed)
    return [each for each, time in due if time is not None and time <= at]


def preview_removal(
    due: Sequence[AttributeHistory], *, throttle: Throttle, on_progress: Progress, table: RekeyedTable
) -> RemovalResult:
    """Counts what `remove_attributes` would change."""
    found: Counter[str] = Counter()
    rows = 0
    for page in throttled_pages(table, throttle):
        for item in page:
            found.update(each.name for each in _retired_in(item, due, table.registry))
        rows += len(page)
        on_progress("rows", rows)
    return RemovalResult(rows, {each.name: found[each.name] for each in due})


def remove_attributes(
    due: Sequence[AttributeHistory],
    *,
    at: datetime,
    throttle: Throttle,
    on_progress: Progress,
    table: RekeyedTable,
) -> RemovalResult:
    """Busy where another run does this."""
    first = table.tables(Place.FIRST)
    with held_leases(ATTRIBUTE_REMOVAL, at=at, table=table) as leases:
        job = _Removal(due, leases, table)
        _exclude_older_readers(due, first)
        for page in throttled_pages(table, throttle, job.after):
            job.clean(page)
            job.checkpoint(page)
            on_progress("rows", job.rows)
        change_schema_state(
            first, lambda state: replace(state, removed={**state.removed, **{each.name: leases.now() for each in due}})
        )
        job.finish()
        return RemovalResult(job.rows, {each.name: job.removed[each.name] for each in due})


class _Removal:
    """The progress of a run, stored in the state of the job."""

    def __init__(self, due: Sequence[AttributeHistory], leases: HeldLeases, table: RekeyedTable) -> None:
        self._due = due
        self._leases = leases
        self._table = table
        self._names = sorted(each.name for each in due)
        before = leases[ATTRIBUTE_REMOVAL].stats or {}
        kept: Mapping[str, Any] = before if before.get("attributes") == self._names else {}
        self.after = Key(*kept["after"]) if "after" in kept else None
        self.rows: int = kept.get("rows", 0)
        self.removed: Counter[str] = Counter(kept.get("removed", {}))

    def clean(self, items: Sequence[Item]) -> None:
        found = [(item, names) for item in items if (names := _retired_in(item, self._due, self._table.registry))]
        for start in range(0, len(found), CHANGES):
            some = found[start : start + CHANGES]
            try:
                self._table.write(*(_removal(item, names) for item, names in some))
            except ConditionFailed:
                for item, names in some:
                    self._clean_one(item, names)
            self.removed.update(each.name for _, names in some for each in names)

    def checkpoint(self, page: list[Item]) -> None:
        self.rows += len(page)
        progress = {"attributes": self._names, "rows": self.rows, "removed": dict(self.removed)}
        self._leases.note(ATTRIBUTE_REMOVAL, stats={**progress, "after": last_key(page)})

    def finish(self) -> None:
        stats = {"rows": self.rows, "removed": dict(self.removed)}
        self._leases.note(ATTRIBUTE_REMOVAL, stats=stats, last_run_at=self._leases.now())

    def _clean_one(self, item: Item, names: Sequence[AttributeHistory]) -> None:
        """Another process has changed or deleted the row: it is read again."""
        key = Key(item["PK"], item["SK"])
        current: Item | None = item
        for _ in range(TRIES):
            left = [] if current is None else [each for each in names if each.attribute in current]
            if current is None or not left:
                return
            try:
                self._table.write(_removal(current, left))
            except ConditionFailed:
                current = self._table.get(key)
            else:
                return
        raise Busy(f"a row is written all the time, perhaps by an older Sparks, with {names[0].name}: try again later")


def _retired_in(item: Item, due: Sequence[AttributeHistory], registry: Registry) -> list[AttributeHistory]:
    """The retired attributes that the row holds, of its own record type."""
    return [each for each in due if each.attribute in item and registry.record_types[each.record].matches(item)]


def _removal(item: Item, names: Sequence[AttributeHistory]) -> Set:
    as_seen = tuple(Equals(each.attribute, item[each.attribute]) for each in names)
    return Set(Key(item["PK"], item["SK"]), remove=frozenset(each.attribute for each in names), when=as_seen)


def _exclude_older_readers(due: Sequence[AttributeHistory], first: Table) -> None:
    oldest = max(each.retired or 0 for each in due)
    change_schema_state(first, lambda state: replace(state, oldest_reader=max(state.oldest_reader, oldest)))
