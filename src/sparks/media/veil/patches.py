"""Bytes that stand over others."""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

Read = Callable[[int, int], bytes]  # the bytes from a place up to, not including, another; fewer where the file ends

WINDOW: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Patch:
    """From `start` up to, not including, `end`: `content`, and zeros behind it."""

    start: int
    end: int
    content: bytes = b""

    def between(self, start: int, end: int) -> bytes:
        """What stands there, of this patch alone."""
        low, high = max(start, self.start) - self.start, min(end, self.end) - self.start
        return self.content[low:high].ljust(high - low, b"\x00")


class Veil:
    """Patches, in their order. Where a file says so, they may overlap: then one of them stands there, and never what
    was below.
    """

    def __init__(self, patches: Iterable[Patch]) -> None:
        self._patches = sorted((each for each in patches if each.start < each.end), key=lambda each: each.start)
        self._ends = [*accumulate((each.end for each in self._patches), max)]  # up to where any of those so far goes

    def over(self, content: bytes, start: int) -> bytes:
        """These bytes, which begin at `start`, as strangers are given them."""
        end, first = start + len(content), bisect_left(self._ends, start + 1)
        if first == len(self._patches) or self._patches[first].start >= end:
            return content
        veiled = bytearray(content)
        for patch in self._patches[first:]:
            if patch.start >= end:
                break
            low, high = max(start, patch.start), min(end, patch.end)
            if low < high:
                veiled[low - start : high - start] = patch.between(start, end)
        return bytes(veiled)


def windowed(read: Read) -> Read:
    """Reads ahead: those who look at a file go through it in small steps."""
    at, held = 0, b""

    def look(start: int, end: int) -> bytes:
        nonlocal at, held
        if start < at or end > at + len(held):
            at, held = start, read(start, max(end, start + WINDOW))
        return held[start - at : end - at]

    return look
