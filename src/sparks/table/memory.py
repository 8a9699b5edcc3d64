"""Table in memory: the reference adapter, also used by tests."""

import threading
import time
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from typing import Any

from sparks.model.errors import Conflict
from sparks.table.port import (
    EVERYTHING,
    TOKEN_SECONDS,
    Add,
    Change,
    EntityType,
    Item,
    Key,
    Number,
    Page,
    Partition,
    Span,
    UploadedBy,
    Within,
)
from sparks.table.rules import (
    apply_change,
    bounds,
    check_changes,
    check_increment,
    check_limit,
    check_query,
    digest,
    is_expired,
    projected,
    sum_in,
    updated,
)
from sparks.table.values import clean_key

Entry = tuple[str, Key]  # sort key and key of the item


class MemoryTable:
    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._items: dict[Key, Item] = {}
        self._entries: defaultdict[Within, list[Entry]] = defaultdict(list)
        self._tokens: dict[str, tuple[float, bytes]] = {}

    def get(self, key: Key) -> Item | None:
        clean_key(key)
        with self._lock:
            return deepcopy(self._items.get(key))

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        found = {key: self.get(key) for key in keys}
        return {key: item for key, item in found.items() if item is not None}

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
        check_query(within, span, limit=limit, after=after)
        first, past = bounds(span)
        with self._lock:
            entries = self._entries.get(within, [])
            start = bisect_left(entries, (first,))
            end = len(entries) if past is None else bisect_left(entries, (past,))
            if after is not None:
                place = bisect_left(entries, _entry(within, after))
                if newest_first:
                    end = min(end, place)
                else:
                    start = max(start, place + (place < len(entries) and entries[place][1] == after))
            chosen = entries[start:end]
            keys = [key for _, key in (reversed(chosen) if newest_first else chosen)]
            page = self._page(keys, limit)
        return page if only is None else Page([projected(item, only) for item in page.items], page.after)

    def write(self, *changes: Change, token: str | None = None) -> None:
        changes = check_changes(changes, token)
        with self._lock:
            if token is not None and self._is_repeat(token, changes):
                return
            after = [apply_change(n, change, deepcopy(self._items.get(change.key))) for n, change in enumerate(changes)]
            for change, item in zip(changes, after, strict=True):
                self._replace(change.key, item)
            if token is not None:
                self._tokens[token] = (self._clock(), digest(changes))

    def increment(self, key: Key, name: str, amount: int = 1, *, values: Mapping[str, Any] | None = None) -> Number:
        change = check_increment(Add(key, {name: amount}, values or {}))
        with self._lock:
            item = updated(change, deepcopy(self._items.get(key)))
            self._replace(key, item)
            return sum_in(item, name)

    def scan(self, *, limit: int = 1000, after: Key | None = None) -> Page:
        check_limit(limit)
        with self._lock:
            return self._page(sorted(key for key in self._items if after is None or key > after), limit)

    def expire(self, at: datetime) -> int:
        with self._lock:
            expired = [key for key, item in self._items.items() if is_expired(item, at)]
            for key in expired:
                self._replace(key, None)
            return len(expired)

    def check(self) -> None:
        pass

    def close(self) -> None:
        pass

    def _page(self, keys: list[Key], limit: int) -> Page:
        items = [deepcopy(self._items[key]) for key in keys[:limit]]
        return Page(items, keys[limit - 1] if len(keys) > limit else None)

    def _is_repeat(self, token: str, changes: Sequence[Change]) -> bool:
        used = self._tokens.get(token)
        if used is None or self._clock() - used[0] >= TOKEN_SECONDS:
            return False
        if used[1] != digest(changes):
            raise Conflict("this token was used for another write in the last ten minutes")
        return True

    def _replace(self, key: Key, item: Item | None) -> None:
        old = self._items.pop(key, None)
        for within in _queries_of(old):
            entries = self._entries[within]
            del entries[bisect_left(entries, _entry(within, key))]
            if not entries:
                del self._entries[within]
        for within in _queries_of(item):
            insort(self._entries[within], _entry(within, key))
        if item is not None:
            self._items[key] = item


def _queries_of(item: Item | None) -> list[Within]:
    """The partition and the indexes in which the item is."""
    if item is None:
        return []
    queries_of: list[Within] = [Partition(item["PK"])]
    if "entityType" in item:
        queries_of.append(EntityType(item["entityType"]))
    if "uploadedBy" in item:
        queries_of.append(UploadedBy(item["uploadedBy"]))
    return queries_of


def _entry(within: Within, key: Key) -> Entry:
    return (key.sk if isinstance(within, Partition) else key.pk), key
