"""Pages of an album's photos, in the order that it is in.

Which photos there are, and in which order, is told by the months of its timeline, or by all of its rows put in order.
Those are read from what may be a moment behind: the photos' own rows decide what is shown.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from sparks.feed.timeline import Timeline
from sparks.library import keys
from sparks.library.albums import rows_in_order
from sparks.library.albums.positions import position_of
from sparks.library.months import Month
from sparks.library.pages import first_page, growing
from sparks.library.photos import ItemPage
from sparks.library.records import from_item
from sparks.model.album import Album, AlbumOrder, AlbumPhoto
from sparks.model.photo import Photo, PhotoState
from sparks.model.scope import scope_of_album
from sparks.model.times import iso
from sparks.table.port import Item, Key, Table

Sees = Callable[[Photo], bool]

_ZERO: Final = 1 << 80  # so that places sort as text, before it too
_DIGITS: Final = 26


class Times(msgspec.Struct):
    """What is read of a month."""

    ids: list[str]
    times: list[str]


class Placed(NamedTuple):
    """A photo, and its place among the others: a text that sorts."""

    place: str
    image_id: str


def page_of_album(
    album: Album, *, sees: Sees, limit: int, after: Key | None, timeline: Timeline, table: Table
) -> ItemPage:
    """The rows of the next photos of the album that the caller `sees`, and where to go on; None is the end."""
    by_time = album.order is AlbumOrder.TAKEN
    placed = _by_time(album, after, timeline) if by_time else _by_rows(album, after, table)
    shown = ((each, item) for each, item in _photos(album, placed, limit, table) if sees(from_item(Photo, item)))
    page, position = first_page(shown, lambda pair: Key(pair[0].image_id, pair[0].place), limit=limit)
    return [item for _, item in page], position


def _by_time(album: Album, after: Key | None, timeline: Timeline) -> Iterator[Placed]:
    """Newest first, month by month."""
    scope = scope_of_album(album.album_id)
    last = None if after is None else Placed(after.sk, after.pk)
    for month in timeline.months(scope).counts:
        if last is None or month <= last.place[: len(month)]:
            built = msgspec.json.decode(timeline.month(Month(scope, month)).encoded, type=Times)
            pairs = zip(built.times, built.ids, strict=True)
            placed = (Placed(f"{month} {time}", image_id) for time, image_id in pairs)
            yield from (each for each in placed if last is None or each < last)


def _by_rows(album: Album, after: Key | None, table: Table) -> Iterator[Placed]:
    rows = rows_in_order(album.album_id, album.order, table=table)
    placed = (Placed(_place(row, album.order), row.image_id) for row in rows)
    if after is None:
        return placed
    last, by_hand = Placed(after.sk, after.pk), album.order is AlbumOrder.HAND
    return (each for each in placed if (each > last if by_hand else each < last))


def _place(row: AlbumPhoto, order: AlbumOrder) -> str:
    position = f"{position_of(row) + _ZERO:0{_DIGITS}d}"
    return position if order is AlbumOrder.HAND else f"{iso(row.added_at)} {position}"


def _photos(album: Album, placed: Iterable[Placed], limit: int, table: Table) -> Iterator[tuple[Placed, Item]]:
    """Those that are in the album by now and finished, each with its own row."""
    for some in growing(placed, limit + 1):
        rows = table.get_many([keys.album_photo(each.image_id, album.album_id) for each in some])
        owners = {key.pk: row["owner"] for key, row in rows.items()}
        photos = table.get_many([keys.photo(image_id, owner) for image_id, owner in owners.items()])
        found = {key.pk: item for key, item in photos.items()}
        for each in some:
            item = found.get(each.image_id)
            if item is not None and is_in(album, from_item(Photo, item)):
                yield each, item


def is_in(album: Album, photo: Photo) -> bool:
    """Whether it is one of those that the album shows, to whoever may see it."""
    return photo.state is PhotoState.READY and album.album_id in photo.albums
