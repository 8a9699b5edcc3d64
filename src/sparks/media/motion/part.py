"""A part of a file as a file of its own, for decoders that know no other."""

import io
from typing import BinaryIO

from sparks.media.motion.film import Film


def opened_part(view: memoryview, film: Film) -> BinaryIO:
    """For reading; the bytes stay where they are."""
    return io.BufferedReader(_Part(view[film.start : film.start + film.length]))


class _Part(io.RawIOBase):
    def __init__(self, view: memoryview) -> None:
        self._view = view
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        taken = self._view[self._at : self._at + len(buffer)]
        buffer[: len(taken)] = taken
        self._at += len(taken)
        return len(taken)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._view)}[whence]
        self._at = max(0, start + offset)
        return self._at
