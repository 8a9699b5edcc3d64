"""What all tests share: the real servers are started by the first test that asks, and ended when the run ends."""

import pytest

from tests.servers import process


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        process.make_folder()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        process.end_all()
