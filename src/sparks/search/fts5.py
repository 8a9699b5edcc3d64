"""Search in a SQLite file of its own beside the table, by its full-text index FTS5.

[Note: order] A document's row id is its time, and behind it a number that tells those of one millisecond apart. FTS5
gives matches in the order of row ids, newest first, without finding all of them: a page costs the same however many
photos answer. Those of one millisecond are read together, since it is their ids that put them in order.

[Note: erasure] FTS5 takes a deleted document's words out of its index at once when it is told to (`secure-delete`), and
SQLite overwrites what is freed; the write-ahead log is truncated some seconds later, as `sqlitefile` does.

[Note: several processes] may have the file open: each change is one transaction, and to make it twice is harmless. A
file that cannot be read, is damaged or of another version is thrown away, and whoever follows the table fills it again.
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
from sparks.search.expressions import expressions_of
from sparks.search.matching import check_words
from sparks.search.places import is_near
from sparks.search.port import Document, Hit, Name, NameKind, Place, Position, Question, Sort
from sparks.search.rows import BITS, first_row_of, last_row_of, prepare, put_all, put_names, remove_all
from sparks.search.statements import ALL, CAMERAS, MATCHES, MATCHING, NAMED, WITHIN
from sparks.sqlitefile import SqliteFile

T = TypeVar("T")

AT_ONCE: Final = 2000  # documents in a transaction
DAY: Final = 86_400_000  # milliseconds
MOST_READ: Final = 2000
BEING_BUILT: Final = "the search index is being built: try again in a moment"

AFTER_ALL: Final = "\U0010ffff"

log = logging.getLogger(__name__)


class Fts5Search:
    def __init__(self, path: Path, *, erase_after: float = 10.0) -> None:
        self._path = path
        self._erase_after = erase_after
        self._renewing = threading.Lock()
        self._inode: int | None = None
        self._file = self._opened()

    # -- Documents

    def put(self, documents: Iterable[Document], *, anew: bool = False) -> None:
        rest = iter(documents)
        while some := list(islice(rest, AT_ONCE)):
            latest = {document.image_id: document for document in some}
            self._write(partial(put_all, documents=list(latest.values()), anew=anew))

    def remove(self, image_ids: Iterable[str]) -> None:
        rest = iter(image_ids)
        while some := list(islice(rest, AT_ONCE)):
            self._write(partial(remove_all, image_ids=some))

    def find(self, question: Question, *, by: Sort, limit: int, after: Position | None = None) -> list[Hit]:
        check_words(question)
        found: list[Hit] = []
        for tier, match in enumerate(expressions_of(question, by)):
            if after is not None and tier < after.tier:
                continue
            behind = after if after is not None and tier == after.tier else None
            found += self._in_tier(tier, match, question, limit - len(found), behind)
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

    def put_names(self, names: Iterable[Name]) -> None:
        latest = {(name.kind, name.id): name for name in names}
        if latest:
            self._write(partial(put_names, names=list(latest.values())))

    def names(self, kind: NameKind, words: Collection[str]) -> dict[str, bool]:
        found: dict[str, bool] | None = None
        for word in words:
            theirs: dict[str, bool] = {}
            for each, known in self._read(NAMED, (kind.value, word, word + AFTER_ALL)):
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
            self._renew(self._file, str(found[0][0]))

    def clear(self) -> None:
        self._renew(self._file, "it was asked for")

    def close(self) -> None:
        self._file.close()

    # -- Finding

    def _in_tier(self, tier: int, match: str, question: Question, limit: int, after: Position | None) -> list[Hit]:
        """[Note: one millisecond] What is read ends with a whole millisecond, and is put in order then."""
        low, high = _bounds(question.days)
        if after is not None:
            high = min(high, last_row_of(after.time))
        found: list[Hit] = []
        most = limit + 1
        while len(found) < limit and low <= high:
            rows = self._matches(match, question, low, high, most)
            is_last = len(rows) < most
            if not is_last:
                first = first_row_of(rows[-1][0] >> BITS)
                rows += self._matches(match, question, first, rows[-1][0] - 1, -1)
                high = first - 1
            found += _in_order(tier, rows, question, after)
            if is_last:
                break
            most = min(2 * most, MOST_READ)
        return found[:limit]

    def _matches(self, match: str, question: Question, low: int, high: int, most: int) -> list[Any]:
        first, last = question.days
        values: dict[str, Any] = {"low": low, "high": high, "first": first, "last": last, "most": most}
        if match:
            values["match"] = match
        if question.within is not None:
            values["within"] = msgspec.json.encode(sorted(question.within)).decode()
            return self._read(WITHIN.format(MATCHING if match else ""), values)
        return self._read(MATCHES if match else ALL, values)

    # -- The file

    def _read(self, sql: str, values: Any = ()) -> list[Any]:
        file = self._file
        return self._unless_damaged(file, lambda: file.read(sql, values))

    def _write(self, work: Callable[[apsw.Connection], object]) -> None:
        """Whatever is written may take the place of something."""
        file = self._file
        self._unless_damaged(file, lambda: file.write(work, erases=True))

    def _unless_damaged(self, file: SqliteFile, work: Callable[[], T]) -> T:
        """[Note: vanished] Whoever removes the file takes it away from under its connections; new ones find nothing."""
        try:
            return work()
        except (Damaged, Unavailable) as error:
            if isinstance(error, Unavailable) and self._inode == _inode(self._path):
                raise
            self._renew(file, str(error))
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

    def _renew(self, file: SqliteFile, reason: str) -> None:
        """Once, however many threads find it damaged."""
        with self._renewing:
            if file is self._file:
                file.close()
                self._discard(reason)
                self._file = self._opened()

    def _discard(self, reason: str) -> None:
        log.warning("the search index is built from the table again: %s", reason)
        for ending in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _bounds(days: tuple[int, int]) -> tuple[int, int]:
    """The row ids of these days, wherever on earth they were: clocks are at most a day apart."""
    first, last = days
    return first_row_of((first - 1) * DAY), last_row_of((last + 2) * DAY)


def _in_order(tier: int, rows: Sequence[Any], question: Question, after: Position | None) -> list[Hit]:
    found = []
    for row_id, image_id, owner, latitude, longitude in rows:
        place = None if latitude is None else Place(latitude, longitude)
        time = row_id >> BITS
        is_behind = after is None or (time, image_id) < (after.time, after.image_id)
        if is_behind and (question.near is None or is_near(place, question.near)):
            found.append(Hit(Position(tier, time, image_id), owner))
    found.sort(key=lambda hit: (hit.position.time, hit.image_id), reverse=True)
    return found
