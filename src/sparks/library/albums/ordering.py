"""The photos of an album in the order that people gave it: as they were added, or by hand.

All its rows are read and put in order here, which is why such an album has at most some thousand photos. Rows come
from an index, which may be a moment behind: the photos' own rows decide what is shown.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.albums.adding import NOT_THERE
from sparks.library.albums.positions import moved, position_of
from sparks.library.records import from_item
from sparks.model.album import AlbumOrder, AlbumPhoto
from sparks.model.errors import BadInput, ConditionFailed, NotFound
from sparks.table.port import Present, Set, Table, every

AT_ONCE: Final = 50  # rows in a transaction
NEEDED: Final = frozenset({"entityType", "owner", "addedBy", "addedAt", "position"})
NO_PLACE: Final = "no photo can be moved before itself: name another one, or none for the end"


def rows_in_order(album_id: str, order: AlbumOrder, *, table: Table) -> list[AlbumPhoto]:
    """All that are approved: the last that was added first, or as people have put them."""
    listed = every(table, entity_types.album_photo(album_id), only=NEEDED)
    rows = {row.image_id: row for row in (from_item(AlbumPhoto, item) for item in listed)}
    if order is AlbumOrder.HAND:
        return sorted(rows.values(), key=lambda row: (position_of(row), row.image_id))
    return sorted(rows.values(), key=lambda row: (row.added_at, position_of(row), row.image_id), reverse=True)


def move_photos(album_id: str, ids: Sequence[str], before: str | None, *, table: Table) -> int:
    """Puts these photos, in this order, before another one of the album, or at its end; how many were written. NotFound
    where one of them is not in the album.
    """
    if before in ids:
        raise BadInput(NO_PLACE)
    rows = rows_in_order(album_id, AlbumOrder.HAND, table=table)
    if not {*ids, *(() if before is None else (before,))} <= {row.image_id for row in rows}:
        raise NotFound(NOT_THERE)
    known = {row.image_id: row.position for row in rows}
    places = moved(rows, list(dict.fromkeys(ids)), before)
    writes = iter([(image_id, place) for image_id, place in places.items() if known[image_id] != place])
    written = 0
    while some := list(islice(writes, AT_ONCE)):
        sets = (Set(keys.album_photo(image_id, album_id), {"position": at}, when=(Present(),)) for image_id, at in some)
        try:
            table.write(*sets)
        except ConditionFailed as failed:
            raise NotFound(NOT_THERE) from failed
        written += len(some)
    return written
