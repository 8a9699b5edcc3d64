"""SQLite files of an older version, without a column for `ttl`, and their upgrade."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import apsw

from sparks.model.times import unix
from sparks.sqlitefile import SqliteFile
from sparks.table.msgpack_items import encode
from sparks.table.port import Item, Key, Put
from sparks.table.sqlite import SqliteTable
from tests.account_makers import at_once
from tests.conformance.table.rows import row

AT = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)
NOW = unix(AT)
BEFORE: Final = """
CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    pk TEXT NOT NULL,
    sk TEXT NOT NULL,
    entity TEXT,
    uploader TEXT,
    body BLOB NOT NULL,
    UNIQUE (pk, sk)
) STRICT;
CREATE INDEX items_by_entity ON items (entity, pk, sk) WHERE entity IS NOT NULL;
CREATE INDEX items_by_uploader ON items (uploader, pk, sk) WHERE uploader IS NOT NULL;
CREATE TABLE tokens (token TEXT PRIMARY KEY, digest BLOB NOT NULL, at REAL NOT NULL) STRICT;
CREATE INDEX tokens_by_age ON tokens (at);
"""
WRITE_BEFORE: Final = """
INSERT INTO items (pk, sk, entity, uploader, body) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (pk, sk) DO UPDATE SET entity = excluded.entity, uploader = excluded.uploader, body = excluded.body
"""
ROWS: Final = [
    row(sk="1 over", entityType="E", ttl=NOW - 1),
    row(sk="2 lives", entityType="E", ttl=NOW + 1),
    row(sk="3 never", entityType="E", uploadedBy="ttl"),
    row(sk="4 nested", entityType="E", exif={"ttl": NOW - 1}),
    row(sk="5 no time", entityType="E", ttl="ttl"),
]


def write_as_before(file: SqliteFile, *items: Item) -> None:
    def work(connection: apsw.Connection) -> None:
        for item in items:
            told = item["PK"], item["SK"], item.get("entityType"), item.get("uploadedBy"), encode(item)
            connection.execute(WRITE_BEFORE, told)

    file.write(work)


def file_from_before(path: Path) -> Path:
    with closing(SqliteFile(path)) as file:
        file.write(lambda connection: connection.execute(BEFORE).fetchall())
        write_as_before(file, *ROWS)
    return path


@contextmanager
def opened(path: Path) -> Iterator[SqliteTable]:
    with closing(SqliteFile(path)) as file:
        yield SqliteTable(file)


def test_a_file_of_an_older_version_keeps_its_items(tmp_path: Path) -> None:
    with opened(file_from_before(tmp_path / "old.db")) as table:
        assert table.scan().items == ROWS


def test_expired_items_of_an_older_file_are_dropped(tmp_path: Path) -> None:
    with opened(file_from_before(tmp_path / "old.db")) as table:
        assert table.expire(AT) == 1
        assert table.scan().items == ROWS[1:]


def test_a_file_of_an_older_version_accepts_new_items(tmp_path: Path) -> None:
    path = file_from_before(tmp_path / "old.db")
    with opened(path) as table:
        table.write(Put(row(sk="6 new", ttl=NOW)))
    with opened(path) as table:
        assert table.expire(AT) == 2


def test_several_processes_may_upgrade_an_older_file_at_once(tmp_path: Path) -> None:
    path = file_from_before(tmp_path / "old.db")

    def look() -> int:
        with opened(path) as table:
            return len(table.scan().items)

    assert at_once(*[look] * 6) == [len(ROWS)] * 6


def test_an_older_sparks_that_writes_meanwhile_loses_nothing(tmp_path: Path) -> None:
    """It does not know the column: where its item and the column differ, the item counts."""
    with closing(SqliteFile(file_from_before(tmp_path / "old.db"))) as file:
        table = SqliteTable(file)
        write_as_before(file, row(sk="1 over", confirmed=True), row(sk="2 lives", ttl=NOW + 7))
        assert table.expire(AT) == 0
        assert table.get(Key("p", "1 over")) == row(sk="1 over", confirmed=True)


def test_expired_items_leave_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with opened(path) as table:
        table.write(Put(row(ttl=NOW, secret="only-here-and-nowhere-else")))
        table.expire(AT)
    assert not any(b"only-here-and-nowhere-else" in found.read_bytes() for found in tmp_path.iterdir())
