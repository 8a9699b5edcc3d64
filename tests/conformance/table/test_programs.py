"""Random programs: every adapter returns what the table in memory returns."""

import uuid
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from sparks.model.errors import BadInput, ConditionFailed, SparksError
from sparks.table.memory import MemoryTable
from sparks.table.port import Add, Change, Item, Key, Partition, Put, Span, Table, Within
from tests.conformance.table import programs
from tests.conformance.table.adapters import ADAPTERS, open_table
from tests.conformance.table.rows import key_of, walk

Outcome = tuple[Any, ...]


def outcome_of(call: Callable[[], object]) -> Outcome:
    try:
        return ("done", call())
    except ConditionFailed as failed:
        return (ConditionFailed, failed.position, failed.found)
    except SparksError as error:
        return (type(error),)


class Comparison(RuleBasedStateMachine):
    """Runs one program on an adapter and on the table in memory, and compares each result."""

    def __init__(self, adapter: str, folder: Path) -> None:
        super().__init__()
        self._opened = ExitStack()
        self._adapter = adapter
        self._table = self._opened.enter_context(open_table(adapter, folder))
        self._model: Table = MemoryTable()
        self._last: tuple[Sequence[Change], str | None] = ((), None)
        self._tokens = {name: str(uuid.uuid4()) for name in ("one", "two")}  # a server's tables share their tokens

    def teardown(self) -> None:
        self._opened.close()

    @initialize(items=programs.libraries)
    def fill(self, items: list[Item]) -> None:
        for table in (self._table, self._model):
            table.write(*map(Put, items))

    @rule(changes=programs.writes(), name=st.sampled_from([None, None, "one", "two"]))
    def write(self, changes: Sequence[Change], name: str | None) -> None:
        token = None if name is None else self._tokens[name]
        self._last = (changes, name)
        expected = outcome_of(lambda: self._model.write(*changes, token=token))
        actual = outcome_of(lambda: self._table.write(*changes, token=token))
        assert actual == expected or self._is_known(changes, actual, expected)

    @precondition(lambda self: self._last[0])
    @rule()
    def repeat_the_last_write(self) -> None:
        self.write(*self._last)

    @rule(key=programs.keys, name=programs.names, amount=st.integers(-2, 2))
    def increment(self, key: Key, name: str, amount: int) -> None:
        expected = outcome_of(lambda: self._model.increment(key, name, amount))
        assert outcome_of(lambda: self._table.increment(key, name, amount)) == expected

    @rule(key=programs.keys)
    def get(self, key: Key) -> None:
        assert self._table.get(key) == self._model.get(key)

    @rule(keys=st.lists(programs.keys, max_size=5))
    def get_many(self, keys: list[Key]) -> None:
        assert self._table.get_many(keys) == self._model.get_many(keys)

    @rule(within=programs.places, span=programs.spans, limit=st.integers(1, 4), newest_first=st.booleans())
    def query(self, within: Within, span: Span, limit: int, newest_first: bool) -> None:
        actual, expected = (
            walk(table, within, span, limit=limit, newest_first=newest_first) for table in (self._table, self._model)
        )
        if isinstance(within, Partition):
            assert actual == expected
        else:  # the adapter orders equal sort keys of an index
            assert [item["PK"] for item in actual] == [item["PK"] for item in expected]
            assert sorted(actual, key=key_of) == sorted(expected, key=key_of)

    @rule()
    def scan(self) -> None:
        assert sorted(self._table.scan().items, key=key_of) == sorted(self._model.scan().items, key=key_of)

    def _is_known(self, changes: Sequence[Change], actual: Outcome, expected: Outcome) -> bool:
        """DynamoDB Local refuses a transaction for an impossible sum before it looks at the conditions of the others,
        where DynamoDB gives a reason for each change."""
        sums = len(changes) > 1 and any(isinstance(change, Add) for change in changes)
        return self._adapter == "dynamodb-local" and sums and actual == (BadInput,) and expected[0] is ConditionFailed


def run_programs(adapter: str, folder: Path, *, examples: int, steps: int, bounded: bool) -> None:
    """Bounded: the same programs each time, and no shrinking of a failing one, which takes long."""
    machine: Any = partial(Comparison, adapter, folder)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            derandomize=bounded,
            phases=[Phase.generate] if bounded else list(Phase),
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize(("adapter", "examples"), [("sqlite", 40), ("dynamodb-local", 12), ("dynoxide", 20)])
def test_random_programs_get_the_results_of_the_reference(adapter: str, examples: int, tmp_path: Path) -> None:
    run_programs(adapter, tmp_path, examples=examples, steps=30, bounded=True)


@pytest.mark.long
@pytest.mark.parametrize("adapter", ADAPTERS[1:])
def test_many_random_programs_get_the_results_of_the_reference(adapter: str, tmp_path: Path) -> None:
    run_programs(adapter, tmp_path, examples=500, steps=50, bounded=False)
