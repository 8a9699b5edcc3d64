"""Pages of all rows of a table, at the rate of a throttle."""

from collections.abc import Iterator
from typing import Final

from sparks.library.throttle import Throttle
from sparks.table.port import Item, Key, Table

PAGE: Final = 500


def pages(table: Table, after: Key | None = None) -> Iterator[list[Item]]:
    """No page is empty."""
    while True:
        page = table.scan(limit=PAGE, after=after)
        if page.items:
            yield page.items
        if page.after is None:
            return
        after = page.after


def throttled_pages(table: Table, throttle: Throttle, after: Key | None = None) -> Iterator[list[Item]]:
    found = pages(table, after)
    while page := throttle.read(lambda: next(found, [])):
        yield page


def last_key(page: list[Item]) -> list[str]:
    """The key behind which the next page starts, as it is stored in a checkpoint."""
    return [page[-1]["PK"], page[-1]["SK"]]
