"""`search`: an empty index, on each adapter in turn."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from sparks.search.fts5 import Fts5Search
from sparks.search.memory import MemorySearch
from sparks.search.port import Search

ADAPTERS: Final[dict[str, Callable[[Path], Search]]] = {
    "memory": lambda _: MemorySearch(),
    "fts5": lambda folder: Fts5Search(folder / "search.db"),
}


@pytest.fixture(params=ADAPTERS)
def search(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Search]:
    with closing(ADAPTERS[request.param](tmp_path)) as search:
        yield search
