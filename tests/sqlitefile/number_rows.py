"""Rows with numbers in a SQLite file."""

from sparks.sqlitefile import SqliteFile


def insert(file: SqliteFile, *numbers: int) -> None:
    file.write(lambda connection: connection.executemany("INSERT INTO numbers VALUES (?)", [(n,) for n in numbers]))


def numbers_in(file: SqliteFile) -> list[int]:
    return [row[0] for row in file.read("SELECT number FROM numbers ORDER BY number")]
