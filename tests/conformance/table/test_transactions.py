"""Transactions: all changes or none."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparks.model.errors import BadInput, ConditionFailed
from sparks.table.port import (
    Absent,
    Add,
    AtLeast,
    Change,
    Check,
    Delete,
    EntityType,
    Equals,
    Key,
    Partition,
    Present,
    Put,
    Set,
    Table,
)
from tests.conformance.table.rows import row, walk


def test_one_transaction_may_hold_all_kinds_of_changes(table: Table) -> None:
    table.write(*(Put(row(sk=sk, n=1)) for sk in "abcd"))
    table.write(
        Put(row(sk="new", n=0), when=(Absent(),)),
        Put(row(sk="a", n=2)),
        Set(Key("p", "b"), {"m": 3}, when=(Equals("n", 1),)),
        Add(Key("p", "c"), {"n": 4}, when=(AtLeast("n", 1),)),
        Delete(Key("p", "d"), when=(Present(),)),
        Check(Key("p", "not there"), (Absent(),)),
    )
    assert walk(table, Partition("p"), limit=10) == [
        row(sk="a", n=2),
        row(sk="b", n=1, m=3),
        row(sk="c", n=5),
        row(sk="new", n=0),
    ]


def test_a_failing_last_change_leaves_nothing_behind(table: Table) -> None:
    before = [row(sk=sk, n=1, entityType="before") for sk in "abc"]
    table.write(*map(Put, before))
    with pytest.raises(ConditionFailed):
        table.write(
            Put(row(sk="new", entityType="after")),
            Put(row(sk="a", entityType="after")),
            Set(Key("p", "b"), {"entityType": "after"}),
            Delete(Key("p", "c")),
            Check(Key("p", "not there"), (Present(),)),
        )
    assert walk(table, Partition("p"), limit=10) == before
    assert table.query(EntityType("after")).items == []
    assert len(table.query(EntityType("before")).items) == 3


@pytest.mark.parametrize("position", [0, 1, 49, 99])
def test_the_position_of_the_first_failed_change_is_returned(table: Table, position: int) -> None:
    table.write(*(Put(row(sk=f"{n:02}", n=n)) for n in range(position, 100)))
    with pytest.raises(ConditionFailed) as failed:
        table.write(*(Put(row(sk=f"{n:02}"), when=(Absent(),)) for n in range(100)))
    assert failed.value.position == position
    assert failed.value.found == row(sk=f"{position:02}", n=position)


def test_a_failed_transaction_distinguishes_a_missing_item_from_a_changed_one(table: Table) -> None:
    table.write(Put(row(sk="there", version=2)))
    for sk, found in (("missing", None), ("there", row(sk="there", version=2))):
        with pytest.raises(ConditionFailed) as failed:
            table.write(Put(row(sk="new")), Set(Key("p", sk), {"a": 1}, when=(Equals("version", 1),)))
        assert (failed.value.position, failed.value.found) == (1, found)


def test_a_write_has_100_changes_at_most(table: Table) -> None:
    table.write(*(Put(row(f"{n}")) for n in range(100)))
    assert len(table.scan().items) == 100
    with pytest.raises(BadInput):
        table.write(*(Delete(Key(f"{n}", "s")) for n in range(101)))
    assert len(table.scan().items) == 100


def test_a_write_of_nothing_is_bad_input(table: Table) -> None:
    with pytest.raises(BadInput):
        table.write()


@pytest.mark.parametrize(
    "second",
    [Put(row(n=2)), Set(Key("p", "s"), {"n": 2}), Delete(Key("p", "s")), Check(Key("p", "s"), (Absent(),))],
    ids=lambda change: type(change).__name__,
)
def test_the_same_item_twice_is_bad_input(table: Table, second: Change) -> None:
    with pytest.raises(BadInput):
        table.write(Put(row(n=1)), Put(row("q")), second)
    assert table.scan().items == []


def test_items_with_one_key_in_common_are_different_items(table: Table) -> None:
    table.write(Put(row("a", "b")), Put(row("b", "a")), Put(row("a", "a")))
    assert len(table.scan().items) == 3


def attempt(table: Table, *changes: Change) -> ConditionFailed | None:
    try:
        table.write(*changes)
    except ConditionFailed as failed:
        return failed
    return None


def test_a_counter_is_never_oversold(table: Table) -> None:
    """50 threads try to take one of 20 at the same time."""
    table.write(Put(row(sk="stock", limit=20)))
    start = threading.Barrier(50)

    def take(buyer: int) -> ConditionFailed | None:
        start.wait()
        return attempt(
            table,
            Add(Key("p", "stock"), {"limit": -1}, when=(AtLeast("limit", 1),)),
            Put(row("sold", f"{buyer:02}"), when=(Absent(),)),
        )

    with ThreadPoolExecutor(50) as buyers:
        failures = [failed for failed in buyers.map(take, range(50)) if failed is not None]
    assert [(failed.position, failed.found) for failed in failures] == [(0, row(sk="stock", limit=0))] * 30
    assert table.get(Key("p", "stock")) == row(sk="stock", limit=0)
    assert len(table.query(Partition("sold")).items) == 20


def test_concurrent_adds_lose_nothing(table: Table) -> None:
    with ThreadPoolExecutor(20) as threads:
        for _ in threads.map(lambda n: table.write(Add(Key("p", "s"), {"n": n, "m": 1})), range(100)):
            pass
    assert table.get(Key("p", "s")) == row(n=4950, m=100)


def test_one_of_many_concurrent_creations_succeeds(table: Table) -> None:
    with ThreadPoolExecutor(20) as threads:
        tries = list(threads.map(lambda n: attempt(table, Put(row(n=n), when=(Absent(),))), range(40)))
    winner = row(n=tries.index(None))
    assert table.get(Key("p", "s")) == winner
    assert [failed.found for failed in tries if failed is not None] == [winner] * 39
