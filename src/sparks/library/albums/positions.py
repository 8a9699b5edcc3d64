"""Places in an order by hand: whole numbers with room between them, so that moving a photo is one write.

What is added comes behind all that was added before: its place is the time, in milliseconds, with room for so many
at the same time, and for so many between two of these.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sparks.model.album import AlbumPhoto
from sparks.model.times import EPOCH, utc

ROOM: Final = 1 << 10  # between two that were added together
TOGETHER: Final = 1 << 10  # that are added in one millisecond
_MILLISECOND: Final = timedelta(milliseconds=1)


def last_position(at: datetime, number: int = 0) -> int:
    """Behind all that was added before, and behind those of lower numbers that are added together with it."""
    return ((utc(at) - EPOCH) // _MILLISECOND * TOGETHER + number % TOGETHER) * ROOM


def position_of(row: AlbumPhoto) -> int:
    """One from elsewhere is where it was added."""
    return last_position(row.added_at) if row.position is None else row.position


def spread(low: int, high: int, count: int) -> list[int]:
    """So many places between these two, as far from each other as can be; none where there is no room."""
    if high - low - 1 < count:
        return []
    return [low + (high - low) * number // (count + 1) for number in range(1, count + 1)]


def moved(rows: Sequence[AlbumPhoto], ids: Sequence[str], before: str | None) -> dict[str, int]:
    """The new places of some of these photos, all in the order that they have, so that those named `ids` stand in that
    order before another one, or at the end. As few as there is room for get a new place.
    """
    moving = set(ids)
    staying = [row for row in rows if row.image_id not in moving]
    at = next((index for index, row in enumerate(staying) if row.image_id == before), len(staying))
    first = last = at  # what of the others is to get a new place, too
    while True:
        low = position_of(staying[first - 1]) if first > 0 else _below(staying, ids)
        high = position_of(staying[last]) if last < len(staying) else _above(staying, ids)
        order = [*(row.image_id for row in staying[first:at]), *ids, *(row.image_id for row in staying[at:last])]
        places = spread(low, high, len(order))
        if places:
            return dict(zip(order, places, strict=True))
        first, last = max(0, first - len(order)), min(len(staying), last + len(order))


def _below(staying: Sequence[AlbumPhoto], ids: Sequence[str]) -> int:
    return (position_of(staying[0]) if staying else 0) - (len(staying) + len(ids) + 1) * ROOM


def _above(staying: Sequence[AlbumPhoto], ids: Sequence[str]) -> int:
    return (position_of(staying[-1]) if staying else 0) + (len(staying) + len(ids) + 1) * ROOM
