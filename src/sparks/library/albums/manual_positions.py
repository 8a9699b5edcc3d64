"""Positions for manual order: spaced integers, so that moving a photo is one write.

An added photo comes last: its position is the time in milliseconds, with space for `MAX_TOGETHER` photos of the same
millisecond and for `SPACING` positions between two of these.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sparks.model.album import AlbumPhoto
from sparks.model.times import EPOCH, utc

SPACING: Final = 1 << 10  # positions between two that were added together
MAX_TOGETHER: Final = 1 << 10  # photos that are added in one millisecond
_MILLISECOND: Final = timedelta(milliseconds=1)


def last_position(at: datetime, number: int = 0) -> int:
    """After all that were added before, and after those of lower numbers that are added together with it."""
    return ((utc(at) - EPOCH) // _MILLISECOND * MAX_TOGETHER + number % MAX_TOGETHER) * SPACING


def position_of(row: AlbumPhoto) -> int:
    """An imported row without a position is where it was added."""
    return last_position(row.added_at) if row.position is None else row.position


def spread_positions(low: int, high: int, count: int) -> list[int]:
    """So many positions between these two, as far apart as possible; none where there is no space."""
    if high - low - 1 < count:
        return []
    return [low + (high - low) * number // (count + 1) for number in range(1, count + 1)]


def moved_positions(rows: Sequence[AlbumPhoto], ids: Sequence[str], before: str | None) -> dict[str, int]:
    """The new positions that put the photos `ids`, in that order, before another one, or at the end; `rows` are all
    photos in their order. As few photos as possible get a new position.
    """
    moving = set(ids)
    staying = [row for row in rows if row.image_id not in moving]
    at = next((index for index, row in enumerate(staying) if row.image_id == before), len(staying))
    first = last = at  # the others that get a new position, too
    while True:
        low = position_of(staying[first - 1]) if first > 0 else _below(staying, ids)
        high = position_of(staying[last]) if last < len(staying) else _above(staying, ids)
        order = [*(row.image_id for row in staying[first:at]), *ids, *(row.image_id for row in staying[at:last])]
        places = spread_positions(low, high, len(order))
        if places:
            return dict(zip(order, places, strict=True))
        first, last = max(0, first - len(order)), min(len(staying), last + len(order))


def _below(staying: Sequence[AlbumPhoto], ids: Sequence[str]) -> int:
    return (position_of(staying[0]) if staying else 0) - (len(staying) + len(ids) + 1) * SPACING


def _above(staying: Sequence[AlbumPhoto], ids: Sequence[str]) -> int:
    return (position_of(staying[-1]) if staying else 0) + (len(staying) + len(ids) + 1) * SPACING
