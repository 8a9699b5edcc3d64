"""Reading of the three tables that document 004 describes.

Rows are read as JSON text. PostgreSQL writes every value in it, also those that the driver cannot turn into Python
objects, such as the time `infinity` or a year beyond 9999.
"""

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

from sparks.migrate.postgresql.session import Session
from sparks.model.errors import BadInput

Row = dict[str, Any]
TABLES: Final = ("users", "gallery_albums", "gallery_images")  # parents first
COLUMNS: Final = {
    "users": ("id", "email", "username", "created_at"),
    "gallery_albums": ("id", "user_id", "title", "description", "created_at", "updated_at"),
    "gallery_images": (
        *("id", "user_id", "album_id", "original_filename", "mime_type", "file_size", "width", "height", "s3_key"),
        *("thumbnail_key", "title", "description", "alt_text", "tags", "created_at", "updated_at"),
    ),
}
LEAST_VERSION: Final = 14
MAX_DIGITS: Final = 4000  # Python refuses to read an integer of more than 4300
COLUMN_TYPES: Final = """
SELECT attname, format_type(atttypid, NULL) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE attrelid = to_regclass(%s) AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
"""
SHALLOW_ROW: Final = """
SELECT jsonb_object_agg(key, CASE WHEN jsonb_typeof(value) IN ('array', 'object') THEN to_jsonb(value::text) ELSE value
END)::text FROM jsonb_each(%s::jsonb)
"""


class Source:
    """The tables of the service that Sparks replaces, on one connection.

    A row is a dict as JSON has it: ids and times are text, in UTC; whole numbers are int, others are Decimal; a JSON
    value that is nested too deep for Python is its text. Columns that document 004 does not know are in it, too.
    """

    tables: Final = TABLES
    has_way_back: Final = True

    def __init__(self, session: Session) -> None:
        self.session = session

    @classmethod
    def connect(cls, url: str, *, patience: float = 10.0) -> "Source":
        """Raises BadInput for an address that is none, and Unavailable where no PostgreSQL can be reached there. Later,
        a lost connection is opened again, for at most `patience` seconds.
        """
        return cls(Session(url, patience=patience))

    def check_tables(self) -> None:
        """Raises BadInput where a table or a column is missing, or PostgreSQL is too old."""
        [(version,)] = self.session.fetch("SELECT current_setting('server_version_num')::int / 10000")
        if version < LEAST_VERSION:
            raise BadInput(f"the source is PostgreSQL {version}: version {LEAST_VERSION} or later is needed")
        for table, needed in COLUMNS.items():
            _check_columns(table, needed, dict(self.session.fetch(COLUMN_TYPES, (table,))))

    def count(self, table: str) -> int:
        [(count,)] = self.session.fetch(f"SELECT count(*) FROM {checked(table)}")
        return int(count)

    def page(self, table: str, after: str | None, limit: int) -> list[Row]:
        """At most `limit` rows in the order of their ids, from the first one after `after`."""
        if after is None:
            return self._read(table, "ORDER BY id LIMIT %s", (limit,))
        return self._read(table, "WHERE id > %s ORDER BY id LIMIT %s", (after, limit))

    def rows(self, table: str, ids: Sequence[str]) -> dict[str, Row]:
        """The rows with these ids as they are now; an id without a row is left out."""
        return {row["id"]: row for row in self._read(table, "WHERE id = ANY(%s::uuid[])", (list(ids),))}

    def rows_of(self, table: str, column: str, value: str, after: str | None, limit: int) -> list[Row]:
        """A page of the rows whose column has this value, such as the images of a user."""
        if column not in COLUMNS[checked(table)]:
            raise BadInput(f"{table} has no column {column}")
        if after is None:
            return self._read(table, f"WHERE {column} = %s ORDER BY id LIMIT %s", (value, limit))
        return self._read(table, f"WHERE {column} = %s AND id > %s ORDER BY id LIMIT %s", (value, after, limit))

    def ids_naming(self, table: str, column: str, ids: Sequence[str]) -> list[str]:
        """The ids of rows whose column has one of these ids, such as the images in some albums."""
        if column not in COLUMNS[checked(table)]:
            raise BadInput(f"{table} has no column {column}")
        query = f"SELECT id::text FROM {table} WHERE {column} = ANY(%s::uuid[])"
        return [str(found) for (found,) in self.session.fetch(query, (list(ids),))]

    def close(self) -> None:
        self.session.close()

    def _read(self, table: str, clauses: str, parameters: Sequence[Any]) -> list[Row]:
        found = self.session.fetch(f"SELECT to_jsonb(t)::text FROM {checked(table)} t {clauses}", parameters)
        return [parse_row(text, self._shallow) for (text,) in found]

    def _shallow(self, text: str) -> str:
        [(shallow,)] = self.session.fetch(SHALLOW_ROW, (text,))
        return str(shallow)


def checked(table: str) -> str:
    """The name of one of the three tables; BadInput for another."""
    if table not in TABLES:
        raise BadInput(f"{table} is none of the tables {', '.join(TABLES)}")
    return table


def parse_row(text: str, shallow: Callable[[str], str]) -> Row:
    """`shallow` makes text of the JSON values in a row, where they are nested too deep for Python."""
    try:
        return _parse(text)
    except RecursionError:
        return _parse(shallow(text))


def _parse(text: str) -> Row:
    row: Row = json.loads(text, parse_float=Decimal, parse_int=_whole_number)
    return row


def _whole_number(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= MAX_DIGITS else Decimal(digits)


def _check_columns(table: str, needed: Sequence[str], types: dict[str, str]) -> None:
    if not types:
        raise BadInput(f"the source has no table {table} in the search path of its user")
    missing = [column for column in needed if column not in types]
    if missing:
        raise BadInput(f"the table {table} of the source has no column {', '.join(missing)}")
    if types["id"] != "uuid":
        raise BadInput(f"the column id of {table} is {types['id']}: ids of the type uuid are needed")
