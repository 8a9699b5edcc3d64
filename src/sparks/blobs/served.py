"""Blobs whose signed addresses lead to Sparks itself: what the `/blobs/` route needs beside the port.

A write is handed over piece by piece, so that a slow client holds no thread, and a reader has the blob and what is
known of it in one hand, so that both belong together even while the blob is being replaced.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from sparks.blobs.port import BlobInfo, Blobs, Part

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class OpenBlob(Protocol):
    @property
    def info(self) -> BlobInfo: ...

    def read(self, start: int, end: int) -> bytes:
        """All the bytes from `start` up to, not including, `end`, which must be there."""

    def fileno(self) -> int | None:
        """The descriptor of the file that holds exactly its bytes, open for reading only and until `close`; None where
        no file does.
        """

    def close(self) -> None:
        """Closing twice is fine."""


class Incoming(Protocol[T_co]):
    """Bytes on their way; nobody sees any of them before `commit`."""

    def write(self, chunk: bytes) -> None: ...

    def commit(self) -> T_co:
        """Checks them and stores them; durable when it returns."""

    def drop(self) -> None:
        """Forgets them. After `commit`, nothing happens."""


class ServedBlobs(Blobs, Protocol):
    def open_blob(self, key: str) -> OpenBlob:
        """NotFound where there is none."""

    def receive(
        self, key: str, *, size: int | None, sha256: str | None, content_type: str, if_absent: bool
    ) -> Incoming[BlobInfo]:
        """`put` in pieces."""

    def receive_part(self, key: str, upload_id: str, number: int, *, size: int) -> Incoming[Part]:
        """`put_part` in pieces."""


def take_all(incoming: Incoming[T], chunks: Iterable[bytes]) -> T:
    try:
        for chunk in chunks:
            incoming.write(chunk)
        return incoming.commit()
    finally:
        incoming.drop()


def joined_etag(parts: Sequence[Part]) -> str:
    """Tells that these parts were joined, and how many: no sha256, which is longer."""
    etags = "".join(part.etag for part in parts)
    return f"{hashlib.sha256(etags.encode()).hexdigest()[:32]}-{len(parts)}"
