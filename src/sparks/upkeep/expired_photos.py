"""Photos due for deletion: expired, abandoned, or long in the trash.

They are found in index lists, which may lag, so each photo is read by its key before it counts as expired.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sparks.library import entity_types, keys
from sparks.library.photos.photo_rows import read_photo
from sparks.library.records import from_item, read_item, read_items
from sparks.model.account import User
from sparks.model.photo import Photo, PhotoState
from sparks.model.photo_index import Expiry
from sparks.model.times import has_passed
from sparks.table.port import Key, Table, Within, every

IsDue = Callable[[Photo], bool]


class ExpiryReason(StrEnum):
    RESERVATION = "reservations"
    EXPIRED = "expired"
    TRASH = "trash"
    DELETING = "deletions"


class ExpiredPhoto(NamedTuple):
    photo: Photo
    reason: ExpiryReason


def expired_photos(*, at: datetime, trash_days: int, table: Table) -> Iterator[ExpiredPhoto]:
    """Each as its row is now; a photo that expired in the trash may come twice."""
    in_trash_since = at - timedelta(days=trash_days)

    def is_abandoned(photo: Photo) -> bool:
        return photo.state is PhotoState.RESERVED and has_passed(photo.expires_at, at=at)

    def is_expired(photo: Photo) -> bool:
        return photo.state is not PhotoState.DELETING and has_passed(photo.expires_at, at=at)

    def is_old_trash(photo: Photo) -> bool:
        return photo.state is PhotoState.TRASHED and has_passed(photo.trashed_at, at=in_trash_since)

    for photo in _listed(entity_types.RESERVED, is_abandoned, table):
        yield ExpiredPhoto(photo, ExpiryReason.RESERVATION)
    for item in every(table, entity_types.EXPIRING):
        expiry = from_item(Expiry, item)
        if has_passed(expiry.expires_at, at=at):
            for photo in _reread(keys.photo(expiry.image_id, expiry.owner), is_expired, table):
                yield ExpiredPhoto(photo, ExpiryReason.EXPIRED)
    for user in read_items(User, every(table, entity_types.USERS)):
        for photo in _listed(entity_types.trashed(user.email), is_old_trash, table):
            yield ExpiredPhoto(photo, ExpiryReason.TRASH)


def photos_deleting(*, table: Table) -> Iterator[ExpiredPhoto]:
    """Photos whose deletion has begun and was interrupted."""
    for photo in _listed(entity_types.DELETING, lambda photo: photo.state is PhotoState.DELETING, table):
        yield ExpiredPhoto(photo, ExpiryReason.DELETING)


def _listed(within: Within, is_due: IsDue, table: Table) -> Iterator[Photo]:
    for item in every(table, within):
        listed = read_item(Photo, item)
        if listed is not None and is_due(listed):
            yield from _reread(Key(item["PK"], item["SK"]), is_due, table)


def _reread(key: Key, is_due: IsDue, table: Table) -> Iterator[Photo]:
    photo = read_photo(key, table=table)
    if photo is not None and is_due(photo):
        yield photo
