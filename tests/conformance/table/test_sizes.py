"""Size limits of an item and of a write."""

import pytest

from sparks.model.errors import TooLarge
from sparks.table.port import MAX_ITEM_BYTES, Add, Key, Put, Set, Table
from tests.conformance.table.rows import row

KEY = Key("p", "s")
MAX_VALUE = MAX_ITEM_BYTES - len("PKpSKsa")  # of the attribute `a`


@pytest.mark.parametrize("letter", ["x", "ß", "\U0001f600"])
def test_an_item_of_400_kb_is_kept_and_one_more_byte_is_too_large(table: Table, letter: str) -> None:
    full = letter * (MAX_VALUE // len(letter.encode()))
    full += "x" * (MAX_VALUE - len(full.encode()))
    table.write(Put(row(a=full)))
    with pytest.raises(TooLarge):
        table.write(Put(row(a=full + "x")))
    assert table.get(KEY) == row(a=full)


def test_an_item_that_is_too_large_is_refused_within_a_transaction(table: Table) -> None:
    with pytest.raises(TooLarge):
        table.write(Put(row(sk="other")), Put(row(a=b"x" * MAX_ITEM_BYTES)))
    assert table.scan().items == []


def test_a_set_that_would_make_the_item_too_large_is_refused(table: Table) -> None:
    table.write(Put(row(a="x" * (MAX_VALUE - 1000))))
    with pytest.raises(TooLarge):
        table.write(Set(KEY, {"b": "x" * 1000}))
    with pytest.raises(TooLarge):
        table.write(Put(row(sk="other")), Set(KEY, {"b": "x" * 1000}))
    assert table.scan().items == [row(a="x" * (MAX_VALUE - 1000))]


def test_an_add_that_would_make_the_item_too_large_is_refused(table: Table) -> None:
    table.write(Put(row(a="x" * MAX_VALUE)))
    with pytest.raises(TooLarge):
        table.write(Add(KEY, {"n": 1}))
    assert table.get(KEY) == row(a="x" * MAX_VALUE)


def test_a_set_may_replace_one_large_value_by_another(table: Table) -> None:
    table.write(Put(row(a="x" * 400_000)))
    table.write(Set(KEY, {"b": "y" * 400_000}, remove=frozenset({"a"})))
    assert table.get(KEY) == row(b="y" * 400_000)


def test_a_write_of_more_than_4_mb_is_too_large(table: Table) -> None:
    large = [Put(row(sk=f"{n:02}", a="x" * 390_000)) for n in range(11)]
    with pytest.raises(TooLarge):
        table.write(*large)
    assert table.scan().items == []
    table.write(*large[:10])
    assert len(table.scan().items) == 10
