"""Removal of a retired attribute: the one that version 2 retired, while processes write the same rows."""

import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from typing import Final, Self

import pytest

from sparks.evolve.rekeyed_table import RekeyedTable
from sparks.evolve.remove_attributes import (
    WAIT,
    RemovalResult,
    due_removals,
    preview_removal,
    remove_attributes,
)
from sparks.library.leases import ATTRIBUTE_REMOVAL, acquire_lease
from sparks.library.records import key_of, to_item
from sparks.library.schema import REGISTRY
from sparks.library.schema_state import change_schema_state, read_schema_state
from sparks.library.throttle import Throttle
from sparks.model.biometric_erasure import RecognitionOptOut
from sparks.model.errors import Busy
from sparks.model.person import Suggestion
from sparks.model.schema_state import Place
from sparks.table.memory import MemoryTable
from sparks.table.port import Change, Delete, Item, Key, Page, Put, Set, Table
from sparks.table.wrapper import TableWrapper
from tests.evolve.places import ENGINES, Clock, Killed, Processes, opened, rows_of, two_tables
from tests.factories import NOON
from tests.servers.process import wait_until

ROWS: Final = 60
MADE_AT: Final = "2025-08-01T09:24:22.159Z"
DUE: Final = REGISTRY.retired()
LATER: Final = NOON + WAIT


@pytest.fixture(params=ENGINES)
def processes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Processes]:
    with two_tables(request.param, tmp_path) as processes:
        yield processes


@pytest.fixture
def in_memory(tmp_path: Path) -> Iterator[Processes]:
    with two_tables("memory", tmp_path) as processes:
        yield processes


def suggestion(number: int) -> Suggestion:
    return Suggestion(
        person_id=f"person{number}", other_person_id="person1000", face_id="a", other_face_id="b", similarity=0.5
    )


def fill(table: Table) -> dict[Key, Item]:
    """Rows as version 1 wrote them; returns them as they should be in the end."""
    new = [to_item(suggestion(number)) for number in range(ROWS)]
    table.write(*(Put({**item, "madeAt": MADE_AT}) for item in new))
    opt_out = to_item(RecognitionOptOut(unrecognised_id="x", engine="e", embedding=b"v", made_at=NOON))
    assert "madeAt" in opt_out
    table.write(Put(opt_out))
    return {Key(item["PK"], item["SK"]): item for item in (*new, opt_out)}


def remove(table: RekeyedTable, *, throttle: Throttle | None = None) -> RemovalResult:
    return remove_attributes(
        DUE, at=LATER, throttle=throttle or Throttle(None), on_progress=lambda *_: None, table=table
    )


def test_a_retired_attribute_is_due_30_days_after_the_data_came_to_its_version(in_memory: Processes) -> None:
    table = opened(in_memory, REGISTRY)
    change_schema_state(table.tables(Place.FIRST), lambda state: replace(state, taken_on={"1": NOON - WAIT, "2": NOON}))
    assert due_removals(REGISTRY, table.open(), at=LATER - timedelta(seconds=1)) == []
    assert [each.name for each in due_removals(REGISTRY, table.open(), at=LATER)] == ["Suggestion.madeAt"]


def test_a_retired_attribute_is_removed_while_processes_write_and_their_writes_stay(processes: Processes) -> None:
    table, other = opened(processes, REGISTRY), opened(processes, REGISTRY)
    expected = fill(table)
    count = preview_removal(DUE, throttle=Throttle(None), on_progress=lambda *_: None, table=table)
    assert count.removed == {"Suggestion.madeAt": ROWS}

    def meddle() -> None:
        """Another process changes, deletes and replaces rows, and an older Sparks writes the attribute once more."""
        changed, deleted, replaced, old = map(suggestion, range(4))
        other.write(Set(key_of(changed), {"faceId": "c"}))
        expected[key_of(changed)]["faceId"] = "c"
        other.write(Delete(key_of(deleted)))
        del expected[key_of(deleted)]
        expected[key_of(replaced)] = to_item(replace(replaced, similarity=0.75))
        other.write(Put(expected[key_of(replaced)]))
        other.write(Set(key_of(old), {"madeAt": "2026-08-01T09:24:22.159Z"}))

    meddled = MeddledScan(processes()(Place.FIRST), meddle)
    with SuggestionWriter(opened(processes, REGISTRY), range(ROWS - 10, ROWS)) as writer:
        wait_until(lambda: writer.writes > 2, what="the writer to write")
        result = remove(RekeyedTable({Place.FIRST: meddled}.__getitem__, REGISTRY))
    for number in writer.numbers:
        expected.pop(key_of(suggestion(number)))
    assert rows_of(table) == expected | writer.expected
    assert result.rows >= ROWS - 10
    state = read_schema_state(processes()(Place.FIRST))
    assert state is not None
    assert set(state.removed) == {"Suggestion.madeAt"}
    assert due_removals(REGISTRY, state, at=LATER + WAIT) == []


