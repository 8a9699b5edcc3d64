"""The provider that the settings name, and all that Sparks does with it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sparks.auth.oidc.accounts import Welcome
from sparks.auth.oidc.bearer import IssuerTokens
from sparks.auth.oidc.client import Client
from sparks.auth.oidc.discovery import Discovery
from sparks.auth.oidc.flow import CodeFlow
from sparks.auth.oidc.keys import Keys
from sparks.auth.oidc.tokens import Tokens
from sparks.model import times
from sparks.model.account import User
from sparks.model.keyring import Keyring
from sparks.table.port import Table


@dataclass(frozen=True, slots=True)
class Connection:
    client: Client
    welcome: Welcome
    flow: CodeFlow
    bearer: IssuerTokens

    def logout_url(self, user: User) -> str | None:
        """Where the user signs out at the provider too, if they may have come from there."""
        known = any(name.startswith(f"{self.client.issuer}#") for name in user.identities)
        return self.flow.logout_url() if known else None


def connect(
    client: Client,
    *,
    welcome: Welcome,
    keyring: Keyring,
    table: Table,
    clock: Callable[[], datetime] = times.now,
    seconds: Callable[[], float] = time.monotonic,
) -> Connection:
    """Nothing is asked of the provider before somebody wants to sign in: Sparks starts while it is down."""
    discovery = Discovery(client.issuer, clock=seconds)
    tokens = Tokens(client, Keys(discovery, clock=seconds), clock=clock)
    return Connection(
        client=client,
        welcome=welcome,
        flow=CodeFlow(client, discovery=discovery, tokens=tokens, keyring=keyring, clock=clock),
        bearer=IssuerTokens(tokens, issuer=client.issuer, welcome=welcome, table=table, clock=clock),
    )
