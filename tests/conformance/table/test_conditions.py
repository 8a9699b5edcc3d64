"""Conditions, and the items on which they hold."""

from decimal import Decimal
from typing import Any

import pytest

from sparks.model.errors import BadInput, ConditionFailed
from sparks.table.port import (
    Absent,
    Add,
    AtLeast,
    AttributeAbsent,
    Change,
    Check,
    Condition,
    Conditions,
    Delete,
    Equals,
    Key,
    NotEquals,
    Present,
    Put,
    Set,
    Table,
)
from tests.conformance.table.rows import row

KEY = Key("p", "s")
Attributes = dict[str, Any] | None  # None: no item


def allows(table: Table, *when: Condition) -> bool:
    try:
        table.write(Check(KEY, when))
    except ConditionFailed:
        return False
    return True


@pytest.mark.parametrize(
    ("condition", "attributes", "holds"),
    [
        (Absent(), None, True),
        (Absent(), {}, False),
        (Present(), None, False),
        (Present(), {}, True),
        (AttributeAbsent("a"), None, True),
        (AttributeAbsent("a"), {"b": 1}, True),
        (AttributeAbsent("a"), {"a": ""}, False),
        (AttributeAbsent("PK"), {}, False),
        (AtLeast("a", 5), None, False),
        (AtLeast("a", 5), {"b": 5}, False),
        (AtLeast("a", 5), {"a": 4}, False),
        (AtLeast("a", 5), {"a": 5}, True),
        (AtLeast("a", 5), {"a": Decimal("5.5")}, True),
        (AtLeast("a", Decimal("5.5")), {"a": 5}, False),
        (AtLeast("a", 9), {"a": 10}, True),
        (AtLeast("a", -1), {"a": -2}, False),
        (AtLeast("a", 10**37), {"a": 10**37 + 1}, True),
        (AtLeast("a", 10**37 + 1), {"a": 10**37}, False),
        (AtLeast("a", 1), {"a": "1"}, False),
        (AtLeast("a", 1), {"a": True}, False),
        (AtLeast("a", 0), {"a": [1]}, False),
        (AtLeast("a", "b"), {"a": "b"}, True),
        (AtLeast("a", "b"), {"a": "a"}, False),
        (AtLeast("a", "9"), {"a": "10"}, False),
        (AtLeast("a", "1"), {"a": 1}, False),
        (AtLeast("a", "1"), {"a": b"2"}, False),
        (AtLeast("a", ""), {"a": ""}, True),
        (AtLeast("a", "\uffff"), {"a": "\U00010000"}, True),
        (AtLeast("a", "\U00010000"), {"a": "\ue000"}, False),
        (AtLeast("SK", "r"), {}, True),
    ],
    ids=str,
)
def test_a_condition_holds_or_not(table: Table, condition: Condition, attributes: Attributes, holds: bool) -> None:
    if attributes is not None:
        table.write(Put(row(**attributes)))
    assert allows(table, condition) is holds


@pytest.mark.parametrize(
    ("value", "attributes", "equal"),
    [
        (1, None, False),
        (1, {}, False),
        (1, {"b": 1}, False),
        (1, {"a": 1}, True),
        (Decimal("1.0"), {"a": 1}, True),
        (1, {"a": 2}, False),
        (1, {"a": True}, False),
        (True, {"a": 1}, False),
        (True, {"a": True}, True),
        (False, {"a": 0}, False),
        (1, {"a": "1"}, False),
        ("", {"a": ""}, True),
        ("", {"a": b""}, False),
        ("", {}, False),
        ("A", {"a": "a"}, False),
        ("\u00e4", {"a": "a\u0308"}, False),
        (b"\x00", {"a": b"\x00"}, True),
        (b"1", {"a": "1"}, False),
        ([], {"a": []}, True),
        ([], {"a": {}}, False),
        ([1, 2], {"a": [1, 2]}, True),
        ([1, 2], {"a": [2, 1]}, False),
        ([1], {"a": [1, 1]}, False),
        ([Decimal("1.0")], {"a": [1]}, True),
        ([True], {"a": [1]}, False),
        ({"x": 1, "y": [2]}, {"a": {"y": [2], "x": 1}}, True),
        ({"x": 1}, {"a": {"x": 1, "y": 2}}, False),
        ({"x": 1}, {"a": {"x": "1"}}, False),
        (10**37 + 1, {"a": 10**37}, False),
    ],
    ids=str,
)
def test_equality_requires_the_same_type(table: Table, value: Any, attributes: Attributes, equal: bool) -> None:
    if attributes is not None:
        table.write(Put(row(**attributes)))
    assert allows(table, Equals("a", value)) is equal
    assert allows(table, NotEquals("a", value)) is not equal