class MeddledScan(TableWrapper):
    """Another process acts right after the first look at the rows."""

    def __init__(self, table: Table, meddle: Callable[[], None]) -> None:
        super().__init__(table)
        self._acts = [meddle]

    def scan(self, *, limit: int = 1000, after: Key | None = None) -> Page:
        page = super().scan(limit=limit, after=after)
        if self._acts:
            self._acts.pop()()
        return page


class SuggestionWriter:
    """A process that never stops changing, deleting and making its suggestions."""

    def __init__(self, table: Table, numbers: range) -> None:
        self.numbers = numbers
        self.expected: dict[Key, Item] = {}
        self.writes = 0
        self._table = table
        self._stops = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stops.set()
        self._thread.join()

    def _run(self) -> None:
        for number in cycle(self.numbers):
            value = replace(suggestion(number), similarity=random.Random(self.writes).random())
            key, item = key_of(value), to_item(value)
            if self.writes % 3 == 2:
                self._table.write(Delete(key))
                self.expected.pop(key, None)
            else:
                self._table.write(Set(key, {name: held for name, held in item.items() if name not in ("PK", "SK")}))
                self.expected[key] = item
            self.writes += 1
            if self._stops.is_set() and self.writes >= len(self.numbers):
                return


def test_the_walk_keeps_to_its_rate(in_memory: Processes) -> None:
    table, clock = opened(in_memory, REGISTRY), Clock()
    fill(table)
    result = remove(table, throttle=Throttle(10, clock=clock, sleep=clock.sleep))
    again = remove_attributes(
        DUE,
        at=LATER,
        throttle=Throttle(10, clock=clock, sleep=clock.sleep),
        on_progress=lambda *_: None,
        table=table,
    )
    assert clock() >= result.rows / 10
    assert again.removed == {"Suggestion.madeAt": 0}


@pytest.mark.parametrize("last_write", [1, 5, 12, 25])
def test_a_killed_run_goes_on_where_it_ended(last_write: int) -> None:
    raw = MemoryTable()
    table = RekeyedTable({Place.FIRST: raw}.__getitem__, REGISTRY)
    for start in range(0, 1100, 50):
        numbers = range(start, start + 50)
        table.write(*(Put({**to_item(suggestion(number)), "madeAt": MADE_AT}) for number in numbers))
    mortal = RekeyedTable({Place.FIRST: MortalTable(raw, last_write)}.__getitem__, REGISTRY)
    with pytest.raises(Killed):
        remove(mortal)
    seen: list[int] = []
    result = remove_attributes(
        DUE,
        at=LATER + timedelta(minutes=2),
        throttle=Throttle(None),
        on_progress=lambda _, rows: seen.append(rows),
        table=table,
    )
    assert all("madeAt" not in item for item in rows_of(table).values())
    assert seen[-1] == result.rows
    if last_write >= 25:
        assert len(seen) == 1  # the first two of three pages were done before


class MortalTable(TableWrapper):
    """The process ends before a write."""

    def __init__(self, table: Table, last_write: int) -> None:
        super().__init__(table)
        self._left = last_write

    def write(self, *changes: Change, token: str | None = None) -> None:
        self._left -= 1
        if self._left < 0:
            raise Killed
        super().write(*changes, token=token)


def test_two_runs_at_once_are_refused(in_memory: Processes) -> None:
    table = opened(in_memory, REGISTRY)
    acquire_lease(ATTRIBUTE_REMOVAL, "another run", at=LATER, seconds=60, table=table)
    with pytest.raises(Busy):
        remove(table)


def test_no_sparks_that_would_write_the_attribute_can_open_the_data_after_its_removal(in_memory: Processes) -> None:
    table = opened(in_memory, REGISTRY)
    first = table.tables(Place.FIRST)
    change_schema_state(first, lambda state: replace(state, oldest_reader=1))
    remove(table)
    assert table.open().oldest_reader == 2
