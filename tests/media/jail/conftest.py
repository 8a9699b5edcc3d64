"""A jail that the tests of one module share: each of them leaves it as good as new, or it is replaced."""

from collections.abc import Iterator

import pytest

from sparks.media.jail import Jail
from tests.media.jail.task import Result, make_jail


@pytest.fixture(scope="module")
def jail() -> Iterator[Jail[Result]]:
    with make_jail() as made:
        yield made
