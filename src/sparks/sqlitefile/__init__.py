"""One SQLite file, shared by all adapters of a process and by several processes."""

from sparks.sqlitefile.file import SqliteFile

__all__ = ["SqliteFile"]
