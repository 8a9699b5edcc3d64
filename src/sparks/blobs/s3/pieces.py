"""Bytes in pieces as S3 takes them."""

from collections.abc import Iterable, Iterator
from typing import Final

from sparks.blobs.port import MOST_PARTS

PIECE: Final = 16 * 1024 * 1024


def piece_size(size: int | None, smallest: int) -> int:
    """Large enough for as many parts as an upload may have."""
    return max(smallest, -(-(size or 0) // MOST_PARTS))


def in_pieces(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of `size`, but for the last one; at least one piece, if an empty one."""
    held = bytearray()
    yielded = False
    for chunk in chunks:
        held += chunk
        while len(held) >= size:
            piece = bytes(memoryview(held)[:size])
            del held[:size]
            yield piece
            yielded = True
    if held or not yielded:
        yield bytes(held)
