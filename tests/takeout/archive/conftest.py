"""A house with photos, in memory or on any table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.table.adapters import EMBEDDED, open_table
from tests.takeout.archive.archive_makers import House


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture(params=[*EMBEDDED, "dynamodb-local"])
def any_house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """On each of the tables in turn."""
    with open_table(request.param, tmp_path) as table:
        yield House(table)
