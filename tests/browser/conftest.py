"""Chromium, and a running Sparks for it to visit; nothing between the two is faked."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from sparks.api.web import is_built
from tests.browser.site import Account, Site, serving
from tests.browser.visitor import PATIENCE, Visitor, visiting

FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

Visit = Callable[..., Visitor]


def find_chromium() -> str:
    program = shutil.which("chromium")
    assert program, "there is no chromium: make setup-dev installs it"
    return program


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    assert is_built(), "the web app was not built: make web does it"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One for all tests of a process; each of them has accounts of its own."""
    with serving(tmp_path_factory.mktemp("site")) as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser, site: Site) -> Iterator[Visit]:
    """`visit(account)` opens a browser of theirs; `visit(None, size="phone")` one of a stranger's, at a phone."""
    with ExitStack() as stack:

        def open_visit(account: Account | None, **options: Any) -> Visitor:
            visiting_them: Callable[..., AbstractContextManager[Visitor]] = partial(visiting, browser, site)
            return stack.enter_context(visiting_them(account, **options))

        yield open_visit
