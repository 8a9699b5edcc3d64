"""Photos whose time is up: uploads that nobody finished, what was wanted for a while, what was in the trash for long.

They are found through lists that may be behind, and looked at by their keys before anything is decided.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sparks.library import entity_types, keys
from sparks.library.photos import read_photo
from sparks.library.records import from_item
from sparks.model.photo import Photo, PhotoState
from sparks.model.pointer import Expiry
from sparks.model.times import has_passed
from sparks.table.port import Key, Table, Within, every

IsDue = Callable[[Photo], bool]


class Why(StrEnum):
    RESERVATION = "reservations"
    EXPIRED = "expired"
    TRASH = "trash"
    DELETING = "deletions"


class Due(NamedTuple):
    photo: Photo
    why: Why


def photos_due(*, at: datetime, trash_days: int, table: Table) -> Iterator[Due]:
    """Each as it is now; one that has expired in the trash perhaps twice."""
    in_trash_since = at - timedelta(days=trash_days)

    def is_given_up(photo: Photo) -> bool:
        return photo.state is PhotoState.RESERVED and has_passed(photo.expires_at, at=at)

    def is_over(photo: Photo) -> bool:
        return photo.state is not PhotoState.DELETING and has_passed(photo.expires_at, at=at)

    def is_old_trash(photo: Photo) -> bool:
        return photo.state is PhotoState.TRASHED and has_passed(photo.trashed_at, at=in_trash_since)

    for photo in _listed(entity_types.RESERVED, is_given_up, table):
        yield Due(photo, Why.RESERVATION)
    for item in every(table, entity_types.EXPIRING):
        expiry = from_item(Expiry, item)
        if has_passed(expiry.expires_at, at=at):
            for photo in _now(keys.photo(expiry.image_id, expiry.owner), is_over, table):
                yield Due(photo, Why.EXPIRED)
    for user in every(table, entity_types.USERS):
        for photo in _listed(entity_types.trashed(user["PK"]), is_old_trash, table):
            yield Due(photo, Why.TRASH)


def photos_deleting(*, table: Table) -> Iterator[Due]:
    """Those whose deletion has begun."""
    for photo in _listed(entity_types.DELETING, lambda photo: photo.state is PhotoState.DELETING, table):
        yield Due(photo, Why.DELETING)


def _listed(within: Within, is_due: IsDue, table: Table) -> Iterator[Photo]:
    for item in every(table, within):
        if is_due(from_item(Photo, item)):
            yield from _now(Key(item["PK"], item["SK"]), is_due, table)


def _now(key: Key, is_due: IsDue, table: Table) -> Iterator[Photo]:
    photo = read_photo(key, table=table)
    if photo is not None and is_due(photo):
        yield photo
