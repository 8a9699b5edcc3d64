"""The table in a SQLite file, the default: one row an item, its body packed, keys and index attributes beside it."""

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import apsw

from sparks.model.errors import Conflict
from sparks.sqlitefile import SqliteFile
from sparks.table.expiry import is_over, over_by, ttl_of
from sparks.table.packed import decode, decode_only, encode
from sparks.table.port import (
    EVERYTHING,
    TOKEN_SECONDS,
    Change,
    Check,
    Delete,
    EntityType,
    Item,
    Key,
    Page,
    Partition,
    Put,
    Set,
    Span,
    UploadedBy,
    Within,
)
from sparks.table.rules import bounds, check_changes, check_limit, check_query, decide, digest
from sparks.table.values import clean_key

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS items (
    id INTEGER PRIMARY KEY,
    pk TEXT NOT NULL,
    sk TEXT NOT NULL,
    entity TEXT,
    uploader TEXT,
    body BLOB NOT NULL,
    ttl INTEGER,
    UNIQUE (pk, sk)
) STRICT;
CREATE INDEX IF NOT EXISTS items_by_entity ON items (entity, pk, sk) WHERE entity IS NOT NULL;
CREATE INDEX IF NOT EXISTS items_by_uploader ON items (uploader, pk, sk) WHERE uploader IS NOT NULL;
CREATE INDEX IF NOT EXISTS items_by_ttl ON items (ttl) WHERE ttl IS NOT NULL;
CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, digest BLOB NOT NULL, at REAL NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS tokens_by_age ON tokens (at);
"""
GET: Final = "SELECT body FROM items WHERE pk = ? AND sk = ?"
PUT: Final = """
INSERT INTO items (pk, sk, entity, uploader, body, ttl) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (pk, sk) DO UPDATE
SET entity = excluded.entity, uploader = excluded.uploader, body = excluded.body, ttl = excluded.ttl
"""
DELETE: Final = "DELETE FROM items WHERE pk = ? AND sk = ?"
# The bounds are pairs, so that a page goes on in the middle of equal sort keys.
PAGE: Final = {
    (within, newest_first): f"""
