"""Table in a SQLite file: one row per item, its body packed."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import apsw

from sparks.model.errors import Conflict
from sparks.sqlitefile import SqliteFile
from sparks.table.msgpack_items import decode, decode_only, encode
from sparks.table.port import (
    EVERYTHING,
    TOKEN_SECONDS,
    Add,
    Change,
    Check,
    Delete,
    EntityType,
    Item,
    Key,
    Number,
    Page,
    Partition,
    Put,
    Set,
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
    expired_range,
    is_expired,
    sum_in,
    ttl_of,
    updated,
)
from sparks.table.values import clean_key

ITEMS: Final = "items"
TOKENS: Final = """
CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, digest BLOB NOT NULL, at REAL NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS tokens_by_age ON tokens (at);
"""
EXPIRY_BATCH: Final = 500
AFTER_ALL_TEXT: Final = b""  # SQLite sorts every blob after every text
PACKED_TTL: Final = encode({"ttl": 0})[1:-1]  # the packed attribute name


class Statements:
    """The SQL of a table of items, by the name of the table."""

    def __init__(self, name: str) -> None:
        self.schema = f"""
CREATE TABLE IF NOT EXISTS {name} (
    id INTEGER PRIMARY KEY,
    pk TEXT NOT NULL,
    sk TEXT NOT NULL,
    entity TEXT,
    uploader TEXT,
    body BLOB NOT NULL,
    ttl INTEGER,
    UNIQUE (pk, sk)
) STRICT;
CREATE INDEX IF NOT EXISTS {name}_by_entity ON {name} (entity, pk, sk) WHERE entity IS NOT NULL;
CREATE INDEX IF NOT EXISTS {name}_by_uploader ON {name} (uploader, pk, sk) WHERE uploader IS NOT NULL;
CREATE INDEX IF NOT EXISTS {name}_by_ttl ON {name} (ttl) WHERE ttl IS NOT NULL;
{TOKENS}"""
        self.get = f"SELECT body FROM {name} WHERE pk = ? AND sk = ?"
        self.put = f"""
INSERT INTO {name} (pk, sk, entity, uploader, body, ttl) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (pk, sk) DO UPDATE
SET entity = excluded.entity, uploader = excluded.uploader, body = excluded.body, ttl = excluded.ttl
"""
        self.delete = f"DELETE FROM {name} WHERE pk = ? AND sk = ?"
        # The bounds are pairs, so that a page can start between equal sort keys.
        self.page = {
            (within, newest_first): f"""
