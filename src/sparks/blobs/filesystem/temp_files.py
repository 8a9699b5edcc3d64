"""Temporary files that are written aside until they are complete."""

import errno
import hashlib
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Generic, Self, TypeVar

from sparks.blobs.checks import check_arrived
from sparks.blobs.filesystem.dir_fd import CREATE, FILE_MODE
from sparks.blobs.filesystem.error_mapping import translated
from sparks.blobs.port import MAX_CHUNK
from sparks.model.errors import Damaged

T = TypeVar("T")
COPY_CHUNK: Final = 64 * 1024 * 1024
MAX_RESERVED: Final = 64 * 1024 * 1024
RESERVED_SHARE: Final = 20  # of a small disk, one part in 20
NO_KERNEL_COPY: Final = frozenset({errno.EXDEV, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


def check_room(folder: int, size: int) -> None:
    """Raises ENOSPC where so many bytes would use up the reserved space of the disk.

    The space is reserved for the database, which is usually on the same disk. Deleting a
    photo needs a write, so without it a disk full of photos could never be emptied. A disk that does not report its
    size is filled completely.
    """
    disk = os.fstatvfs(folder)
    kept = min(MAX_RESERVED, disk.f_blocks * disk.f_frsize // RESERVED_SHARE)
    if disk.f_blocks and disk.f_bavail * disk.f_frsize < size + kept:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class TempFile:
    """A file in the folder `scratch`, under a unique name."""

    def __init__(self, scratch: int) -> None:
        self.scratch = scratch
        self.name = secrets.token_hex(16)
        self.file = os.open(self.name, CREATE, FILE_MODE, dir_fd=scratch)

    def append(self, chunk: bytes) -> None:
        check_room(self.scratch, len(chunk))
        rest = memoryview(chunk)
        while rest:
            rest = rest[os.write(self.file, rest) :]

    def append_file(self, source: int, size: int) -> None:
        """Appends the next `size` bytes of another open file."""
        while size:
            copied = self._copy(source, min(size, COPY_CHUNK))
            if not copied:
                raise Damaged("a file is shorter than when it was written")
            size -= copied

    def _copy(self, source: int, most: int) -> int:
        """Copies in the kernel; a disk that shares blocks copies no bytes at all."""
        if hasattr(os, "copy_file_range"):
            try:
                check_room(self.scratch, most)
                return os.copy_file_range(source, self.file, most)
            except OSError as error:
                if error.errno not in NO_KERNEL_COPY:
                    raise
        chunk = os.read(source, min(most, MAX_CHUNK))
        self.append(chunk)
        return len(chunk)

    def drop(self) -> None:
        """Removes the temporary name; a file that was already placed stays. Dropping twice is allowed."""
        if self.file < 0:
            return
        os.close(self.file)
        self.file = -1
        with suppress(FileNotFoundError):
            os.unlink(self.name, dir_fd=self.scratch)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.drop()


class HardLink(TempFile):
    """A second name for an existing file. The content of a file never changes, so a copy need not copy any bytes."""

    def __init__(self, scratch: int, *, file: int, folder: int, name: str) -> None:
        self.scratch = scratch
        self.name = secrets.token_hex(16)
        os.link(name, self.name, src_dir_fd=folder, dst_dir_fd=scratch, follow_symlinks=False)
        os.utime(self.name, dir_fd=scratch, follow_symlinks=False)  # as new as any other temporary file
        self.file = os.dup(file)


class IncomingFile(Generic[T]):
    """Bytes that arrive piece by piece; `commit` lets `store` place the complete file."""

    def __init__(
        self,
        temp_file: TempFile,
        store: Callable[[TempFile, str], T],
        *,
        path: Path,
        size: int | None,
        sha256: str | None = None,
    ) -> None:
        self._temp_file = temp_file
        self._store = store
        self._path = path
        self._announced = size, sha256
        self._size = 0
        self._hash = hashlib.sha256()

    def write(self, chunk: bytes) -> None:
        self._hash.update(chunk)
        self._size += len(chunk)
        with translated(self._path):
            self._temp_file.append(chunk)

    def commit(self) -> T:
        size, sha256 = self._announced
        seen = self._hash.hexdigest()
        check_arrived(size=self._size, sha256=seen, announced_size=size, announced_sha256=sha256)
        with translated(self._path):
            return self._store(self._temp_file, seen)

    def drop(self) -> None:
        with translated(self._path):
            self._temp_file.drop()
