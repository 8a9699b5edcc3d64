"""Timelines of a scope: months, photos of a month, and aspect ratios.

A month is built once for each version of its counter, and cached twice: in the memory of this process, and in a blob
under `derived/` for other processes. So one upload rebuilds one month, and a restart none.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Generic, TypeVar

from sparks.blobs.port import Blobs
from sparks.feed.aspect_ratios import MonthRatios, join_ratios, ratio_bytes, split_ratios
from sparks.feed.month_columns import BuiltMonth, MonthState, build_month, read_copy, read_month_state
from sparks.library import keys
from sparks.library.timeline_blobs import ScopeMonth, drop_month, month_copy, ratios_copy
from sparks.model.errors import Busy, NotFound, StorageFull, Unavailable
from sparks.model.keyring import Keyring
from sparks.model.scope import Scope
from sparks.table.port import Table, every

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
JSON: Final = "application/json"
MAX_CACHE_BYTES: Final = 32 * 1024 * 1024  # in a process
LOCKS: Final = 64
log = logging.getLogger(__name__)


class MonthCache(Generic[K, V]):
    """Thread-safe LRU cache with a limit of bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                return None
            self._entries.move_to_end(key)
            return found[0]

    def put(self, key: K, value: V, *, size: int) -> None:
        """Replaces the value of the key. A value larger than the whole cache is not stored."""
        with self._lock:
            self._bytes -= self._entries.pop(key, (None, 0))[1]
            if size > self._max_bytes:
                return
            self._entries[key] = value, size
            self._bytes += size
            while self._bytes > self._max_bytes:
                self._bytes -= self._entries.popitem(last=False)[1][1]


@dataclass(frozen=True, slots=True)
class MonthList:
    """The months of a scope, newest first. `etag` changes with each of them."""

    scope: Scope
    counts: dict[str, MonthState]

    @property
    def etag(self) -> str:
        versions = " ".join((self.scope, *(f"{month}:{count.version}" for month, count in self.counts.items())))
        return blake2b(versions.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class RatioStrip:
    """The aspect ratios of all months (see `aspect_ratios`). `etag` is None while a month is changing."""

    etag: str | None
    encoded: bytes


class Timeline:
    """Reader of timelines. Its answers are never stale: a cached month is used for one version of its counter."""

    def __init__(self, *, table: Table, blobs: Blobs, keyring: Keyring, max_cache_bytes: int = MAX_CACHE_BYTES) -> None:
        self._table = table
        self._blobs = blobs
        self._keyring = keyring
        self._months: MonthCache[ScopeMonth, BuiltMonth] = MonthCache(max_cache_bytes)
        self._strips: MonthCache[Scope, RatioStrip] = MonthCache(max_cache_bytes // 4)
        self._locks = [threading.Lock() for _ in range(LOCKS)]

    def months(self, scope: Scope) -> MonthList:
        rows = every(self._table, keys.months(scope), newest_first=True)
        counts = {row["SK"]: MonthState(row.get("count", 0), row.get("version", 0)) for row in rows}
        return MonthList(scope, counts)

    def latest(self, scope: Scope) -> ScopeMonth | None:
        """The newest month that has photos."""
        newest = (month for month, count in self.months(scope).counts.items() if count.count)
        return next((ScopeMonth(scope, month) for month in newest), None)

    def month(self, month: ScopeMonth) -> BuiltMonth:
        """A month without photos is empty, at version 0."""
        version = read_month_state(month, table=self._table).version
        return self._cached(month, version) or self._read_or_build(month, version)

    def strip(self, scope: Scope) -> RatioStrip:
        months = self.months(scope)
        etag = months.etag
        cached = self._strips.get(scope)
        if cached is not None and cached.etag == etag:
            return cached
        known = split_ratios(self._stored_strip(scope) if cached is None else cached.encoded)
        pieces = [
            self._piece(ScopeMonth(scope, month), count, known.get(month)) for month, count in months.counts.items()
        ]
        strip = RatioStrip(etag if all(piece.version for piece in pieces) else None, join_ratios(pieces))
        if strip.etag is not None:
            self._store_strip(scope, strip)
        return strip

    # -- Months

    def _cached(self, month: ScopeMonth, version: int) -> BuiltMonth | None:
        cached = self._months.get(month)
        return cached if cached is not None and cached.version == version else None

    def _read_or_build(self, month: ScopeMonth, version: int) -> BuiltMonth:
        """One thread at a time builds a month; the others then find it in the cache."""
        with self._locks[hash(month) % LOCKS]:
            found = self._cached(month, version) or self._stored(month, version)
            if found is None:
                found = build_month(month, table=self._table)
                self._store(month, found)
            if found.version is not None:
                self._months.put(month, found, size=len(found.encoded))
            return found

    def _stored(self, month: ScopeMonth, version: int) -> BuiltMonth | None:
        encoded = self._read(month_copy(month, version, keyring=self._keyring)) if version else None
        return None if encoded is None else read_copy(month, version, encoded)

    def _store(self, month: ScopeMonth, built: BuiltMonth) -> None:
        """Replaces the stored copies. Deletes the new one again where the month has changed meanwhile, so that no copy
        outlives the deletion of a photo.
        """
        if not built.version:
            return
        key, is_current = month_copy(month, built.version, keyring=self._keyring), False
        with ignore_full_disk():
            drop_month(*month, blobs=self._blobs, keyring=self._keyring)
            try:
                self._blobs.put(key, [built.encoded], content_type=JSON)
                is_current = read_month_state(month, table=self._table).version == built.version
            finally:
                if not is_current:
                    self._blobs.delete(key)

    # -- Strips

    def _piece(self, month: ScopeMonth, count: MonthState, known: MonthRatios | None) -> MonthRatios:
        if known is not None and (known.version, len(known.shapes)) == (count.version, count.count):
            return known
        built = self.month(month)
        return MonthRatios(month.month, built.version or 0, ratio_bytes(built.columns.ratios))

    def _stored_strip(self, scope: Scope) -> bytes:
        return self._read(ratios_copy(scope, keyring=self._keyring)) or b""

    def _store_strip(self, scope: Scope, strip: RatioStrip) -> None:
        """The last write wins, which does no harm: each piece holds its version."""
        self._strips.put(scope, strip, size=len(strip.encoded))
        with ignore_full_disk():
            self._blobs.put(ratios_copy(scope, keyring=self._keyring), [strip.encoded])

    def _read(self, key: str) -> bytes | None:
        try:
            return b"".join(self._blobs.open(key))
        except NotFound:
            return None


@contextmanager
def ignore_full_disk() -> Iterator[None]:
    """Lets a timeline be read while nothing can be stored."""
    try:
        yield
    except (StorageFull, Unavailable, Busy) as error:
        log.warning("a copy of a timeline was not stored: %s", error)