SELECT body FROM {name} WHERE {index} (pk, sk) >= (?, ?) AND (pk, sk) < (?, ?)
ORDER BY pk {order}, sk {order} LIMIT ?"""
            for within, index in ((EntityType, "entity = ? AND"), (UploadedBy, "uploader = ? AND"), (Partition, ""))
            for newest_first, order in ((False, "ASC"), (True, "DESC"))
        }
        self.scan = f"SELECT body FROM {name} WHERE (pk, sk) > (?, ?) ORDER BY pk, sk LIMIT ?"
        self.any = f"SELECT 1 FROM {name} LIMIT 1"
        self.expired = f"SELECT id, body FROM {name} WHERE ttl BETWEEN ? AND ? LIMIT ?"
        self.drop = f"DELETE FROM {name} WHERE id = ?"
        self.set_ttl = f"UPDATE {name} SET ttl = ? WHERE id = ?"


PUT: Final = Statements(ITEMS).put


class SqliteTable:
    """One of the tables of items in the file; all share the tokens."""

    def __init__(self, file: SqliteFile, name: str = ITEMS, *, clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._sql = Statements(name)
        self._clock = clock
        file.write(_add_ttl_column)
        file.ensure(self._sql.schema)

    def get(self, key: Key) -> Item | None:
        rows = self._file.read(self._sql.get, clean_key(key))
        return decode(rows[0][0]) if rows else None

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        wanted = list(dict.fromkeys(map(clean_key, keys)))
        items = [decode(row[0]) for row in self._file.read_many(self._sql.get, wanted)]
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
        rows = self._file.read(self._sql.page[type(within), newest_first], (*index, *low, *high, limit + 1))
        return _page(rows, limit, decode if only is None else decode_only(only))

    def write(self, *changes: Change, token: str | None = None) -> None:
        changes = check_changes(changes, token)
        change_digest = None if token is None else (token, digest(changes))

        def work(connection: apsw.Connection) -> None:
            if change_digest is not None and self._is_repeat(connection, *change_digest):
                return
            for position, change in enumerate(changes):
                _apply(connection, position, change, self._sql)

        self._file.write(work, erases=any(map(_deletes_data, changes)))

    def increment(self, key: Key, name: str, amount: int = 1, *, values: Mapping[str, Any] | None = None) -> Number:
        change = check_increment(Add(key, {name: amount}, values or {}))

        def work(connection: apsw.Connection) -> Number:
            item = updated(change, _current(connection, change, self._sql))
            connection.execute(self._sql.put, row_of(item))
            return sum_in(item, name)

        return self._file.write(work)

    def scan(self, *, limit: int = 1000, after: Key | None = None) -> Page:
        check_limit(limit)
        return _page(self._file.read(self._sql.scan, (*(after or ("", "")), limit + 1)), limit)

    def expire(self, at: datetime) -> int:
        """Drops small batches, so that other writers do not wait long."""
        dropped = 0
        while self._file.read(self._sql.expired, (*expired_range(at), 1)):
            dropped += self._file.write(partial(_drop_expired, at=at, sql=self._sql), erases=True)
        return dropped

    def check(self) -> None:
        self._file.read(self._sql.any)

    def close(self) -> None:
        """The file stays open for its other users: `wiring` closes it."""

    def _is_repeat(self, connection: apsw.Connection, token: str, change_digest: bytes) -> bool:
        """Whether this write was already made; if not, stores its token."""
        now = self._clock()
        connection.execute("DELETE FROM tokens WHERE at <= ?", (now - TOKEN_SECONDS,))
        known = connection.execute("SELECT digest FROM tokens WHERE token = ?", (token,)).fetchall()
        if not known:
            connection.execute("INSERT INTO tokens (token, digest, at) VALUES (?, ?, ?)", (token, change_digest, now))
        elif known[0][0] != change_digest:
            raise Conflict("this token was used for another write in the last ten minutes")
        return bool(known)


def row_of(item: Item) -> tuple[str, str, str | None, str | None, bytes, int | None]:
    """The values of the statement that puts an item."""
    return item["PK"], item["SK"], item.get("entityType"), item.get("uploadedBy"), encode(item), ttl_of(item)


def _pairs(within: Within, span: Span) -> tuple[tuple[str, str], tuple[str | bytes, str | bytes]]:
    """The first (pk, sk) of the span, and the first one after it."""
    first, past = bounds(span)
    end = AFTER_ALL_TEXT if past is None else past
    if isinstance(within, Partition):
        return (within.pk, first), (within.pk, end)
    return (first, ""), (end, "")


def _order(pair: tuple[str | bytes, str | bytes]) -> tuple[bool, str | bytes, bool, str | bytes]:
    return isinstance(pair[0], bytes), pair[0], isinstance(pair[1], bytes), pair[1]


def _page(rows: list[tuple[bytes]], limit: int, decode: Callable[[bytes], Item] = decode) -> Page:
    """`rows` may hold one row more than the page, which shows that another page follows."""
    items = [decode(row[0]) for row in rows[:limit]]
    return Page(items, Key(items[-1]["PK"], items[-1]["SK"]) if len(rows) > limit else None)


def _apply(connection: apsw.Connection, position: int, change: Change, sql: Statements) -> None:
    item = apply_change(position, change, _current(connection, change, sql))
    if isinstance(change, Delete):
        connection.execute(sql.delete, change.key)
    elif item is not None and not isinstance(change, Check):
        connection.execute(sql.put, row_of(item))


def _current(connection: apsw.Connection, change: Change, sql: Statements) -> Item | None:
    """The present item; None also where the change does not depend on it."""
    if isinstance(change, Put | Delete) and not change.when:
        return None
    body: Any = connection.execute(sql.get, change.key).get
    return None if body is None else decode(body)


def _drop_expired(connection: apsw.Connection, *, at: datetime, sql: Statements) -> int:
    """The item decides, not the column: an older version of Sparks, which has no such column, may leave it wrong."""
    found: list[Any] = connection.execute(sql.expired, (*expired_range(at), EXPIRY_BATCH)).fetchall()
    items = [(row_id, decode(body)) for row_id, body in found]
    expired = [(row_id,) for row_id, item in items if is_expired(item, at)]
    connection.executemany(sql.drop, expired)
    wrong = [(ttl_of(item), row_id) for row_id, item in items if not is_expired(item, at)]
    connection.executemany(sql.set_ttl, wrong)
    return len(expired)


def _add_ttl_column(connection: apsw.Connection) -> None:
    """Adds the column to a file of an older version and fills it from the items that have a `ttl`."""
    columns = [row[1] for row in connection.execute("PRAGMA table_info(items)")]
    if not columns or "ttl" in columns:
        return
    connection.execute("ALTER TABLE items ADD COLUMN ttl INTEGER")
    named: list[Any] = connection.execute("SELECT id, body FROM items WHERE instr(body, ?)", (PACKED_TTL,)).fetchall()
    ttls = [(ttl_of(decode(body)), row_id) for row_id, body in named]
    connection.executemany("UPDATE items SET ttl = ? WHERE id = ?", ttls)


def _deletes_data(change: Change) -> bool:
    """Whether the data must soon leave the disk. Overwritten data leaves it with the next regular checkpoint."""
    return isinstance(change, Delete) or (isinstance(change, Set) and bool(change.remove))
