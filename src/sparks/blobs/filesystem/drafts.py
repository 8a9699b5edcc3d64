"""Files on their way: written aside, out of everybody's sight, until they are whole."""

import errno
import hashlib
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Generic, Self, TypeVar

from sparks.blobs.checks import check_arrived
from sparks.blobs.filesystem.descriptors import CREATE, FILE_MODE
from sparks.blobs.filesystem.failures import translated
from sparks.blobs.port import LARGEST_CHUNK
from sparks.model.errors import Damaged

T = TypeVar("T")
COPIED_AT_ONCE: Final = 64 * 1024 * 1024
MOST_KEPT: Final = 64 * 1024 * 1024
PART_KEPT: Final = 20  # a twentieth of a small disk
NO_KERNEL_COPY: Final = frozenset({errno.EXDEV, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


def check_room(folder: int, size: int) -> None:
    """ENOSPC where so many bytes would take the last room on the disk.

    [Note: the last room] It is kept for the database, which lies on the same disk as a rule: who has filled the disk
    with photos could not delete any otherwise, since that takes a write. A disk that tells nothing of itself is filled.
    """
    disk = os.fstatvfs(folder)
    kept = min(MOST_KEPT, disk.f_blocks * disk.f_frsize // PART_KEPT)
    if disk.f_blocks and disk.f_bavail * disk.f_frsize < size + kept:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Draft:
    """A file in the folder `scratch`, under a name that nobody else has."""

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
        """The next `size` bytes of another open file."""
        while size:
            copied = self._copy(source, min(size, COPIED_AT_ONCE))
            if not copied:
                raise Damaged("a file is shorter than it was when it was written")
            size -= copied

    def _copy(self, source: int, most: int) -> int:
        """The kernel does it, and where the disk can, without touching the bytes."""
        if hasattr(os, "copy_file_range"):
            try:
                check_room(self.scratch, most)
                return os.copy_file_range(source, self.file, most)
            except OSError as error:
                if error.errno not in NO_KERNEL_COPY:
                    raise
        chunk = os.read(source, min(most, LARGEST_CHUNK))
        self.append(chunk)
        return len(chunk)

    def drop(self) -> None:
        """What has got its name by now keeps it. Dropping twice is fine."""
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


class Linked(Draft):
    """A second name for a file that is there already: blobs never change, so a copy need not copy a byte."""

    def __init__(self, scratch: int, *, file: int, folder: int, name: str) -> None:
        self.scratch = scratch
        self.name = secrets.token_hex(16)
        os.link(name, self.name, src_dir_fd=folder, dst_dir_fd=scratch, follow_symlinks=False)
        os.utime(self.name, dir_fd=scratch, follow_symlinks=False)  # as young as any other draft
        self.file = os.dup(file)


class ReceivedFile(Generic[T]):
    """Bytes that come piece by piece; when all are there, `store` gives the draft its name."""

    def __init__(
        self,
        draft: Draft,
        store: Callable[[Draft, str], T],
        *,
        path: Path,
        size: int | None,
        sha256: str | None = None,
    ) -> None:
        self._draft = draft
        self._store = store
        self._path = path
        self._announced = size, sha256
        self._size = 0
        self._hash = hashlib.sha256()

    def write(self, chunk: bytes) -> None:
        self._hash.update(chunk)
        self._size += len(chunk)
        with translated(self._path):
            self._draft.append(chunk)

    def commit(self) -> T:
        size, sha256 = self._announced
        seen = self._hash.hexdigest()
        check_arrived(size=self._size, sha256=seen, announced_size=size, announced_sha256=sha256)
        with translated(self._path):
            return self._store(self._draft, seen)

    def drop(self) -> None:
        with translated(self._path):
            self._draft.drop()
