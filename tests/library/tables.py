"""Accounts with a limit in a table, the sums of their rows, and tables with concurrent writers or counters."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sparks.library import entity_types, keys
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.library.upload_limits.account_limit import new_limit
from sparks.library.upload_limits.photo_usage import confirm_photo, reserve_photo
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.table.port import EVERYTHING, Change, Item, Key, Page, Put, Span, Table, Within
from sparks.table.wrapper import TableWrapper
from tests.factories import ANN, NOON, a_photo


class Sum(NamedTuple):
    photos: int
    bytes: int


def new_account(table: Table, *, photos: int, bytes: int) -> str:  # noqa: A002
    """The address of a new account with this limit."""
    email = f"{uuid.uuid4()}@example.com"
    table.write(Put(to_item(new_limit(email, photos=photos, bytes=bytes))))
    return email


def account_from_elsewhere(table: Table, *, photos: int, **more: int) -> str:
    """Its limit has no more than it had there."""
    email = f"{uuid.uuid4()}@example.com"
    pk, sk = keys.upload_limit(email)
    table.write(Put({"PK": pk, "SK": sk, "entityType": entity_types.UPLOAD_LIMITS.value, "limit": photos, **more}))
    return email


def a_reservation(owner: str = ANN, size: int | None = 100, **more: Any) -> Photo:
    more = {"state": PhotoState.RESERVED, "processing_status": ProcessingStatus.PENDING, **more}
    return a_photo(owner=owner, file_size=size, **more)


def arrived(photo: Photo, size: int | None = None, **more: Any) -> Photo:
    """The photo whose bytes are there: as many as reserved, or `size`."""
    size = photo.file_size if size is None else size
    return replace(photo, state=PhotoState.PENDING, file_size=size, expires_at=None, ttl=None, **more)


def reserved(table: Table, owner: str, size: int = 100, **more: Any) -> Photo:
    photo = a_reservation(owner, size, **more)
    reserve_photo(photo, table=table)
    return photo


def confirmed(table: Table, owner: str, size: int = 100) -> Photo:
    photo = reserved(table, owner, size)
    confirm_photo(photo, arrived(photo), at=NOON, table=table)
    return arrived(photo)


def move(table: Table, photo: Photo, state: PhotoState) -> Photo:
    """A change of a photo, by the pipeline or by people, that does not involve the limit."""
    table.write(changes(photo, replace(photo, state=state)))
    return replace(photo, state=state)


def photo_in(table: Table, photo: Photo) -> Photo | None:
    item = table.get(key_of(photo))
    return None if item is None else from_item(Photo, item)


def limit_row(table: Table, email: str) -> Item:
    """Without its key and type."""
    item = table.get(keys.upload_limit(email))
    assert item is not None
    return {name: value for name, value in item.items() if name not in {"PK", "SK", "entityType"}}


def recount(table: Table, email: str) -> Sum:
    """The photos of the account that are not being deleted, and their bytes: from all rows there are, not an index."""
    items: list[Item] = []
    page = table.scan()
    items += page.items
    while page.after is not None:
        page = table.scan(after=page.after)
        items += page.items
    sizes = [
        item.get("fileSize", 0)
        for item in items
        if item["SK"] == f"UPLOADED_BY#{email}" and item["entityType"] != entity_types.DELETING.value
    ]
    return Sum(len(sizes), sum(sizes))


def check_sum(table: Table, email: str) -> None:
    """The amounts left and used add up to the granted ones, and nothing is overdrawn."""
    row, used = limit_row(table, email), recount(table, email)
    assert row["limit"] + used.photos == row["given"]
    assert row["bytesLeft"] + used.bytes == row["bytesGiven"]
    assert min(row.values()) >= 0


class Meddled(TableWrapper):
    """A table in which another writer acts right before a write: one act before each, in turn."""

    def __init__(self, table: Table, *meddling: Callable[[], object]) -> None:
        super().__init__(table)
        self._meddling = list(meddling)

    def write(self, *changes: Change, token: str | None = None) -> None:
        if self._meddling:
            self._meddling.pop(0)()
        self._table.write(*changes, token=token)


class Counted(TableWrapper):
    """A table that counts how often it is read."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.reads = 0

    def get(self, key: Key) -> Item | None:
        self.reads += 1
        return super().get(key)

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        self.reads += bool(keys)  # an empty list needs no read
        return super().get_many(keys)

    def query(self, within: Within, span: Span = EVERYTHING, **more: Any) -> Page:
        self.reads += 1
        return super().query(within, span, **more)
