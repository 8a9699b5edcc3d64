"""One booth for all tests of a run, because its networks take a moment to load."""

import os
from collections.abc import Iterator

import pytest

from sparks.faces.booth import Booth
from tests.library.conftest import any_table, dynamodb, sqlite

__all__ = ["any_table", "dynamodb", "sqlite"]


@pytest.fixture(scope="session")
def booth() -> Iterator[Booth]:
    """Without the weights the test is skipped, and fails in CI."""
    with Booth() as made:
        if made.missing:
            pytest.fail(made.missing) if os.environ.get("CI") == "true" else pytest.skip(made.missing)
        yield made
