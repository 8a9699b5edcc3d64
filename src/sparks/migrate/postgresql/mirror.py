"""Writes to the source of what was changed in Sparks after the cutover.

The transactions set `sparks.mirror`, so that the source neither refuses nor captures them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from sparks.migrate.postgresql.epoch import hold_epoch
from sparks.migrate.postgresql.error_mapping import message_of
from sparks.migrate.postgresql.session import Connection
from sparks.migrate.postgresql.source import Source, checked
from sparks.model.errors import BadInput

REFUSED: Final = (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.UndefinedColumn, UnicodeEncodeError)
DEPENDENTS: Final = {
    "users": (
        "UPDATE gallery_images SET album_id = NULL FROM gallery_albums a WHERE album_id = a.id AND a.user_id = %s",
        "DELETE FROM gallery_images WHERE user_id = %s",
        "DELETE FROM gallery_albums WHERE user_id = %s",
    ),
    "gallery_albums": ("UPDATE gallery_images SET album_id = NULL WHERE album_id = %s",),
    "gallery_images": (),
}
CONSTRAINT_COLUMNS: Final = """
SELECT attname FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY(conkey)
WHERE conrelid = to_regclass(%s) AND conname = %s ORDER BY attnum
"""


@dataclass(frozen=True, slots=True)
class Upsert:
    """Sets these columns of a row. Where there is no such row it is inserted, and the columns hold all of it."""

    table: str
    id: str
    columns: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Removal:
    """Deletes a row; one that is not there is passed over."""

    table: str
    id: str


MirrorChange = Upsert | Removal


class CannotHold(BadInput):
    """The source cannot hold a value: `column` is its column, or None where PostgreSQL names none."""

    def __init__(self, change: MirrorChange, column: str | None, reason: str) -> None:
        where = f"{change.table} {change.id}" + (f", column {column}" if column else "")
        super().__init__(f"the source cannot hold this: {where}: {reason}")
        self.table = change.table
        self.id = change.id
        self.column = column
        self.reason = reason


class MirrorWriter:
    """Writes to the source in the epoch that was claimed there."""

    def __init__(self, source: Source, *, epoch: int) -> None:
        self._session = source.session
        self._hold = hold_epoch(epoch)

    def apply(self, changes: Sequence[MirrorChange]) -> None:
        """Makes all changes in their order, or none of them. A list or a dict is written as jsonb, a time is given as
        ISO text, None is NULL. Rows that name a removed one go with it, or lose their album. Raises CannotHold for the
        first change that the source cannot hold, and Conflict in a later epoch.
        """
        try:
            self._session.transaction(partial(_apply_all, changes=changes, hold=self._hold))
        except _RefusedChange as refused:
            column = self._session.transaction(partial(_find_column, change=refused.change, error=refused.error))
            raise CannotHold(refused.change, column, refused.reason) from refused.error


class _RefusedChange(Exception):
    def __init__(self, change: MirrorChange, error: Exception) -> None:
        super().__init__(change, error)
        self.change = change
        self.error = error

    @property
    def reason(self) -> str:
        return message_of(self.error) if isinstance(self.error, psycopg.Error) else str(self.error)


def _apply_all(connection: Connection, changes: Sequence[MirrorChange], hold: str) -> None:
    connection.execute("SET LOCAL sparks.mirror = 'on'")
    connection.execute(hold.encode())
    for change in changes:
        try:
            _apply(connection, change)
        except REFUSED as error:
            raise _RefusedChange(change, error) from error


def _apply(connection: Connection, change: MirrorChange) -> None:
    table = sql.Identifier(checked(change.table))
    if isinstance(change, Removal):
        for statement in DEPENDENTS[change.table]:
            connection.execute(statement, (change.id,))
        connection.execute(sql.SQL("DELETE FROM {} WHERE id = %s").format(table), (change.id,))
    elif not _update(connection, table, change):
        _insert(connection, table, {"id": change.id, **change.columns})


def _update(connection: Connection, table: sql.Identifier, change: Upsert) -> bool:
    """Whether the row was there. An INSERT .. ON CONFLICT would ask for every column that may not be NULL."""
    if not change.columns:
        return connection.execute(sql.SQL("SELECT FROM {} WHERE id = %s").format(table), (change.id,)).rowcount > 0
    pairs = sql.SQL(", ").join(sql.SQL("{} = %s").format(sql.Identifier(column)) for column in change.columns)
    update = sql.SQL("UPDATE {} SET {} WHERE id = %s").format(table, pairs)
    return connection.execute(update, (*map(_adapted, change.columns.values()), change.id)).rowcount > 0


def _insert(connection: Connection, table: sql.Identifier, columns: Mapping[str, Any]) -> None:
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    places = sql.SQL(", ").join(sql.Placeholder() * len(columns))
    insert = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(table, names, places)
    connection.execute(insert, [_adapted(value) for value in columns.values()])


def _adapted(value: Any) -> Any:
    return Jsonb(value) if isinstance(value, list | dict | tuple) else value


def _find_column(connection: Connection, *, change: MirrorChange, error: Exception) -> str | None:
    """PostgreSQL names the column or the constraint that refused a row, but not the column that a value is too long
    for: each value is tried alone, in an empty copy of the table that is gone afterwards.
    """
    if isinstance(error, psycopg.IntegrityError):
        return error.diag.column_name or _constraint_columns(connection, change.table, error.diag.constraint_name)
    if isinstance(change, Removal):
        return "id"
    copy = sql.Identifier("sparks_migration_values")
    create = sql.SQL("CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT * FROM {} WITH NO DATA")
    connection.execute(create.format(copy, sql.Identifier(change.table)))
    values = {"id": change.id, **change.columns}
    return next((name for name in values if not _takes(connection, copy, name, values[name])), None)


def _takes(connection: Connection, table: sql.Identifier, column: str, value: Any) -> bool:
    try:
        with connection.transaction():
            _insert(connection, table, {column: value})
    except REFUSED:
        return False
    return True


def _constraint_columns(connection: Connection, table: str, constraint: str | None) -> str | None:
    found = connection.execute(CONSTRAINT_COLUMNS, (table, constraint)).fetchall()
    return ", ".join(str(name) for (name,) in found) or None
