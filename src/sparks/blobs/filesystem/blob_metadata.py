"""Content type and etag of a blob, in an extended attribute or sidecar file.

A blob is a plain file, which the operator can open, copy and serve without Sparks. Its metadata are an extended
attribute of that file. They are written before the file gets its name, so they are as durable and atomic as the file
and cost no fsync of their own. They fit into the 64 bytes that ext4 can keep inside an inode.

Where the disk or the system has no extended attributes, the metadata are a sidecar file `.{name}~{inode}` beside the
blob. A reader looks for the sidecar of the very file that it has opened, so bytes and metadata of two blobs are never
mixed.

A file without metadata, such as one restored by a tool that drops attributes, is still a blob: its type follows from
its name, its etag from its size and modification time.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Final, Protocol

from sparks.blobs.filesystem.dir_fd import REPLACE, opened, read_small, write_small
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
class BlobMetadata:
    content_type: str
    etag: str

    @property
    def sha256(self) -> str | None:
        return self.etag if len(self.etag) == 2 * SHA256_BYTES else None

    def encode(self) -> bytes:
        tag = bytes.fromhex(self.etag) if self.sha256 else self.etag.encode()
        return bytes([len(tag)]) + tag + self.content_type.encode()

    @classmethod
    def decode(cls, text: bytes) -> "BlobMetadata":
        tag, content_type = text[1 : 1 + text[0]], text[1 + text[0] :].decode()
        return cls(content_type, tag.hex() if len(tag) == SHA256_BYTES else tag.decode())


class MetadataStore(Protocol):
    """`folder` is an open descriptor; the file with this `inode` has, or will get, this `name` in it."""

    def attach(self, metadata: BlobMetadata, *, file: int) -> None:
        """Writes the metadata to the file itself, before its fsync."""

    def write(self, metadata: BlobMetadata, *, inode: int, folder: int, name: str) -> None:
        """Writes the metadata beside the file, before it gets its name."""

    def remove(self, *, inode: int, folder: int, name: str) -> None:
        """Removes the metadata after the file has lost its name."""

    def locked(self) -> AbstractContextManager[object]:
        """Held while names and metadata are changed together."""


class XattrMetadata:
    def attach(self, metadata: BlobMetadata, *, file: int) -> None:
        os.setxattr(file, ATTRIBUTE, metadata.encode())

    def write(self, metadata: BlobMetadata, *, inode: int, folder: int, name: str) -> None:
        """The attribute comes with the file."""

    def remove(self, *, inode: int, folder: int, name: str) -> None:
        """The attribute goes with the file."""

    def locked(self) -> AbstractContextManager[object]:
        return nullcontext()


class SidecarMetadata:
    """A blob's name and its sidecar cannot change in one step, and an inode may be reused or get a second name. Hence
    the lock, which all processes share; the bytes are durable before it is taken.
    """

    def __init__(self, root: int) -> None:
        self._root = root

    def attach(self, metadata: BlobMetadata, *, file: int) -> None:
        """The metadata are beside the file."""

    def write(self, metadata: BlobMetadata, *, inode: int, folder: int, name: str) -> None:
        write_small(metadata.encode(), _sidecar(inode, name), parent=folder, flags=REPLACE)
        os.fsync(folder)

    def remove(self, *, inode: int, folder: int, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(_sidecar(inode, name), dir_fd=folder)

    @contextmanager
    def locked(self) -> Iterator[None]:
        with opened(LOCK, REPLACE, parent=self._root) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def read_blob_metadata(*, file: int, folder: int, name: str) -> BlobMetadata | None:
    """The metadata from the attribute or the sidecar; None where there are neither."""
    text = _attribute(file) or _sidecar_text(os.fstat(file).st_ino, folder, name)
    return BlobMetadata.decode(text) if text else None


def guessed_metadata(name: str, found: os.stat_result) -> BlobMetadata:
    """Metadata for a file that has none."""
    content_type = TYPES.get(name.rpartition(".")[2].lower(), DEFAULT_TYPE)
    return BlobMetadata(content_type, f"{found.st_size:x}-{found.st_mtime_ns:x}")


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
        return read_small(_sidecar(inode, name), parent=folder)
    except FileNotFoundError:
        return b""


def _sidecar(inode: int, name: str) -> str:
    return f".{name}~{inode:x}"
