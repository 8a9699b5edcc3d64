"""What all tests share: the real servers are started by the first test that asks, and ended when the run ends."""

import os
import signal
from collections.abc import Iterator

import hypothesis
import pytest

from sparks.media.studio import Studio
from tests.servers import process

# This machine may be busy: only benchmarks look at the clock. CI tries the same examples every time.
hypothesis.settings.register_profile("sparks", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("sparks")

# A shell has what it runs in the background ignore Ctrl-C, and so would all programs that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        process.make_folder()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """[Note: browsers last] Whoever drives a browser keeps an event loop running in the process until the run ends, and
    no test that runs a loop of its own can come after that.
    """
    items.sort(key=lambda item: "browser" in item.path.parts)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        process.end_all()


@pytest.fixture(scope="session")
def studio() -> Iterator[Studio]:
    """One for all tests, because its decoders take a moment to start."""
    with Studio() as made:
        yield made
