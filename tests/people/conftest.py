"""Tables and libraries of faces."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparks.table.port import Table
from tests.conformance.table.adapters import EMBEDDED, open_table
from tests.people.face_library import FaceLibrary


@pytest.fixture(params=EMBEDDED)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    """An empty table, on each of the embedded adapters in turn."""
    with open_table(request.param, tmp_path) as table:
        yield table


@pytest.fixture(scope="session")
def dynamodb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A table for all tests, because making one takes longer than most of them."""
    with open_table("dynamodb-local", tmp_path_factory.getbasetemp()) as table:
        yield table


@pytest.fixture
def library(table: Table) -> FaceLibrary:
    return FaceLibrary(table)
