"""Search in a SQLite file by its full-text index FTS5.

[Note: row ids in order of time] The row id of a document is its time, followed by a number that distinguishes documents
of one millisecond. FTS5 returns matches in the order of row ids, newest first, without finding all of them, so the cost
of a page does not depend on the number of matches. Documents of one millisecond are read together and then sorted by
their ids.

With `secure-delete`, FTS5 removes the words of a deleted document from its index at once, and SQLite overwrites the
freed space; `sqlitefile` truncates the write-ahead log some seconds later.

Several processes may have the file open: each change is one transaction, and repeating it is harmless. A file that
cannot be read, is damaged or of another version is deleted, and the search index is built from the table again.
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw
import msgspec

from sparks.model.errors import BadSetting, Busy, Damaged, Unavailable
from sparks.model.times import from_iso, iso
from sparks.search.fts5_expressions import expressions_of
from sparks.search.fts5_rows import (
    ALL,
    BITS,
    CAMERAS,
    MATCHES,
    MATCHING,
    NAMED,
    WITHIN,
    first_row_of,
    last_row_of,
    prepare,
    put_documents,
    put_names,
    remove_documents,
)
from sparks.search.geo_grid import is_near
from sparks.search.match_rules import check_words
from sparks.search.port import Document, GeoPoint, Hit, HitPosition, IndexQuery, NameEntry, NameKind, Sort
from sparks.sqlitefile import SqliteFile

T = TypeVar("T")

BATCH_SIZE: Final = 2000  # documents in a transaction
DAY_MS: Final = 86_400_000  # milliseconds
MAX_ROWS: Final = 2000
BEING_BUILT: Final = "the search index is being built: try again in a moment"

HIGHEST_TEXT: Final = "\U0010ffff"

log = logging.getLogger(__name__)


class Fts5Search:
    def __init__(self, path: Path, *, erase_after: float = 10.0) -> None:
        self._path = path
        self._erase_after = erase_after
        self._discarding = threading.Lock()
        self._inode: int | None = None
        self._file = self._opened()

    # -- Documents

    def put(self, documents: Iterable[Document], *, anew: bool = False) -> None:
        remaining = iter(documents)
        while batch := list(islice(remaining, BATCH_SIZE)):
            latest = {document.image_id: document for document in batch}
            self._write(partial(put_documents, documents=list(latest.values()), anew=anew))

    def remove(self, image_ids: Iterable[str]) -> None:
        remaining = iter(image_ids)
        while batch := list(islice(remaining, BATCH_SIZE)):
            self._write(partial(remove_documents, image_ids=batch))

    def find(self, query: IndexQuery, *, by: Sort, limit: int, after: HitPosition | None = None) -> list[Hit]:
        check_words(query)
        found: list[Hit] = []
        for tier, match in enumerate(expressions_of(query, by)):
            if after is not None and tier < after.tier:
                continue
            behind = after if after is not None and tier == after.tier else None
            found += self._in_tier(tier, match, query, limit - len(found), behind)
            if len(found) == limit:
                break
        return found

    def cameras(self) -> list[str]:
        return [camera for (camera,) in self._read(CAMERAS)]

    def ids(self) -> set[str]:
        return {image_id for (image_id,) in self._read("SELECT image_id FROM photos")}

    def count(self) -> int:
        return int(self._read("SELECT COUNT(*) FROM photos")[0][0])

    # -- Names

    def put_names(self, names: Iterable[NameEntry]) -> None:
        latest = {(name.kind, name.id): name for name in names}
        if latest:
            self._write(partial(put_names, names=list(latest.values())))

    def names(self, kind: NameKind, words: Collection[str]) -> dict[str, bool]:
        found: dict[str, bool] | None = None
        for word in words:
            theirs: dict[str, bool] = {}
            for each, known in self._read(NAMED, (kind.value, word, word + HIGHEST_TEXT)):
                theirs[each] = theirs.get(each, False) or known == word
            earlier = theirs if found is None else found
            found = {each: whole and earlier[each] for each, whole in theirs.items() if each in earlier}
        return found or {}

    def named_ids(self, kind: NameKind) -> set[str]:
        return {each for (each,) in self._read("SELECT DISTINCT id FROM names WHERE kind = ?", (kind.value,))}

    # -- How far it is

    def position(self) -> datetime | None:
        rows = self._read("SELECT value FROM state WHERE name = 'position'")
        return from_iso(rows[0][0]) if rows else None

    def advance(self, position: datetime) -> None:
        noted = iso(position)
        self._write(lambda db: db.execute("INSERT OR REPLACE INTO state VALUES ('position', ?)", (noted,)))

    def check(self) -> None:
        found = self._read("PRAGMA quick_check(1)")
        if found != [("ok",)]:
            self._start_over(self._file, str(found[0][0]))

    def clear(self) -> None:
        self._start_over(self._file, "on request")

    def close(self) -> None:
        self._file.close()

    # -- Finding

    def _in_tier(self, tier: int, match: str, query: IndexQuery, limit: int, after: HitPosition | None) -> list[Hit]:
        """Reads up to the end of a millisecond, then sorts; see [Note: row ids in order of time]."""
        low, high = _bounds(query.days)
        if after is not None:
            high = min(high, last_row_of(after.time))
        found: list[Hit] = []
        most = limit + 1
        while len(found) < limit and low <= high:
            rows = self._matches(match, query, low, high, most)
            is_last = len(rows) < most
            if not is_last:
                first = first_row_of(rows[-1][0] >> BITS)
                rows += self._matches(match, query, first, rows[-1][0] - 1, -1)
                high = first - 1
            found += _sorted_hits(tier, rows, query, after)
            if is_last:
                break
            most = min(2 * most, MAX_ROWS)
        return found[:limit]

    def _matches(self, match: str, query: IndexQuery, low: int, high: int, most: int) -> list[Any]:
        first, last = query.days
        values: dict[str, Any] = {"low": low, "high": high, "first": first, "last": last, "most": most}
        if match:
            values["match"] = match
        if query.within is not None:
            values["within"] = msgspec.json.encode(sorted(query.within)).decode()
            return self._read(WITHIN.format(MATCHING if match else ""), values)
        return self._read(MATCHES if match else ALL, values)

    # -- The file

    def _read(self, sql: str, values: Any = ()) -> list[Any]:
        file = self._file
        return self._unless_damaged(file, lambda: file.read(sql, values))

    def _write(self, work: Callable[[apsw.Connection], object]) -> None:
        """Every write may replace something, which must leave the disk."""
        file = self._file
        self._unless_damaged(file, lambda: file.write(work, erases=True))

    def _unless_damaged(self, file: SqliteFile, work: Callable[[], T]) -> T:
        """Starts over with an empty index where the file is damaged, or was deleted under its connections."""
        try:
            return work()
        except (Damaged, Unavailable) as error:
            if isinstance(error, Unavailable) and self._inode == _inode(self._path):
                raise
            self._start_over(file, str(error))
            raise Busy(BEING_BUILT) from error

    def _opened(self) -> SqliteFile:
        try:
            return self._open()
        except (Damaged, BadSetting) as error:
            self._discard(str(error))
        return self._open()

    def _open(self) -> SqliteFile:
        file = SqliteFile(self._path, erase_after=self._erase_after)
        try:
            file.write(prepare)
        except BaseException:
            file.close()
            raise
        self._inode = _inode(self._path)
        return file

    def _start_over(self, file: SqliteFile, reason: str) -> None:
        """Runs once, also where several threads find the file damaged."""
        with self._discarding:
            if file is self._file:
                file.close()
                self._discard(reason)
                self._file = self._opened()

    def _discard(self, reason: str) -> None:
        log.warning("the search index is rebuilt from the table: %s", reason)
        for ending in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _bounds(days: tuple[int, int]) -> tuple[int, int]:
    """The row ids of these days in every time zone: clocks are at most a day apart."""
    first, last = days
    return first_row_of((first - 1) * DAY_MS), last_row_of((last + 2) * DAY_MS)


def _sorted_hits(tier: int, rows: Sequence[Any], query: IndexQuery, after: HitPosition | None) -> list[Hit]:
    found = []
    for row_id, image_id, owner, latitude, longitude in rows:
        place = None if latitude is None else GeoPoint(latitude, longitude)
        time = row_id >> BITS
        is_behind = after is None or (time, image_id) < (after.time, after.image_id)
        if is_behind and (query.near is None or is_near(place, query.near)):
            found.append(Hit(HitPosition(tier, time, image_id), owner))
    found.sort(key=lambda hit: (hit.position.time, hit.image_id), reverse=True)
    return found
