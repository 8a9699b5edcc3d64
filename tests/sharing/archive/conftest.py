"""A house with photos."""

import pytest

from tests.sharing.archive.makers import House


@pytest.fixture
def house() -> House:
    return House()
