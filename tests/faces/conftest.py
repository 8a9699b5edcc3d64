"""A table, and one OpenCV engine for all tests of a run, because loading its models takes a moment."""

import os
from collections.abc import Iterator

import pytest

from sparks.faces.opencv_engine import OpenCvEngine
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.library.conftest import any_table, dynamodb, sqlite

__all__ = ["any_table", "dynamodb", "sqlite"]


@pytest.fixture
def table() -> Table:
    return MemoryTable()


@pytest.fixture(scope="session")
def opencv_engine() -> Iterator[OpenCvEngine]:
    """Without the weights the test is skipped, and fails in CI."""
    with OpenCvEngine() as made:
        if made.missing:
            pytest.fail(made.missing) if os.environ.get("CI") == "true" else pytest.skip(made.missing)
        yield made
