"""Pages of lists that leave something out: a page is full all the same, unless it is the last one."""

from collections.abc import Callable
from typing import TypeVar

from sparks.table.port import Item, Key, Page

T = TypeVar("T")


def filled(
    fetch: Callable[[int, Key | None], Page], read: Callable[[Item], T | None], *, limit: int, after: Key | None
) -> tuple[list[T], Key | None]:
    """The next `limit` values that `read` does not leave out (None), and where to go on; None is the end."""
    kept: list[T] = []
    while True:
        page = fetch(limit - len(kept), after)
        kept += [value for value in map(read, page.items) if value is not None]
        after = page.after
        if after is None or len(kept) == limit:
            return kept, after
