"""Staging file: what was read of the tables, as rows of the gallery, with the keys of those that changed since.

A pass reads all items. The first one fills the file; each later one finds what is new, changed or gone, and leaves its
key in the outbox, in the transaction of the row. So the file can be lost or read anew at any time: the next pass finds
the rest.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from sparks.migrate.dynamodb.layouts.port import APPENDED, Place
from sparks.migrate.dynamodb.staging_statements import (
    ITEM,
    PERSONS_IN,
    PERSONS_INTO,
    PERSONS_WITH,
    PUT_PART,
    PUT_ROW,
    SCHEMA,
    UNKNOWN_ALBUMS,
    UNKNOWN_PERSONS,
    UNKNOWN_USERS,
    UNNAMED,
)
from sparks.migrate.source_port import Captured
from sparks.model.errors import Unavailable
from sparks.model.migration import ALBUMS, PERSONS, PHOTOS, USERS

CHUNK: Final = 500  # values in a statement

_encode: Final = msgspec.json.Encoder(decimal_format="number", order="deterministic").encode
_decoder: Final = msgspec.json.Decoder(float_hook=Decimal)


class StagedItem(NamedTuple):
    """An item at its place; `columns` are None where it is deleted. `item` is its key as text."""

    place: Place
    item: str
    columns: Mapping[str, Any] | None


class Staging:
    """The file, for any number of threads. Several processes may have it open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._captures = False
        with self._translated():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._file.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; {SCHEMA}")

    def close(self) -> None:
        self._file.close()

    def delete(self) -> None:
        """Closes and deletes the file."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    # -- Values

    def get(self, name: str) -> Any:
        """A noted value; None where there is none."""
        found = self._fetch("SELECT value FROM meta WHERE name = ?", (name,))
        return _decoder.decode(found[0][0]) if found else None

    def note(self, **values: Any) -> None:
        """Notes values; None deletes one."""
        with self._transaction():
            self._note(values)

    def _note(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            if value is None:
                self._file.execute("DELETE FROM meta WHERE name = ?", (name,))
            else:
                self._file.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, _encode(value).decode()))

    # -- Passes

    @property
    def is_filled(self) -> bool:
        """Whether a first pass is complete."""
        return bool(self.get("filled"))

    def begin_pass(self, *, anew: bool) -> dict[str, Any]:
        """The places that an interrupted pass has reached, by segment; with `anew`, it begins again."""
        if anew or self.get("reached") is None:
            number = (self.get("pass") or 0) + 1
            self.note(**{"pass": number, "reached": {}})
        reached: dict[str, Any] = self.get("reached")
        return reached

    def end_pass(self, name_user: Callable[[str], Any], name_album: Callable[[str, str], Any]) -> None:
        """Removes what the pass has not met, and completes the rows that others name."""
        with self._transaction():
            number = self.get("pass")
            for place in self._fetch("SELECT tab, id, part FROM parts WHERE pass < ?", (number,)):
                self._capture_part(*place)
            self._file.execute("DELETE FROM parts WHERE pass < ?", (number,))
            self._remove("SELECT tab, id FROM rows WHERE item IS NOT NULL AND pass < ?", (number,))
            self._complete(name_user, name_album)
            self._note({"reached": None, "filled": True})

    def put(self, items: Iterable[StagedItem], reached: Mapping[str, Any] | None = None) -> None:
        """Stores items, and how far a segment was read with them."""
        staged = list(items)
        with self._transaction():
            number = self.get("pass") or 0
            self._put_rows([each for each in staged if not each.place.part], number)
            self._put_parts([each for each in staged if each.place.part], number)
            if reached is not None:
                self._note({"reached": {**(self.get("reached") or {}), **reached}})

    def complete(self, name_user: Callable[[str], Any], name_album: Callable[[str, str], Any]) -> None:
        """Adds the users, albums and persons that only other rows name, and removes those that none names."""
        with self._transaction():
            self._complete(name_user, name_album)

    def _complete(self, name_user: Callable[[str], Any], name_album: Callable[[str, str], Any]) -> None:
        for album_id, user_id in self._fetch(UNKNOWN_ALBUMS):
            self._add_named(ALBUMS, album_id, name_album(album_id, user_id))
        for (user_id,) in self._fetch(UNKNOWN_USERS):
            self._add_named(USERS, user_id, name_user(user_id))
        for (person_id,) in self._fetch(UNKNOWN_PERSONS):
            self._add_named(PERSONS, person_id, {})
        self._remove(UNNAMED)

    def _add_named(self, table: str, row_id: str, columns: Mapping[str, Any]) -> None:
        self._file.execute(
            PUT_ROW, (table, row_id, None, _encode(columns).decode(), columns.get("user_id"), None, self.get("pass"))
        )
        self._capture(table, row_id)

    def _put_rows(self, items: Sequence[StagedItem], number: int) -> None:
        held = {(table, row_id): (item, value) for table, row_id, item, value in self._held(items)}
        puts = []
        for each in items:
            table, row_id, _ = each.place
            item, value = held.get((table, row_id), (None, None))
            if item is not None and item != each.item:  # another item has this id
                row_id = f"{row_id}@{each.item}"
                [(item, value)] = self._fetch(ITEM, (table, row_id)) or [(None, None)]
            if each.columns is None:
                if item is not None:
                    self._remove("SELECT ?, ?", (table, row_id))
                continue
            encoded = _encode(each.columns).decode()
            columns = each.columns
            puts.append((table, row_id, each.item, encoded, columns.get("user_id"), columns.get("album_id"), number))
            held[table, row_id] = each.item, encoded
            if encoded != value and table == PHOTOS and _is_same_photo(value, columns):
                self._capture(table, row_id)
            elif encoded != value:
                self._capture_row(table, row_id)
        self._file.executemany(PUT_ROW, puts)

    def _held(self, items: Sequence[StagedItem]) -> Iterator[tuple[str, str, str | None, str]]:
        for table in {each.place.table for each in items}:
            ids = [each.place.id for each in items if each.place.table == table]
            yield from self._by_ids("SELECT tab, id, item, value FROM rows WHERE tab = ? AND id IN ({})", table, ids)

    def _put_parts(self, items: Sequence[StagedItem], number: int) -> None:
        for each in items:
            found = self._fetch("SELECT value FROM parts WHERE tab = ? AND id = ? AND part = ?", each.place)
            value = found[0][0] if found else None
            encoded = None if each.columns is None else _encode(each.columns).decode()
            if encoded is None:
                self._file.execute("DELETE FROM parts WHERE tab = ? AND id = ? AND part = ?", each.place)
            else:
                self._file.execute(PUT_PART, (*each.place, encoded, number))
            if encoded != value:
                self._capture_part(*each.place)

    def _remove(self, query: str, values: Sequence[Any] = ()) -> None:
        for table, row_id in self._fetch(query, values):
            self._file.execute("DELETE FROM rows WHERE tab = ? AND id = ?", (table, row_id))
            self._capture_row(table, row_id)

    # -- Rows

    def count(self, table: str) -> int:
        return int(self._fetch("SELECT count(*) FROM rows WHERE tab = ?", (table,))[0][0])

    def page(self, table: str, after: str | None, limit: int) -> list[dict[str, Any]]:
        query = "SELECT id, value FROM rows WHERE tab = ? AND id > ? ORDER BY id LIMIT ?"
        return self._merged(table, self._fetch(query, (table, after or "", limit)))

    def rows(self, table: str, ids: Sequence[str]) -> list[dict[str, Any]]:
        return self._merged(
            table, list(self._by_ids("SELECT id, value FROM rows WHERE tab = ? AND id IN ({})", table, ids))
        )

    def ids_naming(self, table: str, column: str, ids: Sequence[str]) -> list[str]:
        query = f"SELECT id FROM rows WHERE tab = ? AND {column} IN ({{}})"
        return [str(found) for (found,) in self._by_ids(query, table, ids)]

    def faces(self, face_ids: Sequence[str]) -> dict[str, list[tuple[str, Mapping[str, Any]]]]:
        """The photos with a face, by the face's id, each with the columns of its part."""
        query = "SELECT part, id, value FROM parts WHERE tab = ? AND part IN ({})"
        found: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
        for part, photo_id, value in self._by_ids(query, PHOTOS, [f"face#{each}" for each in face_ids]):
            found.setdefault(part.removeprefix("face#"), []).append((photo_id, _decoder.decode(value)))
        return found

    def taggings(self, photo_ids: Sequence[str]) -> dict[str, int]:
        """The number of persons who are tagged in these photos."""
        query = "SELECT part, count(*) FROM parts WHERE tab = ? AND part IN ({}) GROUP BY part"
        found = self._by_ids(query, PERSONS, [f"photo#{each}" for each in photo_ids])
        return {part.removeprefix("photo#"): count for part, count in found}

    def _merged(self, table: str, found: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
        """The rows with what their parts add to them."""
        rows = {row_id: {**_decoder.decode(value), "id": row_id} for row_id, value in found}
        query = "SELECT id, value FROM parts WHERE tab = ? AND id IN ({}) ORDER BY id, part"
        for row_id, value in self._by_ids(query, table, list(rows)):
            row = rows[row_id]
            for name, added in _decoder.decode(value).items():
                if name.startswith(APPENDED):
                    row.setdefault(name.removeprefix(APPENDED), []).append(added)
                else:
                    row[name] = added
        return list(rows.values())

    # -- Outbox

    def _capture(self, table: str, row_id: str) -> None:
        if self._captures:
            self._file.execute("INSERT INTO outbox (tab, id, at) VALUES (?, ?, ?)", (table, row_id, time.time()))

    def _capture_row(self, table: str, row_id: str) -> None:
        """Captures the row, and of a photo the persons who are in it: decisions need the photo. Of a person, it also
        captures those who became this one.
        """
        self._capture(table, row_id)
        found = []
        if table == PHOTOS and self._captures:
            found = self._fetch(PERSONS_IN, (f"photo#{row_id}", row_id))
        elif table == PERSONS and self._captures:
            found = self._fetch(PERSONS_INTO, (row_id,))
        for (person_id,) in found:
            self._capture(PERSONS, person_id)

    def _capture_part(self, table: str, row_id: str, part: str) -> None:
        """Captures its row, and the persons who have the same face, or are in the same photo."""
        self._capture(table, row_id)
        for (person_id,) in self._fetch(PERSONS_WITH, (part, row_id)) if self._captures else ():
            self._capture(PERSONS, person_id)

    def read_outbox(self, limit: int) -> list[Captured]:
        found = self._fetch("SELECT entry, tab, id FROM outbox ORDER BY entry LIMIT ?", (limit,))
        return [Captured(*each) for each in found]

    def pending(self, keys: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        query = "SELECT 1 FROM outbox WHERE tab = ? AND id = ?"
        return {key for key in keys if self._fetch(query, key)}

    def drop(self, entries: Sequence[int]) -> None:
        with self._transaction():
            self._file.executemany("DELETE FROM outbox WHERE entry = ?", [(each,) for each in entries])

    def lag(self) -> tuple[int, float]:
        [(entries, first)] = self._fetch("SELECT count(*), min(at) FROM outbox")
        return entries, 0.0 if first is None else max(0.0, time.time() - first)

    # -- Statements

    def _fetch(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock, self._translated():
            return self._file.execute(query, values).fetchall()

    def _by_ids(self, query: str, table: str, ids: Sequence[str]) -> Iterator[Any]:
        for start in range(0, len(ids), CHUNK):
            some = ids[start : start + CHUNK]
            yield from self._fetch(query.format(",".join("?" * len(some))), (table, *some))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(f"the file {self.path}, which holds what was read, cannot be used: {error}") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, self._translated():
            self._file.execute("BEGIN IMMEDIATE")
            self._captures = self.is_filled
            try:
                yield
            except BaseException:
                self._file.execute("ROLLBACK")
                raise
            self._file.execute("COMMIT")


def _is_same_photo(before: str | None, now: Mapping[str, Any]) -> bool:
    """Whether the photo has the same owner and object, so that what is decided about its faces stays."""
    held = {} if before is None else _decoder.decode(before)
    return before is not None and all(held.get(name) == now.get(name) for name in ("user_id", "s3_key"))
