"""A provider, a table, and a clock that a test moves."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

import pytest

from sparks.auth.oidc.accounts import Welcome
from sparks.auth.oidc.client import Client
from sparks.auth.oidc.connection import Connection, connect
from sparks.auth.registration import Allowance
from sparks.model import times
from sparks.model.keyring import Keyring
from sparks.table.memory import MemoryTable
from tests.auth.oidc.issuer import Issuer, running_issuer
from tests.servers.oidc import SITE

KEYRING: Final = Keyring("test", {"test": bytes(range(32))})
WELCOME: Final = Welcome(sign_up=True, trust_email=False, allowance=Allowance(500, 50 * 10**9))
CLIENT_ID: Final = "sparks"


class Clock:
    def __init__(self) -> None:
        self._ahead = timedelta()

    def go_on(self, seconds: float) -> None:
        self._ahead += timedelta(seconds=seconds)

    def now(self) -> datetime:
        return times.now() + self._ahead

    def seconds(self) -> float:
        """Stands still by itself: what waits for a pause to end waits for the test."""
        return self._ahead.total_seconds()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with running_issuer() as issuer:
        yield issuer


@pytest.fixture
def connection(issuer: Issuer, table: MemoryTable, clock: Clock) -> Connection:
    return connected(Client(issuer=issuer.url, client_id=CLIENT_ID, public_url=SITE), table, clock)


def connected(client: Client, table: MemoryTable, clock: Clock, welcome: Welcome = WELCOME) -> Connection:
    return connect(client, welcome=welcome, keyring=KEYRING, table=table, clock=clock.now, seconds=clock.seconds)
