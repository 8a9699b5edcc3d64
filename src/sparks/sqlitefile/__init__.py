"""SQLite file shared by the adapters of one or several processes."""

from sparks.sqlitefile.file import SqliteFile

__all__ = ["SqliteFile"]
