"""Queries by key, partition, index and span."""

import pytest

from sparks.model.errors import BadInput
from sparks.table.port import (
    EVERYTHING,
    Between,
    Delete,
    EntityType,
    Item,
    Key,
    Page,
    Partition,
    Prefix,
    Put,
    Set,
    Span,
    Table,
    UploadedBy,
    Within,
    every,
)
from tests.conformance.table.rows import NASTY, fill, key_of, row, walk

PREFIXES = [
    "#",
    "%",
    "_",
    "a",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\U00010000",
    "\U0010ffff",
    "\U0010ffff\U0010ffff",
    "no",
]
ENDS = [None, "\0", "a", "b", "\uffff", "\U0010ffff"]
SPANS: list[Span] = [Between(low, high) for low in ENDS for high in ENDS] + [Prefix(text) for text in PREFIXES]


def lies_in(key: str, span: Span) -> bool:
    match span:
        case Prefix(text):
            return key.startswith(text)
        case Between(low, high):
            return (low is None or low.encode() <= key.encode()) and (high is None or key.encode() <= high.encode())


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("within", [Partition("p"), EntityType("E"), UploadedBy("U")], ids=str)
def test_a_span_returns_exactly_its_items(table: Table, within: Within, newest_first: bool) -> None:
    if isinstance(within, Partition):
        fill(table, [row("p", text) for text in NASTY] + [row("other", "a")])
        sort_key = "SK"
    else:
        fill(table, [row(text, "s", entityType="E", uploadedBy="U") for text in NASTY] + [row("a", "other")])
        sort_key = "PK"
    for span in SPANS:
        wanted = [text for text in NASTY if lies_in(text, span)]
        found = [item[sort_key] for item in walk(table, within, span, limit=7, newest_first=newest_first)]
        assert found == (wanted[::-1] if newest_first else wanted), span


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_span_of_equal_sort_keys_is_paged_without_gaps(table: Table, newest_first: bool) -> None:
    fill(table, [row(pk, f"{n:02}", entityType="E") for pk in "abc" for n in range(10)])
    for span in (Between("b", "b"), Between(None, "b"), Between("b", None), Prefix("b"), EVERYTHING):
        wanted = sorted(Key(pk, f"{n:02}") for pk in "abc" for n in range(10) if lies_in(pk, span))
        for limit in (1, 3, 10):
            found = [
                key_of(item) for item in walk(table, EntityType("E"), span, limit=limit, newest_first=newest_first)
            ]
            assert [key.pk for key in found] == sorted((key.pk for key in wanted), reverse=newest_first)
            assert sorted(found) == wanted


def test_a_page_ends_exactly_where_nothing_follows(table: Table) -> None:
    rows = [row(sk=f"{n}") for n in range(4)]
    fill(table, rows)
    assert table.query(Partition("p"), limit=4) == Page(rows, None)
    assert table.query(Partition("p"), limit=5) == Page(rows, None)
    assert table.query(Partition("p"), limit=3) == Page(rows[:3], Key("p", "2"))
    assert table.query(Partition("p"), limit=3, after=Key("p", "2")) == Page(rows[3:], None)
    assert table.query(Partition("p"), Between("1", "2"), limit=2) == Page(rows[1:3], None)
    assert table.query(Partition("p"), limit=1, newest_first=True) == Page(rows[3:], Key("p", "3"))


@pytest.mark.parametrize("limit", [0, -1])
def test_a_page_has_at_least_one_item(table: Table, limit: int) -> None:
    with pytest.raises(BadInput):
        table.query(Partition("p"), limit=limit)
    with pytest.raises(BadInput):
        table.scan(limit=limit)


def test_a_page_may_be_larger_than_the_table(table: Table) -> None:
    table.write(Put(row()))
    assert table.query(Partition("p"), limit=10**6) == table.scan(limit=10**6) == Page([row()], None)


@pytest.mark.parametrize(("text", "other"), [("a", "A"), ("a\0", "a")])
def test_a_prefix_is_matched_literally(
    table: Table, adapter: str, request: pytest.FixtureRequest, text: str, other: str
) -> None:
    if adapter == "dynoxide":
        reason = "its begins_with ignores case and stops at a NUL, unlike DynamoDB's"
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    fill(table, [row(sk=text + "1"), row(sk=other)])
    assert walk(table, Partition("p"), Prefix(text), limit=10) == [row(sk=text + "1")]


def test_an_empty_prefix_is_bad_input(table: Table) -> None:
    with pytest.raises(BadInput):
        table.query(Partition("p"), Prefix(""))


@pytest.mark.parametrize("newest_first", [False, True])
def test_items_may_be_deleted_between_pages(table: Table, newest_first: bool) -> None:
    partition = [row("p", f"{n}") for n in range(10)]
    index = [row(f"{n}", "s", entityType="E") for n in range(10)]
    fill(table, partition + index)
    for within, rows in ((Partition("p"), partition), (EntityType("E"), index)):
        order = rows[::-1] if newest_first else rows
        first = table.query(within, limit=3, newest_first=newest_first)
        assert first == Page(order[:3], key_of(order[2]))
        table.write(*(Delete(key_of(order[n])) for n in (0, 2, 3, 5)))
        rest = table.query(within, limit=10, after=first.after, newest_first=newest_first)
        assert rest == Page([order[n] for n in (4, 6, 7, 8, 9)], None)


