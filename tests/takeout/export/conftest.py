"""An attic, on each of the embedded tables in turn."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.table.adapters import EMBEDDED, open_table
from tests.takeout.export.export_makers import Attic


@pytest.fixture(params=EMBEDDED)
def attic(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Attic]:
    with open_table(request.param, tmp_path) as table:
        yield Attic(tmp_path / "out", table)
