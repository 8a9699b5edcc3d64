"""Content of an entry: its unchanged blob, stripped of metadata where needed."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final, Protocol

from sparks.blobs.port import BlobInfo, Blobs, OpenBlob
from sparks.media.file_types import file_type_of_mime
from sparks.media.strip_metadata import PatchSet, patches_for
from sparks.model.errors import NotFound
from sparks.takeout.archive.plan_store import PlannedEntry

CHUNK_SIZE: Final = 256 * 1024


class EntryContent(Protocol):
    def read(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from `start` up to, not including, `end`; Damaged where there are fewer."""


@contextmanager
def open_entry(entry: PlannedEntry, *, blobs: Blobs) -> Iterator[EntryContent | None]:
    """The content of the entry. None where the blob is gone, was replaced, or has metadata that cannot be stripped."""
    try:
        blob = blobs.open_blob(entry.key)
    except NotFound:
        yield None
        return
    with closing(blob):
        yield _stripped(entry, _Unchanged(blob)) if _is_planned(entry, blob.info) else None


class _Unchanged:
    def __init__(self, blob: OpenBlob) -> None:
        self._blob = blob

    def read(self, start: int, end: int) -> Iterator[bytes]:
        return self._blob.chunks(start, end)


class _Stripped:
    def __init__(self, content: EntryContent, patches: PatchSet) -> None:
        self._content = content
        self._patches = patches

    def read(self, start: int, end: int) -> Iterator[bytes]:
        for chunk in self._content.read(start, end):
            yield self._patches.over(chunk, start)
            start += len(chunk)


def _stripped(entry: PlannedEntry, content: EntryContent) -> EntryContent | None:
    if entry.strip_type is None:
        return content

    def read(start: int, end: int) -> bytes:
        return b"".join(content.read(start, max(start, min(end, entry.size))))

    patches = patches_for(read, entry.size, file_type_of_mime(entry.strip_type))
    return None if patches is None else _Stripped(content, patches)


def _is_planned(entry: PlannedEntry, info: BlobInfo) -> bool:
    return info.size == entry.size and entry.etag in (None, info.etag)
