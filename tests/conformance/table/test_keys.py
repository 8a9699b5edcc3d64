"""Keys: allowed ones, and their order."""

import pytest

from sparks.model.errors import BadInput
from sparks.table.port import Delete, Key, Partition, Put, Set, Table
from tests.conformance.table.rows import NASTY, fill, key_of, row, walk


def test_the_nasty_keys_are_in_the_order_of_their_bytes() -> None:
    assert sorted(NASTY, key=str.encode) == NASTY


def test_sort_keys_sort_by_their_utf8_bytes(table: Table) -> None:
    fill(table, [row("p", sk) for sk in reversed(NASTY)])
    assert [item["SK"] for item in walk(table, Partition("p"), limit=100)] == NASTY
    assert [item["SK"] for item in walk(table, Partition("p"), limit=1, newest_first=True)] == NASTY[::-1]


def test_any_text_is_a_partition_of_its_own(table: Table) -> None:
    fill(table, [row(pk, sk) for pk in NASTY for sk in ("1", "2")])
    for pk in NASTY:
        assert [key_of(item) for item in walk(table, Partition(pk), limit=1)] == [Key(pk, "1"), Key(pk, "2")]


def test_text_is_not_normalized(table: Table) -> None:
    table.write(Put(row("\u00e4", "x", name="composed")))
    table.write(Put(row("a\u0308", "x", name="decomposed")))
    assert table.get(Key("\u00e4", "x")) == row("\u00e4", "x", name="composed")
    assert table.get(Key("a\u0308", "x")) == row("a\u0308", "x", name="decomposed")


@pytest.mark.parametrize("letter", ["k", "ß", "\U0010ffff"])
def test_the_longest_keys_are_kept(table: Table, letter: str) -> None:
    text = letter * (1024 // len(letter.encode()))
    key = Key(text, text)
    table.write(Put(row(*key)))
    assert table.get(key) == row(*key)
    assert table.query(Partition(key.pk)).items == [row(*key)]


@pytest.mark.parametrize(
    "key",
    [
        Key("", "s"),
        Key("p", ""),
        Key("p" * 1025, "s"),
        Key("p", "s" * 1025),
        Key("ß" * 513, "s"),
        Key("p", "\ud800"),
        Key("\udfff", "s"),
    ],
    ids=["no PK", "no SK", "long PK", "long SK", "long by bytes", "half a pair in SK", "half a pair in PK"],
)
def test_a_key_that_no_item_can_have_is_bad_input(table: Table, key: Key) -> None:
    for change in (Put(row(*key)), Set(key, {"a": 1}), Delete(key)):
        with pytest.raises(BadInput):
            table.write(change)
    with pytest.raises(BadInput):
        table.get(key)
    with pytest.raises(BadInput):
        table.get_many([Key("p", "s"), key])


@pytest.mark.parametrize("item", [{"PK": "p"}, {"SK": "s"}, {"PK": 1, "SK": "s"}, {"PK": "p", "SK": b"s"}])
def test_an_item_without_a_text_for_each_key_is_bad_input(table: Table, item: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        table.write(Put(item))
