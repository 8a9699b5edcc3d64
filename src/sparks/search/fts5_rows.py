"""Rows and SQL of the FTS5 index."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

import apsw

from sparks.model.errors import Damaged
from sparks.search.fts5_expressions import tokens_of
from sparks.search.port import EARLIEST, LATEST, Document, NameEntry

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


VERSION: Final = "2"  # of these rows: a file of another version is rebuilt
BITS: Final = 20  # of a row id, after the time


def prepare(db: apsw.Connection) -> None:
    """Creates the tables in an empty file; Damaged where the file is of another version."""
    if not db.execute("SELECT 1 FROM sqlite_schema").fetchall():
        db.execute(SCHEMA).fetchall()
        db.execute("INSERT INTO state VALUES ('version', ?)", (VERSION,)).fetchall()
        return
    is_ours = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'state'").fetchall()
    known = db.execute("SELECT value FROM state WHERE name = 'version'").fetchall() if is_ours else []
    if known != [(VERSION,)]:
        raise Damaged(f"its version is not {VERSION}")


def put_documents(db: apsw.Connection, *, documents: Iterable[Document], anew: bool) -> None:
    for document in documents:
        _put(db, document, anew=anew)


def remove_documents(db: apsw.Connection, *, image_ids: Iterable[str]) -> None:
    for image_id in image_ids:
        _remove(db, image_id)


def put_names(db: apsw.Connection, *, names: Iterable[NameEntry]) -> None:
    for name in names:
        _put_name(db, name)


def _put(db: apsw.Connection, document: Document, *, anew: bool) -> None:
    digest = _digest(document)
    if (
        not anew
        and db.execute("SELECT 1 FROM photos WHERE image_id = ? AND print = ?", (document.image_id, digest)).fetchall()
    ):
        return
    _remove(db, document.image_id)
    place = document.place or (None, None)
    row_id = _free_row_id(db, document.time)
    db.execute(
        "INSERT INTO photos VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (row_id, document.image_id, document.owner, document.day, *place, document.camera, digest),
    ).fetchall()
    words = (" ".join(sorted(document.name_words)), " ".join(sorted(document.other_words)), tokens_of(document))
    db.execute("INSERT INTO words (rowid, named, told, facets) VALUES (?, ?, ?, ?)", (row_id, *words)).fetchall()


def _remove(db: apsw.Connection, image_id: str) -> None:
    for (row_id,) in db.execute("SELECT id FROM photos WHERE image_id = ?", (image_id,)).fetchall():
        db.execute("DELETE FROM words WHERE rowid = ?", (row_id,)).fetchall()
        db.execute("DELETE FROM photos WHERE id = ?", (row_id,)).fetchall()


def _free_row_id(db: apsw.Connection, time: int) -> int:
    first, last = first_row_of(time), last_row_of(time)
    highest = db.execute("SELECT MAX(id) FROM photos WHERE id BETWEEN ? AND ?", (first, last)).fetchall()[0][0]
    return first if highest is None else int(highest) + 1


def _put_name(db: apsw.Connection, name: NameEntry) -> None:
    db.execute("DELETE FROM names WHERE kind = ? AND id = ?", (name.kind.value, name.id)).fetchall()
    rows = [(name.kind.value, word, name.id) for word in name.words]
    db.executemany("INSERT INTO names (kind, word, id) VALUES (?, ?, ?)", rows).fetchall()


def _digest(document: Document) -> bytes:
    """A hash that is the same for equal documents in all processes."""
    lists = (sorted(each) for each in (document.name_words, document.other_words, document.facets))
    content = repr((document.owner, document.time, document.day, *lists, document.place, document.camera))
    return blake2b(content.encode(), digest_size=12).digest()


def first_row_of(time: int) -> int:
    return max(EARLIEST, min(LATEST, time)) << BITS


def last_row_of(time: int) -> int:
    return first_row_of(time) | (1 << BITS) - 1
