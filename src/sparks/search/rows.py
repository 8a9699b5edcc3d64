"""Documents and names as rows of the search index, written within a transaction; and the row ids that tell times."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

import apsw

from sparks.model.errors import Damaged
from sparks.search.expressions import tokens_of
from sparks.search.port import EARLIEST, LATEST, Document, Name
from sparks.search.statements import SCHEMA

VERSION: Final = "2"  # of what is written here: another one is built anew
BITS: Final = 20  # of a row id, behind the time


def prepare(db: apsw.Connection) -> None:
    """Damaged where what is there is of another version."""
    if not db.execute("SELECT 1 FROM sqlite_schema").fetchall():
        db.execute(SCHEMA).fetchall()
        db.execute("INSERT INTO state VALUES ('version', ?)", (VERSION,)).fetchall()
        return
    is_ours = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'state'").fetchall()
    known = db.execute("SELECT value FROM state WHERE name = 'version'").fetchall() if is_ours else []
    if known != [(VERSION,)]:
        raise Damaged(f"it is of another version than {VERSION}")


def put_all(db: apsw.Connection, *, documents: Iterable[Document], anew: bool) -> None:
    for document in documents:
        _put(db, document, anew=anew)


def remove_all(db: apsw.Connection, *, image_ids: Iterable[str]) -> None:
    for image_id in image_ids:
        _remove(db, image_id)


def put_names(db: apsw.Connection, *, names: Iterable[Name]) -> None:
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
    first, last = first_row_of(time), last_row_of(time)
    highest = db.execute("SELECT MAX(id) FROM photos WHERE id BETWEEN ? AND ?", (first, last)).fetchall()[0][0]
    return first if highest is None else int(highest) + 1


def _put_name(db: apsw.Connection, name: Name) -> None:
    db.execute("DELETE FROM names WHERE kind = ? AND id = ?", (name.kind.value, name.id)).fetchall()
    rows = [(name.kind.value, word, name.id) for word in name.words]
    db.executemany("INSERT INTO names (kind, word, id) VALUES (?, ?, ?)", rows).fetchall()


def _print(document: Document) -> bytes:
    """The same for the same document, whatever process asks."""
    lists = (sorted(each) for each in (document.named, document.told, document.facets))
    told = repr((document.owner, document.time, document.day, *lists, document.place, document.camera))
    return blake2b(told.encode(), digest_size=12).digest()


def first_row_of(time: int) -> int:
    return max(EARLIEST, min(LATEST, time)) << BITS


def last_row_of(time: int) -> int:
    return first_row_of(time) | (1 << BITS) - 1
