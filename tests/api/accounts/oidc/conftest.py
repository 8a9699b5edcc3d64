"""A browser and a server that uses a provider."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from sparks.settings import Settings
from sparks.table.memory import MemoryTable
from tests.api.accounts.oidc.provider_browser import Open, oidc_app
from tests.api.client import Client
from tests.servers.oidc import SITE, oidc_provider


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


@pytest.fixture
def browser(table: MemoryTable, tmp_path: Path) -> Iterator[Open]:
    """A browser and a server of its own; by default the server uses the real provider."""
    with ExitStack() as stack:

        def opened(*, site: str = SITE, **settings: Any) -> Client:
            result: dict[str, Any] = {"oidc_issuer": oidc_provider(), "oidc_client_id": "public"} | settings
            app = oidc_app(Settings(data=tmp_path, public_url=site, **result), table)
            return stack.enter_context(Client(app, site=site))

        yield opened
