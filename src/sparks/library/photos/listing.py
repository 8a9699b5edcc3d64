"""Lists of photos as the table's own items, newest first: a page of a hundred is not worth a hundred values.

They come from an index, which may be a moment behind. A page is full unless it is the last one: what is left out is
read past.
"""

from collections.abc import Callable
from typing import Final

from sparks.library import entity_types, keys
from sparks.table.port import Item, Key, Page, Table, Within

Sees = Callable[[Item], bool]
ItemPage = tuple[list[Item], Key | None]

MOST_AT_ONCE: Final = 500


def list_photos(
    within: Within, *, sees: Sees, limit: int, after: Key | None, only: frozenset[str] | None = None, table: Table
) -> ItemPage:
    """The next rows of a list of photos, as far as the caller `sees` them, and where to go on; None is the end."""

    def fetch(most: int, behind: Key | None) -> Page:
        return table.query(within, limit=most, after=behind, newest_first=True, only=only)

    return _full(fetch, _own_key, sees, limit=limit, after=after)


def list_favourites(who: str, *, sees: Sees, limit: int, after: Key | None, table: Table) -> ItemPage:
    """What somebody marked, as far as they still see it: by the photos' own rows, which decide."""

    def fetch(most: int, behind: Key | None) -> Page:
        marks = table.query(entity_types.favourite(who), limit=most, after=behind, newest_first=True)
        marked = [keys.photo(mark["PK"], mark["owner"]) for mark in marks.items]
        rows = table.get_many(marked)
        return Page([rows[key] for key in marked if key in rows], marks.after)

    return _full(fetch, lambda item: keys.favourite(item["PK"], who), sees, limit=limit, after=after)


def _full(
    fetch: Callable[[int, Key | None], Page],
    position: Callable[[Item], Key],
    sees: Sees,
    *,
    limit: int,
    after: Key | None,
) -> ItemPage:
    """[Note: growing] Somebody may see one photo in ten thousand: so each round reads on in larger steps."""
    kept: list[Item] = []
    most = limit
    while True:
        page = fetch(most, after)
        kept += filter(sees, page.items)
        if len(kept) > limit:
            return kept[:limit], position(kept[limit - 1])
        if len(kept) == limit or page.after is None:
            return kept, page.after
        after, most = page.after, min(2 * most, MOST_AT_ONCE)


def _own_key(item: Item) -> Key:
    return Key(item["PK"], item["SK"])
