"""A sandbox shared by the tests of one module; each test leaves it usable."""

from collections.abc import Iterator

import pytest

from sparks.media.sandbox import Sandbox
from tests.media.sandbox.tasks import Result, make_sandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox[Result]]:
    with make_sandbox() as made:
        yield made
