"""Expiry of items by their `ttl`; an engine that expires items itself drops none here."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sparks.model.times import unix
from sparks.table.port import Add, EntityType, Item, Key, Put, Set, Table, UploadedBy
from sparks.table.rules import TTL_IGNORED_AFTER
from tests.account_makers import at_once
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


def test_expire_drops_expired_items_or_returns_zero(table: Table, adapter: str) -> None:
    fill(table, [row(sk="over", ttl=NOW), row(sk="lives", ttl=NOW + 1), row(sk="never")])
    dropped = table.expire(AT)
    assert (dropped, left(table)) in [(1, ["lives", "never"]), (0, ["lives", "never", "over"])]
    assert dropped == (adapter in EMBEDDED)
    assert table.expire(AT) == 0


@pytest.mark.parametrize(
    "ttl", ["1", True, 0, -1, NOW - TTL_IGNORED_AFTER - 1, 10**37, -(10**37), b"1", [NOW], {"ttl": NOW}], ids=repr
)
def test_a_ttl_that_is_no_time_or_long_past_is_ignored(table: Table, ttl: Any) -> None:
    table.write(Put(row(ttl=ttl)))
    assert table.expire(AT) == 0
    assert table.get(KEY) == row(ttl=ttl)


@pytest.mark.parametrize(("ttl", "dropped"), [(Decimal("-0.5"), 1), (Decimal("0.5"), 0)])
def test_a_fractional_ttl_is_rounded_up(embedded: Table, ttl: Decimal, dropped: int) -> None:
    table = embedded
    table.write(Put(row(ttl=NOW + ttl)))
    assert table.expire(AT) == dropped


@pytest.mark.parametrize("change", [Set(KEY, {"ttl": NOW}), Add(KEY, {"ttl": NOW})], ids=["set", "added"])
def test_a_ttl_may_be_set_later(embedded: Table, change: Set | Add) -> None:
    embedded.write(Put(row()))
    embedded.write(change)
    assert embedded.expire(AT) == 1


@pytest.mark.parametrize(
    "change",
    [Put(row()), Set(KEY, {"ttl": NOW + 1}), Set(KEY, {"more": 1}, frozenset({"ttl"})), Add(KEY, {"ttl": 1})],
    ids=["written anew", "moved", "removed", "added to"],
)
def test_a_ttl_may_be_removed(embedded: Table, change: Put | Set | Add) -> None:
    embedded.write(Put(row(ttl=NOW)))
    embedded.write(change)
    assert embedded.expire(AT) == 0


def test_an_expired_item_is_in_no_index(embedded: Table) -> None:
    embedded.write(Put(row(entityType="E", uploadedBy="U", ttl=NOW)))
    embedded.expire(AT)
    assert embedded.query(EntityType("E")).items == embedded.query(UploadedBy("U")).items == []


def test_any_number_of_expired_items_is_dropped(embedded: Table) -> None:
    many = [row(sk=f"{number:04}", ttl=NOW - number) for number in range(1234)]
    fill(embedded, [*many, row(sk="last", ttl=NOW + 1)])
    assert embedded.expire(AT) == len(many)
    assert left(embedded) == ["last"]


def test_two_concurrent_calls_of_expire_count_each_item_once(embedded: Table) -> None:
    over: list[Item] = [row(sk=f"{number:04}", ttl=NOW) for number in range(600)]
    fill(embedded, over)
    assert sum(at_once(*[lambda: embedded.expire(AT)] * 3)) == len(over)
