"""A library on each of the embedded tables in turn."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.table.adapters import EMBEDDED, open_table
from tests.takeout.export.export_makers import ExportLibrary


@pytest.fixture(params=EMBEDDED)
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ExportLibrary]:
    with open_table(request.param, tmp_path) as table:
        yield ExportLibrary(tmp_path / "out", table)
