"""Counters that are raised in one step and return the new number."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

from sparks.model.errors import BadInput
from sparks.table.port import EntityType, Key, Number, Put, Table
from sparks.table.wrapper import TableWrapper
from tests.conformance.table.rows import row

KEY = Key("p", "s")


def test_a_counter_begins_at_zero_and_returns_each_new_number(table: Table) -> None:
    found = [table.increment(KEY, "limit"), table.increment(KEY, "limit", 5), table.increment(KEY, "limit", -2)]
    assert found == [1, 6, 4]
    assert table.get(KEY) == row(limit=4)


def test_an_increment_sets_values_and_leaves_other_attributes(table: Table) -> None:
    table.write(Put(row(limit=7, other="kept", entityType="before")))
    assert table.increment(KEY, "limit", values={"entityType": "E"}) == 8
    assert table.query(EntityType("E")).items == [row(limit=8, other="kept", entityType="E")]


def test_a_counter_with_a_fraction_keeps_it(table: Table) -> None:
    table.write(Put(row(limit=Decimal("0.5"))))
    assert table.increment(KEY, "limit") == Decimal("1.5")


@pytest.mark.parametrize("held", ["1", True, [1]], ids=repr)
def test_an_increment_of_something_that_is_no_number_is_bad_input(table: Table, held: Any) -> None:
    table.write(Put(row(n=held)))
    with pytest.raises(BadInput):
        table.increment(KEY, "n")
    assert table.get(KEY) == row(n=held)


@pytest.mark.parametrize(("name", "values"), [("PK", {}), ("entityType", {}), ("n", {"n": 1}), ("n", {"SK": "t"})])
def test_an_increment_of_a_key_or_of_a_value_that_it_sets_is_bad_input(
    table: Table, name: str, values: dict[str, Any]
) -> None:
    with pytest.raises(BadInput):
        table.increment(KEY, name, values=values)
    assert table.get(KEY) is None


def test_concurrent_increments_never_return_one_number_twice(table: Table) -> None:
    wrapped = TableWrapper(table)

    def draw(_: int) -> list[Number]:
        return [wrapped.increment(KEY, "limit") for _ in range(10)]

    with ThreadPoolExecutor(8) as threads:
        drawn = [number for some in threads.map(draw, range(8)) for number in some]
    assert sorted(drawn) == list(range(1, 81))
    assert table.get(KEY) == row(limit=80)
