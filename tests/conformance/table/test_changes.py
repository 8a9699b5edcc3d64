"""Changes and their effect on an item."""

from decimal import Decimal
from typing import Any

import pytest

from sparks.model.errors import BadInput, ConditionFailed
from sparks.table.port import Absent, Add, Change, Check, Delete, EntityType, Key, Partition, Present, Put, Set, Table
from tests.conformance.table.rows import row

KEY = Key("p", "s")


def test_a_new_table_is_empty(table: Table) -> None:
    assert table.get(KEY) is None
    assert table.get_many([KEY]) == {}
    assert table.query(Partition("p")).items == table.scan().items == []


def test_a_put_replaces_the_whole_item(table: Table) -> None:
    table.write(Put(row(a=1, b=2)))
    table.write(Put(row(a=3)))
    assert table.get(KEY) == row(a=3)


def test_a_put_may_require_that_the_item_is_absent(table: Table) -> None:
    table.write(Put(row(a=1), when=(Absent(),)))
    assert table.get(KEY) == row(a=1)


def test_a_set_changes_what_it_names_and_leaves_the_rest(table: Table) -> None:
    table.write(Put(row(a=1, b={"x": 1}, c="c")))
    table.write(Set(KEY, {"b": {"y": 2}, "d": [4]}, remove=frozenset({"c", "not there"})))
    assert table.get(KEY) == row(a=1, b={"y": 2}, d=[4])


def test_a_set_creates_a_missing_item(table: Table) -> None:
    table.write(Set(KEY, {"a": 1}, remove=frozenset({"b"})))
    assert table.get(KEY) == row(a=1)


def test_a_set_may_only_remove(table: Table) -> None:
    table.write(Put(row(a=1, b=2)))
    table.write(Set(KEY, remove=frozenset({"a", "not there"}), when=(Present(),)))
    assert table.get(KEY) == row(b=2)


def test_a_set_that_changes_nothing_still_has_its_conditions(table: Table) -> None:
    table.write(Put(row(a=1)))
    table.write(Set(KEY, when=(Present(),)))
    table.write(Set(KEY, when=(Present(),)), Put(row(sk="other")))
    assert table.get(KEY) == row(a=1)
    with pytest.raises(ConditionFailed):
        table.write(Set(Key("p", "not there"), when=(Present(),)))
    assert table.get(Key("p", "not there")) is None


def test_an_add_counts_from_zero_and_creates_the_item(table: Table) -> None:
    table.write(Add(KEY, {"limit": 5, "nothing": 0}, {"name": "x"}))
    table.write(Add(KEY, {"limit": -7, "other": Decimal("0.5")}, {"name": "y"}))
    assert table.get(KEY) == row(limit=-2, nothing=0, other=Decimal("0.5"), name="y")


@pytest.mark.parametrize(
    ("held", "amount", "total"),
    [
        (Decimal("0.1"), Decimal("0.2"), Decimal("0.3")),
        (Decimal("0.5"), Decimal("0.5"), 1),
        (1, Decimal("-0.5"), Decimal("0.5")),
        (10**37, 1, 10**37 + 1),
        (int("9" * 38), 1, 10**38),
        (int("9" * 38), -int("9" * 38), 0),
        (2**63 - 1, 1, 2**63),
        (Decimal("1E-130"), Decimal("1E-130"), Decimal("2E-130")),
    ],
)
def test_sums_are_exact(table: Table, held: Any, amount: Any, total: Any) -> None:
    table.write(Put(row(n=held)))
    table.write(Add(KEY, {"n": amount}))
    found = table.get(KEY)
    assert found is not None
    assert repr(found["n"]) == repr(total)


@pytest.mark.parametrize(
    ("held", "amount"),
    [(int("9" * 38), Decimal("0.5")), (10**50, 1), (9 * 10**125, 10**125)],
    ids=["digits"] * 2 + ["size"],
)
def test_a_sum_of_more_than_38_digits_is_bad_input(table: Table, held: Any, amount: Any) -> None:
    table.write(Put(row(n=held)))
    with pytest.raises(BadInput):
        table.write(Add(KEY, {"n": amount}))
    with pytest.raises(BadInput):
        table.write(Put(row(sk="other")), Add(KEY, {"n": amount}))
    assert table.scan().items == [row(n=held)]


@pytest.mark.parametrize("held", ["1", b"1", True, [1], {"n": 1}], ids=repr)
def test_adding_to_something_that_is_not_a_number_is_bad_input(table: Table, held: Any) -> None:
    table.write(Put(row(n=held)))
    with pytest.raises(BadInput):
        table.write(Add(KEY, {"n": 1}))
    with pytest.raises(BadInput):
        table.write(Put(row(sk="other")), Add(KEY, {"n": 1}))
    assert table.scan().items == [row(n=held)]


def test_a_delete_removes_the_item_and_ignores_a_missing_one(table: Table) -> None:
    table.write(Put(row(entityType="E")))
    table.write(Delete(KEY))
    table.write(Delete(KEY))
    assert table.get(KEY) is None
    assert table.query(EntityType("E")).items == table.scan().items == []


def test_a_check_changes_nothing(table: Table) -> None:
    table.write(Check(KEY, (Absent(),)))
    assert table.get(KEY) is None
    table.write(Put(row(a=1)))
    table.write(Check(KEY, (Present(),)))
    assert table.get(KEY) == row(a=1)


@pytest.mark.parametrize(
    "change",
    [
        Set(KEY, {"PK": "q"}),
        Set(KEY, {"SK": "s"}),
        Set(KEY, {"a": 1}, remove=frozenset({"SK"})),
        Set(KEY, {"a": 1}, remove=frozenset({"a"})),
        Add(KEY, {}),
        Add(KEY, {"PK": 1}),
        Add(KEY, {"entityType": 1}),
        Add(KEY, {"n": 1}, {"n": 2}),
        Add(KEY, {"n": 1}, {"SK": "t"}),
        Add(KEY, {"n": True}),
        Add(KEY, {"n": "1"}),  # type: ignore[dict-item]
        Add(KEY, {"n": 0.5}),  # type: ignore[dict-item]
        Add(KEY, {"n": Decimal("NaN")}),
        Add(KEY, {"n": int("1" * 39)}),
    ],
    ids=str,
)
def test_a_contradictory_change_is_bad_input(table: Table, change: Change) -> None:
    with pytest.raises(BadInput):
        table.write(change)
    assert table.scan().items == []


@pytest.mark.parametrize("change", [Check(KEY, ()), Set(KEY)], ids=["check", "set"])
def test_a_write_that_changes_nothing_needs_a_condition(table: Table, change: Check | Set) -> None:
    with pytest.raises(BadInput, match="needs a condition"):
        table.write(change)
