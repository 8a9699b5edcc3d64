"""Copier of rows and blobs from one side to the other.

Rows are copied as they are, without reading them: the rows of the migration itself are left out. There is one migrator,
so the newest copy of a row is always the right one.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from sparks.blobs.port import Blobs
from sparks.library import keys
from sparks.migrate.engines.copy_blob import copy_blob
from sparks.migrate.engines.sides import OpenStores
from sparks.model.errors import NotFound
from sparks.model.times import now
from sparks.table.port import Change, Delete, Item, Key, Put
from sparks.table.rules import is_expired
from sparks.table.values import same_value, size_of

WORKERS: Final = 8
CHANGES_AT_ONCE: Final = 90
BYTES_AT_ONCE: Final = 3_000_000
OWN_ROWS: Final = frozenset({keys.ENGINE_MIGRATION, keys.MIGRATION_LEASE})
OWN_PARTITIONS: Final = ("ENGINE_OUTBOX#", "MIGRATION#EPOCH#", "MIGRATION#GATE#", keys.ENGINE_OBSTACLES.pk)
OF_A_TABLE: Final = (keys.SCHEMA_STATE.pk, "SCHEMA_CAPTURE#")  # each table has its own version and keys

T = TypeVar("T")
R = TypeVar("R")


def key_of_item(item: Item) -> Key:
    return Key(item["PK"], item["SK"])


def is_copied(key: Key) -> bool:
    """Whether it is a row of the library, and not of the migration or of the table itself."""
    return key not in OWN_ROWS and not key.pk.startswith(OWN_PARTITIONS + OF_A_TABLE)


class Copier:
    """`check` raises where the command has lost its lease; it is called before each blob and each batch of rows."""

    def __init__(self, origin: OpenStores, to: OpenStores, *, check: Callable[[], None]) -> None:
        self.origin = origin
        self.to = to
        self._check = check
        self._pool = ThreadPoolExecutor(WORKERS, "copier")

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def each(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """The results of the work on each of the items, several at a time."""

        def checked(item: T) -> R:
            self._check()
            return work(item)

        return list(self._pool.map(checked, items))

    def put_rows(self, items: Iterable[Item]) -> None:
        self.each(lambda some: self.to.table.write(*some), packed(Put(item) for item in items))

    def copy_rows(self, wanted: Collection[Key]) -> None:
        """Makes these rows equal; a row that the origin does not have is deleted."""
        here = self.origin.table.get_many(list(wanted))
        changes: list[Change] = [Put(here[key]) if key in here else Delete(key) for key in wanted]
        self.each(lambda some: self.to.table.write(*some), packed(changes))

    def copy_blobs(self, wanted: Iterable[str]) -> int:
        """Makes these blobs equal; returns the bytes that were copied."""
        return sum(self.each(lambda key: copy_blob(key, origin=self.origin.blobs, to=self.to.blobs), wanted))

    def different_rows(self, wanted: Collection[Key]) -> list[tuple[Key, Item | None, Item | None]]:
        """The rows that are not equal, as both sides have them. An expired row may be on one side only."""
        here, there = self.origin.table.get_many(list(wanted)), self.to.table.get_many(list(wanted))
        pairs = [(key, here.get(key), there.get(key)) for key in wanted]
        return [pair for pair in pairs if not _are_equal(pair[1], pair[2])]

    def different_sizes(self, wanted: Iterable[str]) -> set[str]:
        """The blobs that one side does not have, or that differ in size."""

        def differs(key: str) -> str | None:
            return key if _size(key, self.origin.blobs) != _size(key, self.to.blobs) else None

        return {key for key in self.each(differs, wanted) if key is not None}


def packed(changes: Iterable[Change]) -> Iterator[Sequence[Change]]:
    """Groups that fit into one transaction each, beside the check of the lease."""
    group: list[Change] = []
    size = 0
    for change in changes:
        more = size_of(change.item) if isinstance(change, Put) else 0
        if group and (len(group) >= CHANGES_AT_ONCE or size + more > BYTES_AT_ONCE):
            yield group
            group, size = [], 0
        group.append(change)
        size += more
    if group:
        yield group


def _are_equal(one: Item | None, other: Item | None) -> bool:
    if one is None or other is None:
        item = one or other
        return item is None or is_expired(item, now())
    return same_value(one, other)


def _size(key: str, blobs: Blobs) -> int | None:
    try:
        return blobs.head(key).size
    except NotFound:
        return None
