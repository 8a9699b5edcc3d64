"""Table that passes every call to another one, for adapters that add behavior."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sparks.model.errors import Busy, ConditionFailed
from sparks.table.port import (
    EVERYTHING,
    AttributeAbsent,
    Change,
    Equals,
    Item,
    Key,
    Number,
    Page,
    Set,
    Span,
    Table,
    Within,
)

TRIES: Final = 20


class TableWrapper:
    def __init__(self, table: Table) -> None:
        self._table = table

    def get(self, key: Key) -> Item | None:
        return self._table.get(key)

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        return self._table.get_many(keys)

    def query(
        self,
        within: Within,
        span: Span = EVERYTHING,
        *,
        limit: int = 100,
        after: Key | None = None,
        newest_first: bool = False,
        only: frozenset[str] | None = None,
    ) -> Page:
        return self._table.query(within, span, limit=limit, after=after, newest_first=newest_first, only=only)

    def write(self, *changes: Change, token: str | None = None) -> None:
        self._table.write(*changes, token=token)

    def increment(self, key: Key, name: str, amount: int = 1, *, values: Mapping[str, Any] | None = None) -> Number:
        return self._table.increment(key, name, amount, values=values)

    def scan(self, *, limit: int = 1000, after: Key | None = None) -> Page:
        return self._table.scan(limit=limit, after=after)

    def expire(self, at: datetime) -> int:
        return self._table.expire(at)

    def check(self) -> None:
        self._table.check()

    def close(self) -> None:
        self._table.close()


def increment_by_write(
    table: Table, key: Key, name: str, amount: int, *, values: Mapping[str, Any] | None = None
) -> Number:
    """As `Table.increment`, by a write that depends on the number that was read: for a table that adds something to
    each transaction.
    """
    for _ in range(TRIES):
        before = (table.get(key) or {}).get(name)
        after = (before or 0) + amount
        as_read = AttributeAbsent(name) if before is None else Equals(name, before)
        try:
            table.write(Set(key, {**(values or {}), name: after}, when=(as_read,)))
        except ConditionFailed:
            continue
        return after
    raise Busy("many processes raise this number at once: try again later")