@pytest.mark.parametrize("name", ["limit", "ttl", "a.b", "#n", ":v", "size", "a b", "\0"])
def test_a_condition_may_name_any_attribute(table: Table, name: str) -> None:
    table.write(Put(row() | {name: 5}))
    assert allows(table, Equals(name, 5), NotEquals(name, 6), AtLeast(name, 4))
    assert not allows(table, AttributeAbsent(name))


@pytest.mark.parametrize(
    "when",
    [
        (Present(), Equals("a", 1), AtLeast("n", 3)),
        (Present(), Present()),
        (Equals("a", 1), Equals("a", 1), NotEquals("a", 2), AttributeAbsent("b"), NotEquals("b", 1), AtLeast("n", 2)),
    ],
)
def test_several_conditions_hold_together(table: Table, when: Conditions) -> None:
    table.write(Put(row(a=1, n=3)))
    assert allows(table, *when)
    for place in range(len(when) + 1):
        assert not allows(table, *when[:place], Equals("a", 2), *when[place:])


@pytest.mark.parametrize(
    "change",
    [
        Put(row(a=2), (Equals("a", 9),)),
        Set(KEY, {"a": 2}, when=(Absent(),)),
        Add(KEY, {"a": 1}, when=(AttributeAbsent("a"),)),
        Delete(KEY, (AtLeast("a", 2),)),
        Check(KEY, (NotEquals("a", 1),)),
    ],
    ids=lambda change: type(change).__name__,
)
def test_a_failed_condition_returns_the_found_item_and_changes_nothing(table: Table, change: Change) -> None:
    table.write(Put(row(a=1, tags=["x"], ratio=Decimal("1.5"))))
    with pytest.raises(ConditionFailed) as failed:
        table.write(change)
    assert failed.value.position == 0
    assert failed.value.found == row(a=1, tags=["x"], ratio=Decimal("1.5"))
    assert table.get(KEY) == failed.value.found


@pytest.mark.parametrize(
    "change",
    [
        Put(row(), (Present(),)),
        Set(KEY, {"a": 2}, when=(Equals("a", 1),)),
        Add(KEY, {"a": 1}, when=(AtLeast("a", 0),)),
        Delete(KEY, (Present(),)),
        Check(KEY, (Present(),)),
    ],
    ids=lambda change: type(change).__name__,
)
def test_a_failed_condition_reports_a_missing_item(table: Table, change: Change) -> None:
    with pytest.raises(ConditionFailed) as failed:
        table.write(change)
    assert (failed.value.position, failed.value.found) == (0, None)
    assert table.get(KEY) is None


@pytest.mark.parametrize(
    "condition",
    [
        Equals("a", None),
        Equals("a", {1}),
        Equals("a", "\ud800"),
        Equals("", 1),
        NotEquals("a", 0.5),
        AtLeast("a", True),
        AtLeast("a", b"x"),  # type: ignore[arg-type]
        AtLeast("a", [1]),  # type: ignore[arg-type]
        AttributeAbsent(""),
    ],
    ids=str,
)
def test_an_invalid_condition_is_bad_input(table: Table, condition: Condition) -> None:
    with pytest.raises(BadInput):
        table.write(Check(KEY, (condition,)))
