"""What is to be remembered of a blob beside its bytes: the type, and the etag, which is the sha256 where it is known.

[Note: plain files] A blob is a plain file, so that its owner can look at it, copy it and serve it without Sparks. Its
note is an extended attribute of that file: written before the file gets its name, it is as durable and as atomic as the
file, and costs no fsync of its own. It is kept within the 64 bytes that ext4 has room for inside an inode.

Where a disk (or the system) has no extended attributes, the note is a small file `.{name}~{inode}` beside the blob. A
reader asks for the note of the very file that it has opened, so a blob and the note of another one are never mixed.

A file without a note, such as one restored by a tool that drops attributes, is a blob all the same: its type follows
from its name, its etag from its age and size.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Final, Protocol

from sparks.blobs.filesystem.descriptors import REPLACE, opened, read_small, write_small
from sparks.blobs.port import DEFAULT_TYPE

ATTRIBUTE: Final = "user.sparks"
LOCK: Final = ".lock"
SHA256_BYTES: Final = 32
UNSUPPORTED: Final = frozenset({errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM})
ABSENT: Final = frozenset({errno.ENODATA, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
TYPES: Final = {
    "avif": "image/avif",
    "gif": "image/gif",
    "heic": "image/heic",
    "heif": "image/heif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "mov": "video/quicktime",
    "mp4": "video/mp4",
    "png": "image/png",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "webm": "video/webm",
    "webp": "image/webp",
}


@dataclass(frozen=True, slots=True)
class Note:
    content_type: str
    etag: str

    @property
    def sha256(self) -> str | None:
        return self.etag if len(self.etag) == 2 * SHA256_BYTES else None

    def encode(self) -> bytes:
        tag = bytes.fromhex(self.etag) if self.sha256 else self.etag.encode()
        return bytes([len(tag)]) + tag + self.content_type.encode()

    @classmethod
    def decode(cls, text: bytes) -> "Note":
        tag, content_type = text[1 : 1 + text[0]], text[1 + text[0] :].decode()
        return cls(content_type, tag.hex() if len(tag) == SHA256_BYTES else tag.decode())


class NoteKeeper(Protocol):
    """`folder` is open, and the file with this `inode` has, or is to have, this `name` in it."""

    def attach(self, note: Note, *, file: int) -> None:
        """To the file itself, before it is made durable."""

    def write(self, note: Note, *, inode: int, folder: int, name: str) -> None:
        """Beside the file, before it gets its name."""

    def forget(self, *, inode: int, folder: int, name: str) -> None:
        """Once the file has lost its name."""

    def alone(self) -> AbstractContextManager[object]:
        """While names and notes are changed together."""


class AttributeNotes:
    def attach(self, note: Note, *, file: int) -> None:
        os.setxattr(file, ATTRIBUTE, note.encode())

    def write(self, note: Note, *, inode: int, folder: int, name: str) -> None:
        """It comes with the file."""

    def forget(self, *, inode: int, folder: int, name: str) -> None:
        """It goes with the file."""

    def alone(self) -> AbstractContextManager[object]:
        return nullcontext()


class SidecarNotes:
    """[Note: one at a time] A name and its note are two things, and an inode may be given out anew, or come back by a
    copy. Hence the lock, which all processes share; the bytes themselves are durable before it is taken.
    """

    def __init__(self, root: int) -> None:
        self._root = root

    def attach(self, note: Note, *, file: int) -> None:
        """It lies beside the file."""

    def write(self, note: Note, *, inode: int, folder: int, name: str) -> None:
        write_small(note.encode(), _sidecar(inode, name), above=folder, flags=REPLACE)
        os.fsync(folder)

    def forget(self, *, inode: int, folder: int, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(_sidecar(inode, name), dir_fd=folder)

    @contextmanager
    def alone(self) -> Iterator[None]:
        with opened(LOCK, REPLACE, above=self._root) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def read_note(*, file: int, folder: int, name: str) -> Note | None:
    """Whichever way it was written."""
    text = _attribute(file) or _sidecar_text(os.fstat(file).st_ino, folder, name)
    return Note.decode(text) if text else None


def guessed_note(name: str, found: os.stat_result) -> Note:
    """What is true of a file that nobody has left a note on."""
    content_type = TYPES.get(name.rpartition(".")[2].lower(), DEFAULT_TYPE)
    return Note(content_type, f"{found.st_size:x}-{found.st_mtime_ns:x}")


def supports_attributes(file: int) -> bool:
    if not hasattr(os, "setxattr"):
        return False
    try:
        os.setxattr(file, ATTRIBUTE, b"\0")
    except OSError as error:
        if error.errno in UNSUPPORTED:
            return False
        raise
    return True


def _attribute(file: int) -> bytes:
    if not hasattr(os, "getxattr"):
        return b""
    try:
        return os.getxattr(file, ATTRIBUTE)
    except OSError as error:
        if error.errno in ABSENT:
            return b""
        raise


def _sidecar_text(inode: int, folder: int, name: str) -> bytes:
    try:
        return read_small(_sidecar(inode, name), above=folder)
    except FileNotFoundError:
        return b""


def _sidecar(inode: int, name: str) -> str:
    return f".{name}~{inode:x}"