SELECT body FROM items WHERE {index} (pk, sk) >= (?, ?) AND (pk, sk) < (?, ?)
ORDER BY pk {order}, sk {order} LIMIT ?"""
    for within, index in ((EntityType, "entity = ? AND"), (UploadedBy, "uploader = ? AND"), (Partition, ""))
    for newest_first, order in ((False, "ASC"), (True, "DESC"))
}
SCAN: Final = "SELECT body FROM items WHERE (pk, sk) > (?, ?) ORDER BY pk, sk LIMIT ?"
OVER: Final = "SELECT id, body FROM items WHERE ttl BETWEEN ? AND ? LIMIT ?"
MOST_AT_ONCE: Final = 500
BEHIND_ALL_TEXT: Final = b""  # SQLite sorts every blob behind every text
PACKED_TTL: Final = encode({"ttl": 0})[1:-1]  # the name


class SqliteTable:
    def __init__(self, file: SqliteFile, *, clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._clock = clock
        file.write(_add_ttl)
        file.ensure(SCHEMA)

    def get(self, key: Key) -> Item | None:
        rows = self._file.read(GET, clean_key(key))
        return decode(rows[0][0]) if rows else None

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        wanted = list(dict.fromkeys(map(clean_key, keys)))
        items = [decode(row[0]) for row in self._file.read_many(GET, wanted)]
        return {Key(item["PK"], item["SK"]): item for item in items}

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
        low, high = _pairs(within, span)
        if after is not None and newest_first:
            high = min(high, after, key=_order)
        elif after is not None:
            low = max(low, (after.pk, after.sk + "\0"))
        index = () if isinstance(within, Partition) else (within.value,)
        rows = self._file.read(PAGE[type(within), newest_first], (*index, *low, *high, limit + 1))
        return _page(rows, limit, decode if only is None else decode_only(only))

    def write(self, *changes: Change, token: str | None = None) -> None:
        changes = check_changes(changes, token)
        seal = None if token is None else (token, digest(changes))

        def work(connection: apsw.Connection) -> None:
            if seal is not None and self._repeats(connection, *seal):
                return
            for position, change in enumerate(changes):
                _apply(connection, position, change)

        self._file.write(work, erases=any(map(_erases, changes)))

    def scan(self, *, limit: int = 1000, after: Key | None = None) -> Page:
        check_limit(limit)
        return _page(self._file.read(SCAN, (*(after or ("", "")), limit + 1)), limit)

    def expire(self, at: datetime) -> int:
        """A few at a time, so that nobody waits for long."""
        dropped = 0
        while self._file.read(OVER, (*over_by(at), 1)):
            dropped += self._file.write(partial(_drop_over, at=at), erases=True)
        return dropped

    def check(self) -> None:
        self._file.read("SELECT 1 FROM items LIMIT 1")

    def close(self) -> None:
        """The file is closed by whoever opened it: the jobs live there too."""

    def _repeats(self, connection: apsw.Connection, token: str, seal: bytes) -> bool:
        """Whether this very write was made already; if not, notes that it is being made."""
        now = self._clock()
        connection.execute("DELETE FROM tokens WHERE at <= ?", (now - TOKEN_SECONDS,))
        known = connection.execute("SELECT digest FROM tokens WHERE token = ?", (token,)).fetchall()
        if not known:
            connection.execute("INSERT INTO tokens (token, digest, at) VALUES (?, ?, ?)", (token, seal, now))
        elif known[0][0] != seal:
            raise Conflict("this token was used for another write within the last ten minutes")
        return bool(known)


def row_of(item: Item) -> tuple[str, str, str | None, str | None, bytes, int | None]:
    """What PUT takes."""
    return item["PK"], item["SK"], item.get("entityType"), item.get("uploadedBy"), encode(item), ttl_of(item)


def _pairs(within: Within, span: Span) -> tuple[tuple[str, str], tuple[str | bytes, str | bytes]]:
    """The first (pk, sk) of the span, and the first one past it."""
    first, past = bounds(span)
    end = BEHIND_ALL_TEXT if past is None else past
    if isinstance(within, Partition):
        return (within.pk, first), (within.pk, end)
    return (first, ""), (end, "")


def _order(pair: tuple[str | bytes, str | bytes]) -> tuple[bool, str | bytes, bool, str | bytes]:
    return isinstance(pair[0], bytes), pair[0], isinstance(pair[1], bytes), pair[1]


def _page(rows: list[tuple[bytes]], limit: int, decode: Callable[[bytes], Item] = decode) -> Page:
    """One row more than the page holds was asked for: it tells whether anything follows."""
    items = [decode(row[0]) for row in rows[:limit]]
    return Page(items, Key(items[-1]["PK"], items[-1]["SK"]) if len(rows) > limit else None)


def _apply(connection: apsw.Connection, position: int, change: Change) -> None:
    item = decide(position, change, _current(connection, change))
    if isinstance(change, Delete):
        connection.execute(DELETE, change.key)
    elif item is not None and not isinstance(change, Check):
        connection.execute(PUT, row_of(item))


def _current(connection: apsw.Connection, change: Change) -> Item | None:
    """The item that stands there, unless the change is the same whatever stands there."""
    if isinstance(change, Put | Delete) and not change.when:
        return None
    body: Any = connection.execute(GET, change.key).get
    return None if body is None else decode(body)


def _drop_over(connection: apsw.Connection, *, at: datetime) -> int:
    """[Note: what decides] is the item. An older Sparks, which knows no such column, may have left a wrong one."""
    found: list[Any] = connection.execute(OVER, (*over_by(at), MOST_AT_ONCE)).fetchall()
    items = [(row_id, decode(body)) for row_id, body in found]
    over = [(row_id,) for row_id, item in items if is_over(item, at)]
    connection.executemany("DELETE FROM items WHERE id = ?", over)
    wrong = [(ttl_of(item), row_id) for row_id, item in items if not is_over(item, at)]
    connection.executemany("UPDATE items SET ttl = ? WHERE id = ?", wrong)
    return len(over)


def _add_ttl(connection: apsw.Connection) -> None:
    """To a file from before there was one, with what the items say: those that have an attribute of that name."""
    columns = [row[1] for row in connection.execute("PRAGMA table_info(items)")]
    if not columns or "ttl" in columns:
        return
    connection.execute("ALTER TABLE items ADD COLUMN ttl INTEGER")
    named: list[Any] = connection.execute("SELECT id, body FROM items WHERE instr(body, ?)", (PACKED_TTL,)).fetchall()
    told = [(ttl_of(decode(body)), row_id) for row_id, body in named]
    connection.executemany("UPDATE items SET ttl = ? WHERE id = ?", told)


def _erases(change: Change) -> bool:
    """What is merely overwritten leaves the disk too, when the log next turns over; it is not hurried."""
    return isinstance(change, Delete) or (isinstance(change, Set) and bool(change.remove))