def test_all_remaining_items_may_be_deleted_between_pages(table: Table) -> None:
    fill(table, [row(sk=sk, entityType="E") for sk in "abc"])
    for span in (EVERYTHING, Between("a", "c"), Prefix("a")):
        first = table.query(Partition("p"), span, limit=1)
        assert first.items == [row(sk="a", entityType="E")]
    table.write(*(Delete(Key("p", sk)) for sk in "abc"))
    assert table.query(Partition("p"), after=Key("p", "a")) == Page([], None)
    assert table.query(EntityType("E"), after=Key("p", "a"), newest_first=True) == Page([], None)


def test_an_item_is_in_the_indexes_of_its_present_attributes(table: Table) -> None:
    def found(within: Within) -> list[Item]:
        return table.query(within).items

    table.write(Put(row(entityType="A")))
    assert found(EntityType("A")) == [row(entityType="A")]
    assert found(UploadedBy("A")) == []
    table.write(Set(Key("p", "s"), {"entityType": "B", "uploadedBy": "U", "n": 1}))
    assert found(EntityType("A")) == []
    assert found(EntityType("B")) == found(UploadedBy("U")) == [row(entityType="B", uploadedBy="U", n=1)]
    table.write(Set(Key("p", "s"), {"n": 2}, remove=frozenset({"uploadedBy"})))
    assert found(UploadedBy("U")) == []
    assert found(EntityType("B")) == [row(entityType="B", n=2)]
    table.write(Put(row(uploadedBy="U")))
    assert found(EntityType("B")) == []
    assert found(UploadedBy("U")) == [row(uploadedBy="U")]


def test_many_items_are_read_at_once_each_of_them_once(table: Table) -> None:
    fill(table, [row(f"{n:03}", n=n) for n in range(0, 250, 2)])
    keys = [Key(f"{n:03}", "s") for n in range(250)]
    found = table.get_many(keys + keys[::-1])
    assert found == {Key(f"{n:03}", "s"): row(f"{n:03}", n=n) for n in range(0, 250, 2)}
    assert table.get_many([]) == {}


def test_every_goes_through_all_pages(table: Table) -> None:
    fill(table, [row(sk=f"{n}") for n in range(9)])
    found = list(every(table, Partition("p"), Between("1", "7"), newest_first=True, page=2))
    assert [item["SK"] for item in found] == list("7654321")


def test_a_scan_sees_all_items_once(table: Table) -> None:
    rows = [row(pk, sk) for pk in NASTY for sk in ("1", "2", "3")]
    fill(table, rows)
    for limit in (1, 7, len(rows), 1000):
        found: list[Item] = []
        after: Key | None = None
        for _ in range(len(rows)):
            page = table.scan(limit=limit, after=after)
            found += page.items
            assert len(page.items) == limit or page.after is None
            after = page.after
            if after is None:
                break
        assert after is None
        assert sorted(map(key_of, found)) == sorted(map(key_of, rows))


def test_an_existing_table_passes_its_check(table: Table) -> None:
    table.check()


def test_close_may_be_called_twice(table: Table) -> None:
    table.close()
    table.close()


@pytest.mark.parametrize("within", [Partition(""), Partition("\ud800"), EntityType("x" * 2049), UploadedBy("\ud800")])
def test_a_read_of_an_invalid_key_is_bad_input(table: Table, within: Within) -> None:
    with pytest.raises(BadInput):
        table.query(within)


@pytest.mark.parametrize("span", [Prefix(""), Prefix("\ud800"), Between("\ud800"), Between("a", "\udfff")])
def test_a_span_with_invalid_text_is_bad_input(table: Table, span: Span) -> None:
    with pytest.raises(BadInput):
        table.query(Partition("p"), span)


def test_a_page_continues_only_after_a_valid_key(table: Table) -> None:
    with pytest.raises(BadInput):
        table.query(Partition("p"), after=Key("p", "\ud800"))


@pytest.mark.parametrize("limit", [0, -1, 2**63])
def test_a_page_size_out_of_range_is_bad_input(table: Table, limit: int) -> None:
    with pytest.raises(BadInput):
        table.query(Partition("p"), limit=limit)


@pytest.mark.parametrize("within", [Partition("p"), EntityType("E"), UploadedBy("U")], ids=str)
def test_a_query_may_ask_for_some_attributes_only(table: Table, within: Within) -> None:
    whole = row("p", "a", entityType="E", uploadedBy="U", limit=1, **{"a name": {"b": [1, b"2"]}}, more="x" * 100)
    fill(table, [whole, row("p", "b", entityType="E", uploadedBy="U", other=2)])
    found = table.query(within, only=frozenset({"limit", "a name", "nobody has this"}))
    assert sorted(found.items, key=lambda item: str(item["SK"])) == [
        {"PK": "p", "SK": "a", "limit": 1, "a name": {"b": [1, b"2"]}},
        {"PK": "p", "SK": "b"},
    ]
    assert found.after is None


def test_pages_of_some_attributes_continue_without_gaps(table: Table) -> None:
    fill(table, [row("p", str(number), more=number) for number in range(5)])
    first = table.query(Partition("p"), limit=2, only=frozenset())
    second = table.query(Partition("p"), limit=3, after=first.after, only=frozenset({"more"}))
    assert first.items == [{"PK": "p", "SK": "0"}, {"PK": "p", "SK": "1"}]
    assert [item["more"] for item in second.items] == [2, 3, 4]
    assert second.after is None
