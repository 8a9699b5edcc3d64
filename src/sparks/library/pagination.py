"""Pages of filtered lists, filled up to their limit unless they are the last."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

from sparks.table.port import Item, Key, Page

T = TypeVar("T")

MAX_BATCH: Final = 500


def filled_page(
    fetch: Callable[[int, Key | None], Page], read: Callable[[Item], T | None], *, limit: int, after: Key | None
) -> tuple[list[T], Key | None]:
    """The next `limit` values for which `read` does not return None, and where to continue; None at the end."""
    kept: list[T] = []
    while True:
        page = fetch(limit - len(kept), after)
        kept += [value for value in map(read, page.items) if value is not None]
        after = page.after
        if after is None or len(kept) == limit:
            return kept, after


def first_page(values: Iterable[T], position: Callable[[T], Key], *, limit: int) -> tuple[list[T], Key | None]:
    """The first `limit` values, and the position of the last one where more follow."""
    found = list(islice(values, limit + 1))
    return found[:limit], position(found[limit - 1]) if len(found) > limit else None


def growing_batches(values: Iterable[T], first: int) -> Iterator[list[T]]:
    """All values in batches, at first of `first` values and then of ever more, since all of the first ones may be left
    out.
    """
    rest, most = iter(values), min(first, MAX_BATCH)
    while some := list(islice(rest, most)):
        yield some
        most = min(2 * most, MAX_BATCH)
