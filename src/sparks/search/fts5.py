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
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw
import msgspec

from sparks.model.errors import BadSetting, Busy, Damaged, Unavailable
from sparks.model.times import from_iso, iso
from sparks.search.expressions import expressions_of, tokens_of
from sparks.search.matching import check_words
from sparks.search.places import is_near
from sparks.search.port import EARLIEST, LATEST, Document, Hit, Name, NameKind, Place, Position, Question, Sort
from sparks.sqlitefile import SqliteFile

T = TypeVar("T")

VERSION: Final = "1"  # of what is written here: another one is built anew
AT_ONCE: Final = 2000  # documents in a transaction
BITS: Final = 20  # of a row id, behind the time
DAY: Final = 86_400_000  # milliseconds
MOST_READ: Final = 2000
BEING_BUILT: Final = "the search index is being built: try again in a moment"

SCHEMA: Final = """
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE photos (
    id INTEGER PRIMARY KEY, image_id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, day INTEGER NOT NULL,
    latitude REAL, longitude REAL, camera TEXT, print BLOB NOT NULL
);
CREATE INDEX cameras ON photos (camera) WHERE camera IS NOT NULL;
CREATE VIRTUAL TABLE words USING fts5(
    named, told, facets, tokenize='ascii', detail=column, columnsize=0, prefix='1 2 3'
);
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
CREATE TABLE names (
    kind TEXT NOT NULL, word TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, word, id)
) WITHOUT ROWID;
CREATE INDEX named ON names (kind, id);
"""
MATCHES: Final = """
SELECT p.id, p.image_id, p.owner, p.latitude, p.longitude FROM words CROSS JOIN photos p ON p.id = words.rowid
WHERE words MATCH :match AND words.rowid BETWEEN :low AND :high AND p.day BETWEEN :first AND :last
ORDER BY words.rowid DESC LIMIT :most
"""
ALL: Final = """
SELECT p.id, p.image_id, p.owner, p.latitude, p.longitude FROM photos p
WHERE p.id BETWEEN :low AND :high AND p.day BETWEEN :first AND :last ORDER BY p.id DESC LIMIT :most
"""
WITHIN: Final = """
SELECT p.id, p.image_id, p.owner, p.latitude, p.longitude FROM photos p
WHERE p.image_id IN (SELECT value FROM json_each(:within)) AND p.id BETWEEN :low AND :high
AND p.day BETWEEN :first AND :last {} ORDER BY p.id DESC LIMIT :most
"""
MATCHING: Final = "AND p.id IN (SELECT rowid FROM words WHERE words MATCH :match)"
NAMED: Final = "SELECT id, word FROM names WHERE kind = ? AND word >= ? AND word < ?"
CAMERAS: Final = """
WITH RECURSIVE each(camera) AS (
    SELECT MIN(camera) FROM photos WHERE camera IS NOT NULL
    UNION ALL SELECT (SELECT MIN(camera) FROM photos WHERE camera > each.camera) FROM each WHERE each.camera IS NOT NULL
) SELECT camera FROM each WHERE camera IS NOT NULL
"""
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
            self._write(partial(_put_all, documents=list(latest.values()), anew=anew))

    def remove(self, image_ids: Iterable[str]) -> None:
        rest = iter(image_ids)
        while some := list(islice(rest, AT_ONCE)):
            self._write(partial(_remove_all, image_ids=some))

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
            self._write(partial(_put_names, names=list(latest.values())))

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
            high = min(high, _last_of(after.time))
        found: list[Hit] = []
        most = limit + 1
        while len(found) < limit and low <= high:
            rows = self._matches(match, question, low, high, most)
            is_last = len(rows) < most
            if not is_last:
                first = _first_of(rows[-1][0] >> BITS)
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
            file.write(_prepare)
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


# -- In a transaction


def _prepare(db: apsw.Connection) -> None:
    """Damaged where what is there is of another version."""
    if not db.execute("SELECT 1 FROM sqlite_schema").fetchall():
        db.execute(SCHEMA).fetchall()
        db.execute("INSERT INTO state VALUES ('version', ?)", (VERSION,)).fetchall()
        return
    is_ours = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'state'").fetchall()
    known = db.execute("SELECT value FROM state WHERE name = 'version'").fetchall() if is_ours else []
    if known != [(VERSION,)]:
        raise Damaged(f"it is of another version than {VERSION}")


def _put_all(db: apsw.Connection, *, documents: Iterable[Document], anew: bool) -> None:
    for document in documents:
        _put(db, document, anew=anew)


def _remove_all(db: apsw.Connection, *, image_ids: Iterable[str]) -> None:
    for image_id in image_ids:
        _remove(db, image_id)


def _put_names(db: apsw.Connection, *, names: Iterable[Name]) -> None:
    for name in names:
        _put_name(db, name)


def _put(db: apsw.Connection, document: Document, *, anew: bool) -> None:
    printed = _print(document)
    if (
        not anew
        and db.execute("SELECT 1 FROM photos WHERE image_id = ? AND print = ?", (document.image_id, printed)).fetchall()
    ):
        return
    _remove(db, document.image_id)
    place = document.place or (None, None)
    row_id = _free_row_id(db, document.time)
    db.execute(
        "INSERT INTO photos VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (row_id, document.image_id, document.owner, document.day, *place, document.camera, printed),
    ).fetchall()
    words = (" ".join(sorted(document.named)), " ".join(sorted(document.told)), tokens_of(document))
    db.execute("INSERT INTO words (rowid, named, told, facets) VALUES (?, ?, ?, ?)", (row_id, *words)).fetchall()


def _remove(db: apsw.Connection, image_id: str) -> None:
    for (row_id,) in db.execute("SELECT id FROM photos WHERE image_id = ?", (image_id,)).fetchall():
        db.execute("DELETE FROM words WHERE rowid = ?", (row_id,)).fetchall()
        db.execute("DELETE FROM photos WHERE id = ?", (row_id,)).fetchall()


def _free_row_id(db: apsw.Connection, time: int) -> int:
    first, last = _first_of(time), _last_of(time)
    highest = db.execute("SELECT MAX(id) FROM photos WHERE id BETWEEN ? AND ?", (first, last)).fetchall()[0][0]
    return first if highest is None else int(highest) + 1


def _put_name(db: apsw.Connection, name: Name) -> None:
    db.execute("DELETE FROM names WHERE kind = ? AND id = ?", (name.kind.value, name.id)).fetchall()
    rows = [(name.kind.value, word, name.id) for word in name.words]
    db.executemany("INSERT INTO names (kind, word, id) VALUES (?, ?, ?)", rows).fetchall()


# -- Values


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _print(document: Document) -> bytes:
    """The same for the same document, whatever process asks."""
    lists = (sorted(each) for each in (document.named, document.told, document.facets))
    told = repr((document.owner, document.time, document.day, *lists, document.place, document.camera))
    return blake2b(told.encode(), digest_size=12).digest()


def _bounds(days: tuple[int, int]) -> tuple[int, int]:
    """The row ids of these days, wherever on earth they were: clocks are at most a day apart."""
    first, last = days
    return _first_of((first - 1) * DAY), _last_of((last + 2) * DAY)


def _first_of(time: int) -> int:
    return max(EARLIEST, min(LATEST, time)) << BITS


def _last_of(time: int) -> int:
    return _first_of(time) | (1 << BITS) - 1


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
