"""Lists of photos as the table's own items, newest first: a page of a hundred is not worth a hundred values.

They come from an index, which may be a moment behind. A page is full unless it is the last one: what is left out is
read past.
"""

from collections.abc import Callable
from functools import partial
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
    """What somebody marked, as far as they still see it."""
    at = partial(keys.favourite, who=who)
    return _list_named(entity_types.favourite(who), at, sees=sees, limit=limit, after=after, table=table)


def list_brought(guest_id: str, *, sees: Sees, limit: int, after: Key | None, table: Table) -> ItemPage:
    """What a guest has uploaded, as far as they still see it."""
    at = partial(keys.guest_photo, guest_id=guest_id)
    return _list_named(entity_types.guest_photo(guest_id), at, sees=sees, limit=limit, after=after, table=table)


def list_newest_in(album_id: str, *, sees: Sees, limit: int, after: Key | None, table: Table) -> ItemPage:
    """The photos of an album that all members see, the last uploaded first."""
    at = partial(keys.album_photo, album_id=album_id)
    return _list_named(entity_types.album_photo(album_id), at, sees=sees, limit=limit, after=after, table=table)


def list_queue(album_id: str, *, sees: Sees, limit: int, after: Key | None, table: Table) -> ItemPage:
    """The photos that wait for the album's owner, the last uploaded first."""
    at = partial(keys.album_photo, album_id=album_id)
    return _list_named(entity_types.album_queue(album_id), at, sees=sees, limit=limit, after=after, table=table)


def _list_named(
    within: Within,
    pointer: Callable[[str], Key],
    *,
    sees: Sees,
    limit: int,
    after: Key | None,
    table: Table,
) -> ItemPage:
    """By rows that lead to photos: it is the photos' own rows that decide. `pointer` is where such a row is."""

    def fetch(most: int, behind: Key | None) -> Page:
        return _photos_of(table.query(within, limit=most, after=behind, newest_first=True), table)

    return _full(fetch, lambda item: pointer(item["PK"]), sees, limit=limit, after=after)


def _photos_of(pointers: Page, table: Table) -> Page:
    """The photos that these rows are about, as far as they are there."""
    named = [keys.photo(row["PK"], row["owner"]) for row in pointers.items]
    rows = table.get_many(named)
    return Page([rows[key] for key in named if key in rows], pointers.after)


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
