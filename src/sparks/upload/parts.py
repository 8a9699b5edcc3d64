"""How a file is cut into parts: a function of its size alone, so that nobody has to remember it."""

from typing import Final

from sparks.blobs.port import MOST_PARTS

IN_ONE_PIECE: Final = 16 * 1024 * 1024  # bytes, at most
PART_SIZE: Final = 8 * 1024 * 1024

_MIB: Final = 1024 * 1024


def part_size(size: int) -> int | None:
    """Bytes of every part but the last; None for a file that comes in one piece. Larger than usual only for what would
    be too many parts.
    """
    if size <= IN_ONE_PIECE:
        return None
    least = -(-size // MOST_PARTS)
    return max(PART_SIZE, -(-least // _MIB) * _MIB)


def part_sizes(size: int) -> dict[int, int]:
    """The bytes of each part, by its number; none for a file that comes in one piece."""
    each = part_size(size)
    if each is None:
        return {}
    count = -(-size // each)
    return {number: min(each, size - (number - 1) * each) for number in range(1, count + 1)}
