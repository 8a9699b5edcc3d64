"""`vectors`: an empty store, on each adapter in turn; the adapter `graph` never compares exhaustively."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from sparks.vectors.embedded import EmbeddedVectors
from sparks.vectors.memory import MemoryVectors
from sparks.vectors.port import Vectors
from tests.conformance.vectors.points import DIMENSIONS

Opens = Callable[[int, Path], Vectors]

ADAPTERS: Final[dict[str, Opens]] = {
    "exact": lambda dimensions, _: MemoryVectors(dimensions),
    "embedded": lambda dimensions, folder: EmbeddedVectors(dimensions, folder / "vectors"),
    "graph": lambda dimensions, folder: EmbeddedVectors(dimensions, folder / "vectors", max_exhaustive=0),
}


@pytest.fixture(params=ADAPTERS)
def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[int], Vectors]:
    """Opens an adapter for vectors with so many dimensions."""
    return lambda dimensions: ADAPTERS[request.param](dimensions, tmp_path)


@pytest.fixture
def vectors(opens: Callable[[int], Vectors]) -> Iterator[Vectors]:
    with closing(opens(DIMENSIONS)) as vectors:
        yield vectors
