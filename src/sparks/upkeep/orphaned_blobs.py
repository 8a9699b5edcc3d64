"""Blobs without an owning row: find and delete them.

A photo's row is written before its first blob and deleted after its last one, so a blob without a row is an orphan. An
uploaded file is moved when the photo is finalized, so a blob that is still in its first place then is an orphan too.
An original under a key without a photo's id is not of Sparks, and is kept: the row of another writer may name it.

On its way the scan meets every original with its row. Each row that Sparks makes for a photo has a `processingStatus`:
a finished photo without one was put into the table by another writer and has never been processed.

Face crops and pictures of persons and users are written before their rows. One of the last hour may be about to get its
row, and is kept.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sparks.blobs.port import MAX_PAGE_SIZE, BlobInfo, Blobs, has_blob
from sparks.library import blob_keys, entity_types, keys
from sparks.library.records import read_item
from sparks.model.photo import Photo, PhotoState
from sparks.table.port import Key, Table, every

PREFIXES: Final = (  # in the order in which blobs are listed
    blob_keys.FACE_THUMBS,
    blob_keys.ORIGINALS,
    blob_keys.PERSON_PICTURES,
    blob_keys.PROCESSED,
    blob_keys.PROFILE_PICTURES,
    blob_keys.UPLOADS,
)
WRITTEN_BEFORE_ROWS: Final = (blob_keys.FACE_THUMBS, blob_keys.PERSON_PICTURES, blob_keys.PROFILE_PICTURES)
ALWAYS_DELETABLE: Final = 10  # orphans, however few blobs there are
ORPHANS_ONE_IN: Final = 100  # blobs may be an orphan
STATE_ONLY: Final = frozenset({"entityType", "processingStatus"})
ROWLESS_GRACE: Final = timedelta(hours=1)

_BLOB_KEY: Final = re.compile(
    r"(?P<prefix>faces/thumbs/|\w+/)(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[._].*)?"
)


@dataclass(frozen=True, slots=True)
class OrphanScan:
    """The number of blobs that were checked, the orphans among them, the key after which to continue (None at the end),
    and the photos that were met and have never been processed.
    """

    scanned: int
    orphans: tuple[BlobInfo, ...]
    after: str | None = None
    unprocessed: tuple[Photo, ...] = ()  # of other writers

    @property
    def refusal(self) -> str | None:
        """The reason to keep all orphans, where they are more than ten and more than one in a hundred."""
        found = len(self.orphans)
        if found <= ALWAYS_DELETABLE or found * ORPHANS_ONE_IN <= self.scanned:
            return None
        return (
            f"{found:,} of {self.scanned:,} blobs belong to no photo, more than 1 %: is this the right database, and "
            "all of it? If so, `sparks sweep --force` deletes these blobs"
        )

    @property
    def bytes(self) -> int:
        return sum(blob.size for blob in self.orphans)


def find_orphans(
    *, table: Table, blobs: Blobs, before: datetime, after: str | None = None, limit: int | None = None
) -> OrphanScan:
    """Checks all blobs of photos, faces, persons and users, or the next `limit` of them after the key `after`. Blobs
    written since `before` are never orphans.
    """
    owners = _Owners(table)
    scanned, last, orphans = 0, after, list[BlobInfo]()
    for page in _pages(blobs, after, limit):
        old = [blob for blob in page if blob.modified < _cutoff(blob.key, before)]
        owned = owners.owned([blob.key for blob in old])
        # A photo may be deleted between the listing of its blobs and the read of its row. Its blobs are deleted too
        # then: counted as orphans, many of them would look like many missing rows.
        orphans += [blob for blob in old if blob.key not in owned and has_blob(blob.key, blobs=blobs)]
        scanned, last = scanned + len(page), page[-1].key
    return OrphanScan(scanned, tuple(orphans), last if scanned == limit else None, tuple(owners.unprocessed.values()))


def delete_orphans(scan: OrphanScan, *, table: Table, blobs: Blobs) -> None:
    """Checks each once more before it is deleted."""
    for blob in scan.orphans:
        if not _Owners(table).owned([blob.key]):
            blobs.delete(blob.key)


def _cutoff(key: str, before: datetime) -> datetime:
    return before - ROWLESS_GRACE if key.startswith(WRITTEN_BEFORE_ROWS) else before


def _pages(blobs: Blobs, after: str | None, limit: int | None) -> Iterator[list[BlobInfo]]:
    """No page is empty, and none has blobs of two prefixes."""
    remaining = limit
    for prefix in PREFIXES:
        cursor = after
        while remaining is None or remaining > 0:
            page = blobs.list(
                prefix, limit=MAX_PAGE_SIZE if remaining is None else min(remaining, MAX_PAGE_SIZE), after=cursor
            )
            if page.blobs:
                yield page.blobs
            remaining = None if remaining is None else remaining - len(page.blobs)
            if page.after is None:
                break
            cursor = page.after


class _Owners:
    """Finds the owning rows of blobs. The blobs of a photo follow each other, so the last photo's state is cached."""

    def __init__(self, table: Table) -> None:
        self.unprocessed: dict[str, Photo] = {}
        self._table = table
        self._last: tuple[str, str | None] = "", None

    def owned(self, found_keys: Collection[str]) -> set[str]:
        """Those of the keys that have an owning row. Sparks makes all other keys: one without an id has no owner."""
        matches = {key: match for key in found_keys if (match := _BLOB_KEY.fullmatch(key)) is not None}
        crops = {key: match["id"] for key, match in matches.items() if match["prefix"] == blob_keys.FACE_THUMBS}
        others = {key for key, match in matches.items() if key not in crops and self._has_photo(match)}
        pictures = {key for key in found_keys if key.startswith(blob_keys.PROFILE_PICTURES)}
        others |= {key for key in found_keys if key.startswith(blob_keys.ORIGINALS) and key not in matches}
        users = self._pictures_of_users() & pictures if pictures else set()
        persons = self._pictures_of_persons([key for key in found_keys if key.startswith(blob_keys.PERSON_PICTURES)])
        return others | self._crops_of_faces(crops) | users | persons

    def _crops_of_faces(self, crops: dict[str, str]) -> set[str]:
        rows = self._table.get_many([keys.face_by_id(face_id) for face_id in crops.values()]) if crops else {}
        return {key for key, face_id in crops.items() if keys.face_by_id(face_id) in rows}

    def _pictures_of_persons(self, pictures: Collection[str]) -> set[str]:
        """Those that the rows of the persons name, whoever wrote them."""
        ids = (key.removeprefix(blob_keys.PERSON_PICTURES).rpartition(".")[0] for key in pictures)
        rows = self._table.get_many([keys.person(person_id) for person_id in ids if person_id and "#" not in person_id])
        return {str(row.get("s3Key")) for row in rows.values()} & set(pictures)

    def _pictures_of_users(self) -> set[str]:
        """Reads the rows of users by their keys, because the index may lag."""
        listed = every(self._table, entity_types.USERS, only=frozenset())
        rows = self._table.get_many([Key(row["PK"], row["SK"]) for row in listed])
        return {str(row.get("profilePicture")) for row in rows.values()}

    def _has_photo(self, match: re.Match[str]) -> bool:
        state = self._state_of(match["id"])
        return state is not None and (match["prefix"] != blob_keys.UPLOADS or state == entity_types.RESERVED.value)

    def _state_of(self, image_id: str) -> str | None:
        if self._last[0] != image_id:
            rows = self._table.query(keys.photo_rows(image_id), keys.PHOTOS, limit=1, only=STATE_ONLY).items
            self._last = image_id, rows[0].get("entityType", "") if rows else None
            photo = read_item(Photo, rows[0]) if rows and "processingStatus" not in rows[0] else None
            if photo is not None and photo.state is PhotoState.READY:
                self.unprocessed[image_id] = photo
        return self._last[1]
