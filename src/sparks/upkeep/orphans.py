"""Blobs that no photo has: left by a crash between the bytes and the row, or by a worker that was too late.

A photo's row is there before any of its blobs and goes after the last of them, so a blob without a row is nobody's.
What was uploaded is kept elsewhere once the photo is complete, so its first place is nobody's from then on.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final

from sparks.blobs.port import BlobInfo, Blobs
from sparks.library import entity_types, keys, objects
from sparks.table.port import Table

PLACES: Final = (objects.ORIGINALS, objects.PROCESSED, objects.UPLOADS)  # in the order of a list
FEW: Final = 10
PART: Final = 100  # one in a hundred
STATE: Final = frozenset({"entityType"})

_KEY: Final = re.compile(r"(?P<place>\w+/)(?P<image_id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[._].*)?")


@dataclass(frozen=True, slots=True)
class Looked:
    """How many blobs were looked at, which of them are nobody's, and behind which key to go on: None at the end."""

    seen: int
    orphans: tuple[BlobInfo, ...]
    after: str | None = None

    @property
    def doubt(self) -> str | None:
        """Why nothing of this should go: more than a few are nobody's, and more than one in a hundred."""
        found = len(self.orphans)
        if found <= FEW or found * PART <= self.seen:
            return None
        return (
            f"{found:,} of {self.seen:,} blobs belong to no photo, more than 1 %: is this the right database, and "
            "all of it? If these blobs are to go, `sparks sweep --force` removes them"
        )

    @property
    def bytes(self) -> int:
        return sum(blob.size for blob in self.orphans)


def look(*, table: Table, blobs: Blobs, before: datetime, after: str | None = None, most: int | None = None) -> Looked:
    """Looks at all blobs of photos, or at the next `most` behind `after`. Nothing is said of those written since
    `before`.
    """
    owners = _Owners(table)
    seen, last, orphans = 0, after, []
    for blob in islice(_listed(blobs, after), most):
        seen, last = seen + 1, blob.key
        if blob.modified < before and not owners.have(blob.key):
            orphans.append(blob)
    return Looked(seen, tuple(orphans), last if seen == most else None)


def drop(looked: Looked, *, table: Table, blobs: Blobs) -> None:
    """Each is looked at once more before it goes."""
    for blob in looked.orphans:
        if not _Owners(table).have(blob.key):
            blobs.delete(blob.key)


def _listed(blobs: Blobs, after: str | None) -> Iterator[BlobInfo]:
    for place in PLACES:
        behind = after
        while True:
            page = blobs.list(place, after=behind)
            yield from page.blobs
            if page.after is None:
                break
            behind = page.after


class _Owners:
    """Whose blobs are whose. Those of one photo come one after the other, so the last answer is often asked again."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._last: tuple[str, str | None] = "", None

    def have(self, key: str) -> bool:
        match = _KEY.fullmatch(key)
        if match is None:
            return False  # keys are made by the server alone, and this one names no photo
        state = self._state_of(match["image_id"])
        return state is not None and (match["place"] != objects.UPLOADS or state == entity_types.RESERVED.value)

    def _state_of(self, image_id: str) -> str | None:
        if self._last[0] != image_id:
            rows = self._table.query(keys.photo_rows(image_id), keys.PHOTOS, limit=1, only=STATE).items
            self._last = image_id, rows[0]["entityType"] if rows else None
        return self._last[1]
