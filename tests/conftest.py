"""What all tests share: the real servers are started by the first test that asks, and ended when the run ends."""

import os

import hypothesis
import pytest

from tests.servers import process

# This machine may be busy: only benchmarks look at the clock. CI tries the same examples every time.
hypothesis.settings.register_profile("sparks", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("sparks")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        process.make_folder()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        process.end_all()
