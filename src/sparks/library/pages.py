"""Pages of lists that leave something out: a page is full all the same, unless it is the last one."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

from sparks.table.port import Item, Key, Page

T = TypeVar("T")

MOST_AT_ONCE: Final = 500


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


def first_page(values: Iterable[T], position: Callable[[T], Key], *, limit: int) -> tuple[list[T], Key | None]:
    """The first `limit` of them, and the position of the last one where more follow."""
    found = list(islice(values, limit + 1))
    return found[:limit], position(found[limit - 1]) if len(found) > limit else None


def growing(values: Iterable[T], first: int) -> Iterator[list[T]]:
    """All of them, `first` so many at a time and then ever more: of the first ones, all may be left out."""
    rest, most = iter(values), min(first, MOST_AT_ONCE)
    while some := list(islice(rest, most)):
        yield some
        most = min(2 * most, MOST_AT_ONCE)
