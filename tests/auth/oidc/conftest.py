"""A provider, a table, and a clock that a test moves."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

import pytest

from sparks.auth.account_creation import UploadAllowance
from sparks.auth.oidc.account_linking import NewAccountPolicy
from sparks.auth.oidc.client_config import ClientConfig
from sparks.auth.oidc.connection import OidcConnection, connect_oidc
from sparks.model import times
from sparks.model.keyring import Keyring
from sparks.table.memory import MemoryTable
from tests.auth.oidc.issuer import Issuer, running_issuer
from tests.servers.oidc import SITE

KEYRING: Final = Keyring("test", {"test": bytes(range(32))})
WELCOME: Final = NewAccountPolicy(sign_up=True, trust_email=False, allowance=UploadAllowance(500, 50 * 10**9))
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
def connection(issuer: Issuer, table: MemoryTable, clock: Clock) -> OidcConnection:
    return connected(ClientConfig(issuer=issuer.url, client_id=CLIENT_ID, public_url=SITE), table, clock)


def connected(
    client: ClientConfig, table: MemoryTable, clock: Clock, policy: NewAccountPolicy = WELCOME
) -> OidcConnection:
    return connect_oidc(client, policy=policy, keyring=KEYRING, table=table, clock=clock.now, seconds=clock.seconds)
