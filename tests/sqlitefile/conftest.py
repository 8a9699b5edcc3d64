"""A SQLite file with a table of numbers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparks.sqlitefile import SqliteFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sparks.db"


@pytest.fixture
def file(path: Path) -> Iterator[SqliteFile]:
    file = SqliteFile(path)
    file.ensure("CREATE TABLE IF NOT EXISTS numbers (number INTEGER PRIMARY KEY)")
    yield file
    file.close()
