"""Table that passes every call to another one, for adapters that add behavior."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sparks.table.port import EVERYTHING, Change, Item, Key, Number, Page, Span, Table, Within


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
