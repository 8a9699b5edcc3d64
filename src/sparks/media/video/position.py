"""One open file, used from two places at a time."""

import io
from typing import BinaryIO


class Position:
    """Reads and writes a file at a position of its own, whatever others do with it meanwhile."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0

    def read(self, size: int) -> bytes:
        self._file.seek(self._at)
        content = self._file.read(size)
        self._at += len(content)
        return content

    def write(self, content: bytes) -> int:
        self._file.seek(self._at)
        written = self._file.write(content)
        self._at += written
        return written

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            self._at = self._file.seek(offset, io.SEEK_END)
        else:
            self._at = offset + (self._at if whence == io.SEEK_CUR else 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """The file stays open: it is the caller's."""
