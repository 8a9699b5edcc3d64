"""The trailer of Samsung's phones: blocks behind the picture, and behind them a list of where each begins."""

from typing import Final

from sparks.media.containers.view import matches

MOST_BLOCKS: Final = 100
FILM: Final = b"MotionPhoto_Data"

_START, _END, _ENTRY, _HEAD = b"SEFH", b"SEFT", 12, 8


def samsung_start(view: memoryview) -> int | None:
    """Where the film begins; None where the trailer tells of none."""
    end = len(view) - _HEAD
    if end < 0 or not matches(view, _END, end + 4):
        return None
    listed = end - _number(view, end)
    if listed < 0 or not matches(view, _START, listed):
        return None
    for number in range(min(_number(view, listed + 8), MOST_BLOCKS)):
        block = listed - _number(view, listed + 12 + _ENTRY * number + 4)
        if block >= 0 and _number(view, block + 4) == len(FILM) and matches(view, FILM, block + _HEAD):
            return block + _HEAD + len(FILM)
    return None


def _number(view: memoryview, at: int) -> int:
    return int.from_bytes(view[at : at + 4], "little")
