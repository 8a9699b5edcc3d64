"""Tables for tests of the library."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparks.table.port import Table
from tests.conformance.table.adapters import EMBEDDED, open_table


@pytest.fixture(params=EMBEDDED)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    """An empty table, on each of the embedded adapters in turn."""
    with open_table(request.param, tmp_path) as table:
        yield table


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Table]:
    with open_table("sqlite", tmp_path) as table:
        yield table


@pytest.fixture(scope="session")
def dynamodb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A table for all tests, because making one takes longer than most of them: each brings an account of its own."""
    with open_table("dynamodb-local", tmp_path_factory.getbasetemp()) as table:
        yield table


@pytest.fixture(params=[*EMBEDDED, "dynamodb-local"])
def any_table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    """A table on each of the adapters in turn; not empty on a server."""
    if request.param in EMBEDDED:
        with open_table(request.param, tmp_path) as table:
            yield table
    else:
        yield request.getfixturevalue("dynamodb")
