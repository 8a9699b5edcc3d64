"""Items that are over by their `ttl`; an engine may leave that to itself, and then drops none here."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sparks.model.times import unix
from sparks.table.expiry import TOO_LONG_AGO
from sparks.table.port import Add, EntityType, Item, Key, Put, Set, Table, UploadedBy
from tests.accounts import at_once
from tests.conformance.table.adapters import EMBEDDED, open_table
from tests.conformance.table.rows import fill, row

AT = datetime(2026, 8, 1, 12, 0, 0, 500_000, tzinfo=UTC)
NOW = unix(AT)
KEY = Key("p", "s")


@pytest.fixture(params=EMBEDDED)
def embedded(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    with open_table(request.param, tmp_path) as table:
        yield table


def left(table: Table) -> list[str]:
    return sorted(item["SK"] for item in table.scan().items)


def test_an_engine_drops_what_is_over_or_says_that_it_dropped_nothing(table: Table, adapter: str) -> None:
    fill(table, [row(sk="over", ttl=NOW), row(sk="lives", ttl=NOW + 1), row(sk="never")])
    dropped = table.expire(AT)
    assert (dropped, left(table)) in [(1, ["lives", "never"]), (0, ["lives", "never", "over"])]
    assert dropped == (adapter in EMBEDDED)
    assert table.expire(AT) == 0


@pytest.mark.parametrize(
    "ttl", ["1", True, 0, -1, NOW - TOO_LONG_AGO - 1, 10**37, -(10**37), b"1", [NOW], {"ttl": NOW}], ids=repr
)
def test_what_is_no_time_or_long_past_says_nothing(table: Table, ttl: Any) -> None:
    table.write(Put(row(ttl=ttl)))
    assert table.expire(AT) == 0
    assert table.get(KEY) == row(ttl=ttl)


@pytest.mark.parametrize(("ttl", "dropped"), [(Decimal("-0.5"), 1), (Decimal("0.5"), 0)])
def test_a_part_of_a_second_is_waited_for(embedded: Table, ttl: Decimal, dropped: int) -> None:
    table = embedded
    table.write(Put(row(ttl=NOW + ttl)))
    assert table.expire(AT) == dropped


@pytest.mark.parametrize("change", [Set(KEY, {"ttl": NOW}), Add(KEY, {"ttl": NOW})], ids=["set", "added"])
def test_a_ttl_may_come_later(embedded: Table, change: Set | Add) -> None:
    embedded.write(Put(row()))
    embedded.write(change)
    assert embedded.expire(AT) == 1


@pytest.mark.parametrize(
    "change",
    [Put(row()), Set(KEY, {"ttl": NOW + 1}), Set(KEY, {"more": 1}, frozenset({"ttl"})), Add(KEY, {"ttl": 1})],
    ids=["written anew", "moved", "removed", "added to"],
)
def test_a_ttl_may_be_taken_back(embedded: Table, change: Put | Set | Add) -> None:
    embedded.write(Put(row(ttl=NOW)))
    embedded.write(change)
    assert embedded.expire(AT) == 0


def test_what_is_over_is_in_no_list_any_more(embedded: Table) -> None:
    embedded.write(Put(row(entityType="E", uploadedBy="U", ttl=NOW)))
    embedded.expire(AT)
    assert embedded.query(EntityType("E")).items == embedded.query(UploadedBy("U")).items == []


def test_however_many_are_over_all_go(embedded: Table) -> None:
    many = [row(sk=f"{number:04}", ttl=NOW - number) for number in range(1234)]
    fill(embedded, [*many, row(sk="last", ttl=NOW + 1)])
    assert embedded.expire(AT) == len(many)
    assert left(embedded) == ["last"]


def test_two_at_once_drop_each_once(embedded: Table) -> None:
    over: list[Item] = [row(sk=f"{number:04}", ttl=NOW) for number in range(600)]
    fill(embedded, over)
    assert sum(at_once(*[lambda: embedded.expire(AT)] * 3)) == len(over)
