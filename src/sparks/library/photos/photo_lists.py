"""Lists of photos as raw items, newest first and filtered by what the caller sees.

They come from an index, which may be a moment behind. A page is full unless it is the last one.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Final, Protocol

from sparks.library import entity_types, keys
from sparks.library.records import read_items, read_row
from sparks.model.audience import is_community_value
from sparks.model.photo import Photo
from sparks.model.times import iso
from sparks.table.port import Item, Key, Page, Table, Within, every

Sees = Callable[[Item], bool]
ItemPage = tuple[list[Item], Key | None]

MAX_PAGE: Final = 500
SHOWN_BY: Final = frozenset(
    {"entityType", "visibility", "expiresAt"}
)  # the attributes that `is_shown_to_community` reads


class ReadPage(Protocol):
    def __call__(self, *, limit: int, after: Key | None) -> ItemPage:
        """The items of the next photos, and the position after them; None is the end."""


def is_shown_to_community(at: datetime) -> Sees:
    """Filters rows by the same rule as `audience.is_in_community` and `audience.is_shown` do for photos, without making
    photos of them. Rows with an unknown value are left out.
    """
    now, ready = iso(at), entity_types.FEED.value

    def sees(item: Item) -> bool:
        expires_at = item.get("expiresAt")
        in_community = "visibility" not in item or is_community_value(item["visibility"])
        return item["entityType"] == ready and in_community and (expires_at is None or expires_at > now)

    return sees


def list_photos(
    within: Within, *, sees: Sees, limit: int, after: Key | None, only: frozenset[str] | None = None, table: Table
) -> ItemPage:
    """The next rows of a list of photos that the caller `sees`, and where to continue; None at the end."""

    def fetch(most: int, behind: Key | None) -> Page:
        return table.query(within, limit=most, after=behind, newest_first=True, only=only)

    return _full(fetch, _own_key, sees, limit=limit, after=after, only=only)


def list_favorites(who: str, *, sees: Sees, limit: int, after: Key | None, table: Table) -> ItemPage:
    """The favorites of a user or guest that they still see."""
    at = partial(keys.favorite, who=who)
    return _list_named(entity_types.favorite(who), at, sees=sees, limit=limit, after=after, table=table)


def list_guest_uploads(guest_id: str, *, sees: Sees, limit: int, after: Key | None, table: Table) -> ItemPage:
    """The uploads of a guest that they still see."""
    at = partial(keys.guest_photo, guest_id=guest_id)
    return _list_named(entity_types.guest_photo(guest_id), at, sees=sees, limit=limit, after=after, table=table)


def list_newest_in(album_id: str, *, sees: Sees, limit: int, after: Key | None, table: Table) -> ItemPage:
    """The photos of an album that all members see, the last uploaded first."""
    at = partial(keys.album_photo, album_id=album_id)
    return _list_named(entity_types.album_photo(album_id), at, sees=sees, limit=limit, after=after, table=table)


def list_queue(album_id: str, *, sees: Sees, limit: int, after: Key | None, table: Table) -> ItemPage:
    """The moderation queue of an album, the last uploaded first."""
    at = partial(keys.album_photo, album_id=album_id)
    return _list_named(entity_types.album_queue(album_id), at, sees=sees, limit=limit, after=after, table=table)


def trashed_photos(email: str, *, table: Table) -> Iterator[Photo]:
    """All photos in a user's trash."""
    return read_items(Photo, every(table, entity_types.trashed(email)))


def _list_named(
    within: Within,
    pointer: Callable[[str], Key],
    *,
    sees: Sees,
    limit: int,
    after: Key | None,
    table: Table,
) -> ItemPage:
    """A list of rows that lead to photos; the photos' own rows decide. `pointer` is the key of such a row."""

    def fetch(most: int, behind: Key | None) -> Page:
        return _photos_of(table.query(within, limit=most, after=behind, newest_first=True), table)

    return _full(fetch, lambda item: pointer(item["PK"]), sees, limit=limit, after=after)


def _photos_of(pointers: Page, table: Table) -> Page:
    """The existing photos of these rows."""
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
    only: frozenset[str] | None = None,
) -> ItemPage:
    """A caller may see one photo in ten thousand: so each round reads a larger page. Rows that are no photos are left
    out.
    """
    kept: list[Item] = []
    most = limit
    while True:
        page = fetch(most, after)
        rows = (read_row(Photo, item, only=only) for item in page.items)
        kept += [row for row in rows if row is not None and sees(row)]
        if len(kept) > limit:
            return kept[:limit], position(kept[limit - 1])
        if len(kept) == limit or page.after is None:
            return kept, page.after
        after, most = page.after, min(2 * most, MAX_PAGE)


def _own_key(item: Item) -> Key:
    return Key(item["PK"], item["SK"])
