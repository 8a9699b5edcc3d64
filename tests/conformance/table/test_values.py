"""Values: they are read back as they were written, and unsupported ones are refused."""

from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest

from sparks.model.errors import BadInput
from sparks.table.port import Item, Key, Partition, Put, Set, Table
from tests.conformance.table.rows import row

WIDEST = int("9" * 38)


def named(name: str, value: Any) -> Item:
    return row() | {name: value}


def exactly(value: Any) -> Any:
    """Distinguishes values that Python calls equal: True and 1, 1 and Decimal(1)."""
    match value:
        case dict():
            return {name: exactly(inner) for name, inner in value.items()}
        case list():
            return [exactly(inner) for inner in value]
        case _:
            return type(value), value


def nested(levels: int) -> Any:
    """A number inside so many nested lists."""
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        "",
        "text",
        "\0 null",
        "\U0001f600",
        b"",
        bytes(range(256)),
        True,
        False,
        0,
        1,
        -1,
        2**63,
        -(2**64),
        WIDEST,
        -WIDEST,
        WIDEST * 10**80,
        10**125,
        Decimal("0.1"),
        Decimal("-0.1"),
        Decimal("1E-130"),
        Decimal("-1E-130"),
        Decimal("0." + "9" * 38),
        Decimal("9" * 19 + "." + "9" * 19),
        Decimal("1.2345678901234567890123456789012345678E-92"),
        [],
        {},
        [[], {}, "", b"", 0, False, [Decimal("0.5")]],
        {"a": {"b": [1, {"c": b"\xff"}]}, "limit": 1, "#": 2, "a.b": 3, ":v": 4, " ": 5},
    ],
    ids=repr,
)
def test_a_value_is_read_back_as_it_was_written(table: Table, value: Any) -> None:
    table.write(Put(row(value=value)))
    found = table.get(Key("p", "s"))
    assert found == row(value=value)
    assert exactly(found["value"]) == exactly(value)
    assert table.query(Partition("p")).items == [found]
    assert table.get_many([Key("p", "s")]) == {Key("p", "s"): found}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (Decimal(1), 1),
        (Decimal("1.0"), 1),
        (Decimal("1E+2"), 100),
        (Decimal("-0"), 0),
        (Decimal("-0.00"), 0),
        (Decimal("0E+200"), 0),
        (Decimal("1.50"), Decimal("1.5")),
        (Decimal("1E+125"), 10**125),
        ([Decimal("2.0"), {"a": Decimal("3.0")}], [2, {"a": 3}]),
    ],
    ids=repr,
)
def test_a_number_without_a_fraction_comes_back_as_int(table: Table, given: Any, kept: Any) -> None:
    table.write(Put(row(value=given)))
    table.write(Set(Key("p", "s"), {"again": given}))
    found = table.get(Key("p", "s"))
    assert found is not None
    assert exactly(found["value"]) == exactly(found["again"]) == exactly(kept)


@pytest.mark.parametrize(
    "value",
    [
        None,
        1.5,
        float("nan"),
        {1, 2},
        frozenset({"a"}),
        Decimal("NaN"),
        Decimal("Infinity"),
        Decimal("-sNaN"),
        int("1" * 39),
        Decimal("0." + "1" * 39),
        10**126,
        Decimal("1E-131"),
        "\ud800",
        "a\udfffb",
        [None],
        {"a": {"b": 0.5}},
        {1: "a"},
        {"\ud800": 1},
        {"": 1},
    ],
    ids=repr,
)
def test_an_unsupported_value_is_bad_input(table: Table, value: Any) -> None:
    with pytest.raises(BadInput):
        table.write(Put(row(value=value)))
    with pytest.raises(BadInput):
        table.write(Set(Key("p", "s"), {"value": value}))
    assert table.get(Key("p", "s")) is None


def test_values_are_nested_32_deep_and_no_deeper(table: Table) -> None:
    """That is 31 lists and a value inside."""
    table.write(Put(row(value=nested(31))))
    assert table.get(Key("p", "s")) == row(value=nested(31))
    with pytest.raises(BadInput):
        table.write(Put(row(value=nested(32))))


@pytest.mark.parametrize("name", ["limit", "ttl", "a.b", "#n", ":v", "a b", "[0]", "\0", "n" * 255, "ä", "\U0001f600"])
def test_any_text_can_name_an_attribute(table: Table, name: str) -> None:
    table.write(Put(named(name, 1)))
    table.write(Set(Key("p", "s"), {name: 2}))
    assert table.get(Key("p", "s")) == named(name, 2)


@pytest.mark.parametrize("name", ["", "n" * 256, "\ud800"], ids=["empty", "long", "half a pair"])
def test_a_name_that_is_empty_or_too_long_is_bad_input(table: Table, name: str) -> None:
    with pytest.raises(BadInput):
        table.write(Put(named(name, 1)))
    with pytest.raises(BadInput):
        table.write(Set(Key("p", "s"), remove=frozenset({name})))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("entityType", ""),
        ("entityType", 1),
        ("entityType", "e" * 2049),
        ("uploadedBy", ""),
        ("uploadedBy", b"me"),
        ("limit", "1"),
        ("limit", True),
        ("limit", [1]),
    ],
)
def test_indexed_attributes_have_one_type(table: Table, name: str, value: Any) -> None:
    with pytest.raises(BadInput):
        table.write(Put(named(name, value)))
    with pytest.raises(BadInput):
        table.write(Set(Key("p", "s"), {name: value}))


def test_changing_an_item_after_a_write_does_not_change_the_table(table: Table) -> None:
    given = row(tags=["a"], exif={"iso": 100})
    table.write(Put(given))
    given["tags"].append("b")
    given["exif"]["iso"] = 200
    for _ in range(2):
        found = table.get(Key("p", "s"))
        assert found == row(tags=["a"], exif={"iso": 100})
        found["tags"].clear()
        found["exif"]["lens"] = "50mm"


def test_what_a_query_returns_may_be_changed_freely(table: Table) -> None:
    table.write(Put(row(tags=["a"], entityType="E")))
    for _ in range(2):
        for items in (table.query(Partition("p")).items, table.scan().items):
            assert items == [row(tags=["a"], entityType="E")]
            items[0]["tags"].clear()


class Kind(StrEnum):
    ROW = "p"


def test_a_subclass_of_str_is_stored_as_its_text(table: Table) -> None:
    table.write(Put({"PK": Kind.ROW, "SK": Kind.ROW, "entityType": Kind.ROW, "value": Kind.ROW}))
    assert table.get(Key("p", "p")) == {"PK": "p", "SK": "p", "entityType": "p", "value": "p"}


def test_a_number_of_any_length_is_stored_or_refused(table: Table) -> None:
    with pytest.raises(BadInput, match="at most 38 digits"):
        table.write(Put(row(value=10**5000 + 1)))
