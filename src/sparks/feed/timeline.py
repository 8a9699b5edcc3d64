"""Timelines: the months of a scope, what is in each, and the shapes of all.

A month is built once for each version of its counter, and kept twice: in this process while there is room, and under
`derived/`, where the next process finds it. So after one upload one month is built, and after a restart none.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from sparks.blobs.port import Blobs
from sparks.feed.months import BuiltMonth, Count, build_month, counter_of, read_copy
from sparks.feed.ratios import Piece, joined, pieces_in, shape_bytes
from sparks.feed.shelf import Shelf
from sparks.library import keys
from sparks.library.months import Month, drop_month, month_copy, ratios_copy
from sparks.model.errors import Busy, NotFound, StorageFull, Unavailable
from sparks.model.keyring import Keyring
from sparks.model.scope import Scope
from sparks.table.port import Table, every

JSON: Final = "application/json"
MOST_KEPT: Final = 32 * 1024 * 1024  # bytes, in a process
LOCKS: Final = 64

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Months:
    """Those of a scope that have photos, newest first. `etag` changes with any of them."""

    scope: Scope
    counts: dict[str, Count]

    @property
    def etag(self) -> str:
        told = " ".join((self.scope, *(f"{month}:{count.version}" for month, count in self.counts.items())))
        return blake2b(told.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Strip:
    """The shapes of all months (see `ratios`). `etag` is None where some month is changing just now."""

    etag: str | None
    encoded: bytes


class Timeline:
    """What it is asked for is answered as it is now: what is kept is good for one version."""

    def __init__(self, *, table: Table, blobs: Blobs, keyring: Keyring, most_kept: int = MOST_KEPT) -> None:
        self._table = table
        self._blobs = blobs
        self._keyring = keyring
        self._months: Shelf[Month, BuiltMonth] = Shelf(most_kept)
        self._strips: Shelf[Scope, Strip] = Shelf(most_kept // 4)
        self._locks = [threading.Lock() for _ in range(LOCKS)]

    def months(self, scope: Scope) -> Months:
        rows = every(self._table, keys.months(scope), newest_first=True)
        counts = {row["SK"]: Count(row.get("count", 0), row.get("version", 0)) for row in rows}
        return Months(scope, counts)

    def latest(self, scope: Scope) -> Month | None:
        """The newest month that has photos."""
        newest = (month for month, count in self.months(scope).counts.items() if count.count)
        return next((Month(scope, month) for month in newest), None)

    def month(self, month: Month) -> BuiltMonth:
        """One without photos is empty, at version 0."""
        version = counter_of(month, table=self._table).version
        return self._on_shelf(month, version) or self._found(month, version)

    def strip(self, scope: Scope) -> Strip:
        months = self.months(scope)
        etag = months.etag
        kept = self._strips.get(scope)
        if kept is not None and kept.etag == etag:
            return kept
        known = pieces_in(self._kept_strip(scope) if kept is None else kept.encoded)
        pieces = [self._piece(Month(scope, month), count, known.get(month)) for month, count in months.counts.items()]
        strip = Strip(etag if all(piece.version for piece in pieces) else None, joined(pieces))
        if strip.etag is not None:
            self._keep_strip(scope, strip)
        return strip

    # -- Months

    def _on_shelf(self, month: Month, version: int) -> BuiltMonth | None:
        kept = self._months.get(month)
        return kept if kept is not None and kept.version == version else None

    def _found(self, month: Month, version: int) -> BuiltMonth:
        """By one thread at a time: the others find what it has built."""
        with self._locks[hash(month) % LOCKS]:
            found = self._on_shelf(month, version) or self._copy(month, version)
            if found is None:
                found = build_month(month, table=self._table)
                self._keep(month, found)
            if found.version is not None:
                self._months.put(month, found, size=len(found.encoded))
            return found

    def _copy(self, month: Month, version: int) -> BuiltMonth | None:
        encoded = self._read(month_copy(month, version, keyring=self._keyring)) if version else None
        return None if encoded is None else read_copy(month, version, encoded)

    def _keep(self, month: Month, built: BuiltMonth) -> None:
        """Older copies go. The new one goes again where the month has moved on, so that none outlives a deletion."""
        if not built.version:
            return
        key, is_current = month_copy(month, built.version, keyring=self._keyring), False
        with unless_disk_fails():
            drop_month(*month, blobs=self._blobs, keyring=self._keyring)
            try:
                self._blobs.put(key, [built.encoded], content_type=JSON)
                is_current = counter_of(month, table=self._table).version == built.version
            finally:
                if not is_current:
                    self._blobs.delete(key)

    # -- Strips

    def _piece(self, month: Month, count: Count, known: Piece | None) -> Piece:
        if known is not None and (known.version, len(known.shapes)) == (count.version, count.count):
            return known
        built = self.month(month)
        return Piece(month.month, built.version or 0, shape_bytes(built.columns.ratios))

    def _kept_strip(self, scope: Scope) -> bytes:
        return self._read(ratios_copy(scope, keyring=self._keyring)) or b""

    def _keep_strip(self, scope: Scope, strip: Strip) -> None:
        """Whoever stores it last: each piece tells the version that it is good for."""
        self._strips.put(scope, strip, size=len(strip.encoded))
        with unless_disk_fails():
            self._blobs.put(ratios_copy(scope, keyring=self._keyring), [strip.encoded])

    def _read(self, key: str) -> bytes | None:
        try:
            return b"".join(self._blobs.open(key))
        except NotFound:
            return None


@contextmanager
def unless_disk_fails() -> Iterator[None]:
    """A timeline can be seen when nothing can be stored."""
    try:
        yield
    except (StorageFull, Unavailable, Busy) as error:
        log.warning("a copy of a timeline was not kept: %s", error)
