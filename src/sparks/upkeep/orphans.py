"""Blobs that no photo, face or user has: left by a crash between the bytes and the row, or by a worker that was too
late.

A photo's row is there before any of its blobs and goes after the last of them, so a blob without a row is nobody's.
What was uploaded is kept elsewhere once the photo is complete, so its first place is nobody's from then on.

[Note: crops] The crop of a face is there before its row, and goes after it; so is the picture of a user. One of the
last hour may be about to get its row, and is left alone.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.blobs.port import MOST_LISTED, BlobInfo, Blobs
from sparks.library import entity_types, keys, objects
from sparks.library.accounts import all_users
from sparks.model.errors import NotFound
from sparks.table.port import Table

PLACES: Final = (  # in the order of a list
    objects.FACE_THUMBS,
    objects.ORIGINALS,
    objects.PROCESSED,
    objects.PROFILE_PICTURES,
    objects.UPLOADS,
)
BEFORE_ROWS: Final = (objects.FACE_THUMBS, objects.PROFILE_PICTURES)
FEW: Final = 10
PART: Final = 100  # one in a hundred
STATE: Final = frozenset({"entityType"})
HOUR: Final = timedelta(hours=1)

_KEY: Final = re.compile(r"(?P<place>faces/thumbs/|\w+/)(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[._].*)?")


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
    """Looks at all blobs of photos, faces and users, or at the next `most` behind `after`. Nothing is said of those
    written since `before`.
    """
    owners = _Owners(table)
    seen, last, orphans = 0, after, list[BlobInfo]()
    for page in _pages(blobs, after, most):
        old = [blob for blob in page if blob.modified < _left_alone_since(blob.key, before)]
        owned = owners.owned([blob.key for blob in old])
        orphans += [blob for blob in old if blob.key not in owned and _is_there(blob.key, blobs)]
        seen, last = seen + len(page), page[-1].key
    return Looked(seen, tuple(orphans), last if seen == most else None)


def drop(looked: Looked, *, table: Table, blobs: Blobs) -> None:
    """Each is looked at once more before it goes."""
    for blob in looked.orphans:
        if not _Owners(table).owned([blob.key]):
            blobs.delete(blob.key)


def _is_there(key: str, blobs: Blobs) -> bool:
    """[Note: gone with its row] A photo may be deleted between the list and the look at its row. Its blobs are nobody's
    then, but gone already: many of them would be taken for many rows that are missing.
    """
    try:
        blobs.head(key)
    except NotFound:
        return False
    return True


def _left_alone_since(key: str, before: datetime) -> datetime:
    return before - HOUR if key.startswith(BEFORE_ROWS) else before


def _pages(blobs: Blobs, after: str | None, most: int | None) -> Iterator[list[BlobInfo]]:
    """None of them is empty, and none has blobs of two places."""
    left = most
    for place in PLACES:
        behind = after
        while left is None or left > 0:
            page = blobs.list(place, limit=MOST_LISTED if left is None else min(left, MOST_LISTED), after=behind)
            if page.blobs:
                yield page.blobs
            left = None if left is None else left - len(page.blobs)
            if page.after is None:
                break
            behind = page.after


class _Owners:
    """Whose blobs are whose. Those of one photo come one after the other, so the last answer is often asked again."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._last: tuple[str, str | None] = "", None

    def owned(self, blob_keys: Collection[str]) -> set[str]:
        """Those of the keys that are somebody's. The server alone makes them: one that tells no id is nobody's."""
        told = {key: match for key in blob_keys if (match := _KEY.fullmatch(key)) is not None}
        crops = {key: match["id"] for key, match in told.items() if match["place"] == objects.FACE_THUMBS}
        others = {key for key, match in told.items() if key not in crops and self._has_photo(match)}
        pictures = {key for key in blob_keys if key.startswith(objects.PROFILE_PICTURES)}
        return others | self._crops_of_faces(crops) | (self._pictures_of_users() & pictures if pictures else set())

    def _crops_of_faces(self, crops: dict[str, str]) -> set[str]:
        rows = self._table.get_many([keys.face_by_id(face_id) for face_id in crops.values()]) if crops else {}
        return {key for key, face_id in crops.items() if keys.face_by_id(face_id) in rows}

    def _pictures_of_users(self) -> set[str]:
        """The list tells who there is, their rows what shows them."""
        rows = self._table.get_many([keys.user(user.email) for user in all_users(table=self._table)])
        return {row["profilePicture"] for row in rows.values() if "profilePicture" in row}

    def _has_photo(self, match: re.Match[str]) -> bool:
        state = self._state_of(match["id"])
        return state is not None and (match["place"] != objects.UPLOADS or state == entity_types.RESERVED.value)

    def _state_of(self, image_id: str) -> str | None:
        if self._last[0] != image_id:
            rows = self._table.query(keys.photo_rows(image_id), keys.PHOTOS, limit=1, only=STATE).items
            self._last = image_id, rows[0]["entityType"] if rows else None
        return self._last[1]
