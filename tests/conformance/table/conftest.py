"""`table`: an empty table, on each adapter in turn."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from sparks.table.port import Table
from tests.conformance.table.adapters import ADAPTERS, SERVERS, open_table
from tests.conformance.table.rows import wipe


@pytest.fixture(params=ADAPTERS)
def adapter(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def table(adapter: str, tmp_path: Path, on_server: Callable[[str], Table]) -> Iterator[Table]:
    """An empty table."""
    if adapter in SERVERS:
        yield on_server(adapter)
        wipe(on_server(adapter))
    else:
        with open_table(adapter, tmp_path) as table:
            yield table


@pytest.fixture(scope="session")
def on_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Table]]:
    """One table on each server, wiped after each test: creating one takes longer than most tests."""
    with ExitStack() as opened:
        yield cache(lambda server: opened.enter_context(open_table(server, tmp_path_factory.getbasetemp())))
