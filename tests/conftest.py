"""Fixtures of all tests. Real servers are started by the first test that needs them, and ended with the run."""

import os
import signal
from collections.abc import Iterator

import hypothesis
import pytest

from sparks.media.sandboxed_renderer import SandboxedRenderer
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
    """Browser tests come last: they keep an event loop running until the run ends, and no test that runs another loop
    can follow them.
    """
    items.sort(key=lambda item: "browser" in item.path.parts)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        process.end_all()


@pytest.fixture(scope="session")
def renderer() -> Iterator[SandboxedRenderer]:
    """One for all tests, because its decoders take a moment to start."""
    with SandboxedRenderer() as made:
        yield made
