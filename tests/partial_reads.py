"""Blobs in a folder that another thread has read half of."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.blobs.port import BlobPage, MultipartUpload


@contextmanager
def half_read(folder: int) -> Iterator[Iterator[str]]:
    """A listing that is in progress, with the names that are still to come."""
    with os.scandir(folder) as entries:
        next(entries, None)
        yield (entry.name for entry in entries)


class HalfReadBlobs(FilesystemBlobs):
    """At every list, another thread that lists has stopped in the middle of each folder that the store keeps open."""

    def list(self, prefix: str = "", *, limit: int = 1000, after: str | None = None) -> BlobPage:
        with self._half_read():
            return super().list(prefix, limit=limit, after=after)

    def list_uploads(self, *, started_before: datetime) -> Iterator[MultipartUpload]:
        with self._half_read():
            return super().list_uploads(started_before=started_before)

    @contextmanager
    def _half_read(self) -> Iterator[None]:
        with half_read(self._root.folder), half_read(self._root.uploads):
            yield
