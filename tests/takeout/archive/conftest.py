"""A library with photos, in memory or on any table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.table.adapters import EMBEDDED, open_table
from tests.takeout.archive.archive_makers import ArchiveLibrary


@pytest.fixture
def library() -> ArchiveLibrary:
    return ArchiveLibrary()


@pytest.fixture(params=[*EMBEDDED, "dynamodb-local"])
def any_library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ArchiveLibrary]:
    """On each of the tables in turn."""
    with open_table(request.param, tmp_path) as table:
        yield ArchiveLibrary(table)
