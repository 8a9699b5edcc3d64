"""The blob of an entry, if it is still the one that was planned, as it may be given."""

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import Final, Protocol

from sparks.blobs.port import BlobInfo, Blobs
from sparks.blobs.served import OpenBlob, ServedBlobs
from sparks.media.kinds import kind_of_type
from sparks.media.veil import Veil, veil_of
from sparks.model.errors import Damaged, NotFound
from sparks.sharing.archive.entry import PlannedEntry

READ_AT_ONCE: Final = 256 * 1024


class Content(Protocol):
    def read(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from `start` up to, not including, `end`; Damaged where there are fewer."""


@contextmanager
def opened(entry: PlannedEntry, *, blobs: Blobs, served: ServedBlobs | None) -> Iterator[Content | None]:
    """None where it is gone, another one stands in its place, or nobody can veil what needs it."""
    if served is None:
        info = _head(entry.key, blobs)
        yield _shown(entry, _Far(entry.key, blobs)) if info is not None and _is_planned(entry, info) else None
        return
    try:
        blob = served.open_blob(entry.key)
    except NotFound:
        yield None
        return
    with closing(blob):
        yield _shown(entry, _Near(blob)) if _is_planned(entry, blob.info) else None


class _Near:
    def __init__(self, blob: OpenBlob) -> None:
        self._blob = blob

    def read(self, start: int, end: int) -> Iterator[bytes]:
        for at in range(start, end, READ_AT_ONCE):
            yield self._blob.read(at, min(at + READ_AT_ONCE, end))


class _Far:
    def __init__(self, key: str, blobs: Blobs) -> None:
        self._key = key
        self._blobs = blobs

    def read(self, start: int, end: int) -> Iterator[bytes]:
        if start == end:
            return
        left = end - start
        chunks = self._blobs.open(self._key, start=start, end=end)
        try:
            for chunk in chunks:
                left -= len(chunk)
                yield chunk
        finally:
            if isinstance(chunks, Generator):
                chunks.close()
        if left:
            raise Damaged(f"a blob has {left} bytes fewer than it should")


class _Veiled:
    def __init__(self, content: Content, veil: Veil) -> None:
        self._content = content
        self._veil = veil

    def read(self, start: int, end: int) -> Iterator[bytes]:
        for chunk in self._content.read(start, end):
            yield self._veil.over(chunk, start)
            start += len(chunk)


def _shown(entry: PlannedEntry, content: Content) -> Content | None:
    if entry.veil is None:
        return content

    def read(start: int, end: int) -> bytes:
        return b"".join(content.read(start, max(start, min(end, entry.size))))

    veil = veil_of(read, entry.size, kind_of_type(entry.veil))
    return None if veil is None else _Veiled(content, veil)


def _head(key: str, blobs: Blobs) -> BlobInfo | None:
    try:
        return blobs.head(key)
    except NotFound:
        return None


def _is_planned(entry: PlannedEntry, info: BlobInfo) -> bool:
    return info.size == entry.size and entry.etag in (None, info.etag)
