"""Paging through 10,000 rows, and through rows so large that DynamoDB cuts its responses short."""

import os
from collections.abc import Iterator
from pathlib import Path

import filelock
import pytest

from sparks.table.dynamodb import DynamoDbTable
from sparks.table.port import Between, EntityType, Item, Key, Page, Partition, Table
from tests.conformance.table.adapters import ADAPTERS, EMBEDDED, client_of, new_name, open_table
from tests.conformance.table.rows import fill, key_of, row, walk
from tests.servers.process import FOLDER

MANY_ROWS = [row("many_rows", f"{n:05}", n=n) | ({} if n % 10 else {"entityType": "TWIN"}) for n in range(10_000)]
TWINS = MANY_ROWS[::10]  # rows of an index in which all have the same sort key
FIRST = 300


@pytest.fixture(scope="module", params=ADAPTERS)
def many_rows(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A table of 10,000 rows, which tests only read."""
    if request.param in EMBEDDED:
        with open_table(request.param, tmp_path_factory.mktemp("many_rows")) as table:
            fill(table, MANY_ROWS)
            yield table
    else:
        client = client_of(request.param)
        table = DynamoDbTable(client, many_rows_on(request.param))
        yield table
        table.close()


def many_rows_on(server: str) -> str:
    """The name of the server's table, which the first test process creates for all."""
    note = Path(os.environ[FOLDER]) / f"many_rows-{server}"
    with filelock.FileLock(f"{note}.lock"):
        if not note.exists():
            client = client_of(server)
            name = new_name(client)
            fill(DynamoDbTable(client, name), MANY_ROWS)
            client.close()
            note.write_text(name)
        return note.read_text()


@pytest.mark.parametrize(("limit", "newest_first"), [(1, False), (2, True), (3, False), (7, True)])
def test_small_pages_return_the_first_rows_without_gaps(many_rows: Table, limit: int, newest_first: bool) -> None:
    order = MANY_ROWS[::-1] if newest_first else MANY_ROWS
    pages = -(-FIRST // limit)
    found = walk(many_rows, Partition("many_rows"), limit=limit, newest_first=newest_first, most=pages)
    assert found == order[: pages * limit]


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("limit", [99, 100, 101, 1_000, 10_000])
def test_large_pages_return_all_rows_without_gaps(many_rows: Table, limit: int, newest_first: bool) -> None:
    order = MANY_ROWS[::-1] if newest_first else MANY_ROWS
    assert walk(many_rows, Partition("many_rows"), limit=limit, newest_first=newest_first) == order


@pytest.mark.long
@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_small_pages_return_all_rows_without_gaps(many_rows: Table, limit: int, newest_first: bool) -> None:
    order = MANY_ROWS[::-1] if newest_first else MANY_ROWS
    assert walk(many_rows, Partition("many_rows"), limit=limit, newest_first=newest_first) == order


@pytest.mark.parametrize(("limit", "newest_first"), [(7, False), (100, True), (999, False), (1_000, True)])
def test_an_index_with_equal_sort_keys_returns_each_row_once(many_rows: Table, limit: int, newest_first: bool) -> None:
    found = walk(many_rows, EntityType("TWIN"), limit=limit, newest_first=newest_first)
    assert sorted(found, key=key_of) == TWINS


def test_a_span_is_paged_like_a_partition_of_its_own(many_rows: Table) -> None:
    for limit in (7, 100, 101):
        assert walk(many_rows, Partition("many_rows"), Between("04900", "05099"), limit=limit) == MANY_ROWS[4900:5100]


def test_a_scan_sees_10_000_rows(many_rows: Table) -> None:
    found: list[Item] = []
    after: Key | None = None
    for number in range(11):
        page = many_rows.scan(limit=999, after=after)
        found, after = found + page.items, page.after
        assert (after is None) is (number == 10)
    assert sorted(found, key=key_of) == MANY_ROWS


def test_an_index_orders_by_partition(table: Table) -> None:
    rows = [row(f"{n // 3:03}", f"{n % 3}", entityType="E") for n in range(300)]
    fill(table, rows[::2] + rows[1::2])
    for limit, newest_first in ((1, False), (7, True), (100, False), (101, True)):
        found = walk(table, EntityType("E"), limit=limit, newest_first=newest_first)
        assert [item["PK"] for item in found] == sorted((item["PK"] for item in rows), reverse=newest_first)
        assert sorted(found, key=key_of) == rows


def test_large_items_do_not_shorten_a_page(table: Table) -> None:
    """A response of DynamoDB has at most 1 MB: three of these items."""
    rows = [row(sk=f"{n:02}", entityType="E", body=bytes(300_000)) for n in range(9)]
    for item in rows:
        fill(table, [item])
    assert table.query(Partition("p"), limit=9) == Page(rows, None)
    assert table.query(Partition("p"), limit=8) == Page(rows[:8], Key("p", "07"))
    assert table.query(Partition("p"), Between("00", "05"), limit=9) == Page(rows[:6], None)
    assert sorted(walk(table, EntityType("E"), limit=8), key=key_of) == rows
    assert len(table.scan(limit=9).items) == 9


def test_many_large_items_are_read_at_once(table: Table) -> None:
    """A response of DynamoDB has at most 16 MB and leaves the rest unread."""
    rows = [row(f"{n:02}", body=bytes(390_000)) for n in range(45)]
    for start in range(0, len(rows), 9):
        fill(table, rows[start : start + 9])
    assert table.get_many([key_of(item) for item in rows]) == {key_of(item): item for item in rows}
