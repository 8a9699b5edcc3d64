"""Sample rows, and helpers that write and read them."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from sparks.table.port import EVERYTHING, MAX_CHANGES, Delete, Item, Key, Put, Span, Table, Within

NASTY: Final = [
    "\0",
    "\0\0",
    " ",
    "#",
    "#a#",
    "%",
    "_",
    "a",
    "a\0",
    "a#",
    "aa",
    "a\u0301",
    "ä",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\U00010000",
    "\U0010ffff",
    "\U0010ffff\U0010ffff",
]  # by their UTF-8 bytes; by UTF-16 units the last three would stand before U+E000


def row(pk: str = "p", sk: str = "s", **attributes: Any) -> Item:
    return {"PK": pk, "SK": sk, **attributes}


def key_of(item: Item) -> Key:
    return Key(item["PK"], item["SK"])


def fill(table: Table, rows: Iterable[Item]) -> None:
    """Writes the rows in as few transactions as possible, several at once."""
    todo = [Put(item) for item in rows]
    parts = [todo[start : start + MAX_CHANGES] for start in range(0, len(todo), MAX_CHANGES)]
    with ThreadPoolExecutor(4) as threads:
        for _ in threads.map(lambda part: table.write(*part), parts):
            pass


def wipe(table: Table) -> None:
    while items := table.scan(limit=MAX_CHANGES).items:
        table.write(*(Delete(key_of(item)) for item in items))


def walk(
    table: Table, within: Within, span: Span = EVERYTHING, *, limit: int, newest_first: bool = False, most: int = 20_000
) -> list[Item]:
    """The items of at most `most` pages. Every page but the last is full, and none is empty after another."""
    items: list[Item] = []
    after: Key | None = None
    for number in range(most):
        page = table.query(within, span, limit=limit, after=after, newest_first=newest_first)
        items += page.items
        assert len(page.items) == limit or page.after is None
        assert page.items or number == 0
        if page.after is None:
            return items
        assert page.after == key_of(page.items[-1])
        after = page.after
    return items
