"""Write tokens: a repeat within ten minutes is harmless."""

import uuid
from decimal import Decimal
from pathlib import Path

import pytest

from sparks.model.errors import BadInput, ConditionFailed, Conflict
from sparks.table.port import TOKEN_SECONDS, Absent, Add, AtLeast, Check, Delete, Key, Present, Put, Set, Table
from tests.conformance.table.adapters import EMBEDDED, open_table
from tests.conformance.table.rows import row

KEY = Key("p", "s")


@pytest.fixture
def token() -> str:
    return str(uuid.uuid4())


def test_a_repeat_adds_once(table: Table, token: str) -> None:
    for _ in range(3):
        table.write(Add(KEY, {"n": 1}), token=token)
    assert table.get(KEY) == row(n=1)


def test_a_repeat_is_harmless_even_after_the_items_changed(table: Table, token: str) -> None:
    def book() -> None:
        table.write(Put(row(sk="booked"), when=(Absent(),)), Add(KEY, {"n": -1}, when=(AtLeast("n", 1),)), token=token)

    table.write(Put(row(n=1)))
    book()
    book()
    table.write(Delete(Key("p", "booked")), Put(row(n="text now")))
    book()
    assert table.scan().items == [row(n="text now")]


def test_a_single_change_may_have_a_token(table: Table, token: str) -> None:
    table.write(Put(row(n=1), when=(Absent(),)), token=token)
    table.write(Set(KEY, {"n": 2}))
    table.write(Put(row(n=1), when=(Absent(),)), token=token)
    assert table.get(KEY) == row(n=2)


def test_the_same_token_with_other_changes_is_a_conflict(table: Table, token: str) -> None:
    table.write(Put(row(n=1)), token=token)
    for other in (
        [Put(row(n=2))],
        [Put(row(n=1), when=(Present(),))],
        [Put(row(n=1)), Put(row(sk="more"))],
        [Set(KEY, {"n": 1})],
        [Delete(KEY)],
    ):
        with pytest.raises(Conflict) as conflict:
            table.write(*other, token=token)
        assert not isinstance(conflict.value, ConditionFailed)
    assert table.scan().items == [row(n=1)]


def test_equal_changes_are_the_same_in_any_order_of_attributes(table: Table, token: str) -> None:
    table.write(
        Put({"PK": "p", "SK": "1", "m": {"x": 1, "y": [2]}}),
        Set(Key("p", "2"), {"a": 1, "b": Decimal("0.5")}, remove=frozenset("cdefgh")),
        Add(Key("p", "3"), {"n": 1, "m": 2}),
        token=token,
    )
    table.write(
        Put({"m": {"y": (Decimal("2.0"),), "x": Decimal(1)}, "SK": "1", "PK": "p"}),
        Set(Key("p", "2"), {"b": Decimal("0.50"), "a": 1}, remove=frozenset("hgfedc")),
        Add(Key("p", "3"), {"m": 2, "n": Decimal("1.00")}),
        token=token,
    )
    assert table.get(Key("p", "3")) == row(sk="3", n=1, m=2)


def test_a_failed_write_leaves_its_token_unused(table: Table, token: str) -> None:
    with pytest.raises(ConditionFailed):
        table.write(Put(row(n=1), when=(Present(),)), token=token)
    with pytest.raises(BadInput):
        table.write(Put(row(n=None)), token=token)
    table.write(Put(row(n=2)), token=token)
    assert table.get(KEY) == row(n=2)


def test_the_same_write_may_succeed_later_with_its_token(table: Table, token: str) -> None:
    with pytest.raises(ConditionFailed):
        table.write(Set(KEY, {"n": 1}, when=(Present(),)), token=token)
    table.write(Put(row()))
    table.write(Set(KEY, {"n": 1}, when=(Present(),)), token=token)
    assert table.get(KEY) == row(n=1)


def test_another_token_is_another_write(table: Table, token: str) -> None:
    table.write(Add(KEY, {"n": 1}), token=token)
    table.write(Add(KEY, {"n": 1}), token=str(uuid.uuid4()))
    table.write(Add(KEY, {"n": 1}))
    assert table.get(KEY) == row(n=3)


def test_a_check_may_have_a_token(table: Table, token: str) -> None:
    table.write(Check(KEY, (Absent(),)), token=token)
    table.write(Put(row()))
    table.write(Check(KEY, (Absent(),)), token=token)


@pytest.mark.parametrize("token", ["", "t" * 37])
def test_a_token_has_1_to_36_characters(table: Table, token: str) -> None:
    with pytest.raises(BadInput):
        table.write(Put(row()), token=token)
    table.write(Put(row()), token="t")
    table.write(Put(row()), token=str(uuid.uuid4()))


@pytest.mark.parametrize("embedded", EMBEDDED)
def test_a_token_expires_after_ten_minutes(embedded: str, tmp_path: Path, token: str) -> None:
    now = 1_000_000.0
    with open_table(embedded, tmp_path, clock=lambda: now) as table:
        table.write(Add(KEY, {"n": 1}), token=token)
        now += TOKEN_SECONDS - 1
        table.write(Add(KEY, {"n": 1}), token=token)
        assert table.get(KEY) == row(n=1)
        now += 1
        table.write(Add(KEY, {"n": 10}), token=token)
        assert table.get(KEY) == row(n=11)


def test_an_empty_list_and_an_empty_map_are_different_changes(table: Table, token: str) -> None:
    table.write(Put(row(value=[])), token=token)
    with pytest.raises(Conflict):
        table.write(Put(row(value={})), token=token)
