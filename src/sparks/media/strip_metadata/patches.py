"""Byte patches laid over a file while it is read."""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

Read = Callable[[int, int], bytes]  # bytes from start up to, not including, end; fewer where the file ends

WINDOW: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Patch:
    """Replaces the bytes from `start` up to, not including, `end` by `content`, padded with zeros."""

    start: int
    end: int
    content: bytes = b""

    def between(self, start: int, end: int) -> bytes:
        """The bytes of this patch within the range."""
        low, high = max(start, self.start) - self.start, min(end, self.end) - self.start
        return self.content[low:high].ljust(high - low, b"\x00")


class PatchSet:
    """Patches in the order of their offsets. They may overlap: then one of them applies, never the original bytes."""

    def __init__(self, patches: Iterable[Patch]) -> None:
        self._patches = sorted((each for each in patches if each.start < each.end), key=lambda each: each.start)
        self._ends = [*accumulate((each.end for each in self._patches), max)]  # the furthest end of the patches so far

    def over(self, content: bytes, start: int) -> bytes:
        """The content, which begins at `start` in the file, with the patches applied."""
        end, first = start + len(content), bisect_left(self._ends, start + 1)
        if first == len(self._patches) or self._patches[first].start >= end:
            return content
        patched = bytearray(content)
        for patch in self._patches[first:]:
            if patch.start >= end:
                break
            low, high = max(start, patch.start), min(end, patch.end)
            if low < high:
                patched[low - start : high - start] = patch.between(start, end)
        return bytes(patched)


def windowed(read: Read) -> Read:
    """A read that fetches a window at a time, because parsers read in small steps."""
    at, window = 0, b""

    def read_window(start: int, end: int) -> bytes:
        nonlocal at, window
        if start < at or end > at + len(window):
            at, window = start, read(start, max(end, start + WINDOW))
        return window[start - at : end - at]

    return read_window
