"""Tokens that a Cognito user pool issued."""

from collections.abc import Callable
from uuid import uuid4

import pytest

from sparks.auth.oidc.client_config import ClientConfig
from sparks.auth.oidc.connection import OidcConnection
from sparks.model.caller import Credential
from sparks.model.errors import NotAllowed, NotSignedIn
from sparks.table.memory import MemoryTable
from tests.auth.oidc.conftest import Clock, connected
from tests.servers.cognito import CognitoTokens, Pool, new_pool
from tests.servers.oidc import SITE


@pytest.fixture(scope="module")
def pool() -> Pool:
    return new_pool()


@pytest.fixture
def email(pool: Pool) -> str:
    email = f"ada-{uuid4().hex[:12]}@example.org"
    pool.add_user(email)
    return email


@pytest.fixture
def tokens(pool: Pool, email: str) -> CognitoTokens:
    return pool.sign_in(email)


@pytest.fixture
def connection(pool: Pool, table: MemoryTable, clock: Clock) -> OidcConnection:
    return connected(ClientConfig(issuer=pool.issuer, client_id=pool.client_id, public_url=SITE), table, clock)


def test_an_id_token_creates_the_account(
    connection: OidcConnection, tokens: CognitoTokens, email: str, pool: Pool
) -> None:
    user, claims = connection.bearer.caller(tokens.id)

    assert user.email == email
    assert user.identities == (f"{pool.issuer}#{claims.sub}",)


def test_an_access_token_is_valid_once_the_account_exists(
    connection: OidcConnection, tokens: CognitoTokens, email: str
) -> None:
    _, claims = connection.bearer.caller(tokens.id)

    member = connection.bearer.member(tokens.access)

    assert member.email == email
    assert member.via == Credential("token", claims.sub)
    assert connection.bearer.member_of_subject(claims.sub) == member


def test_an_access_token_alone_creates_no_account(connection: OidcConnection, tokens: CognitoTokens) -> None:
    with pytest.raises(NotAllowed, match="sign in once in the browser, or send the ID token"):
        connection.bearer.caller(tokens.access)


def test_a_refresh_token_is_refused(connection: OidcConnection, tokens: CognitoTokens) -> None:
    with pytest.raises(NotSignedIn):
        connection.bearer.caller(tokens.refresh)


@pytest.mark.parametrize("kind", ["access", "id"])
def test_a_token_of_another_client_is_refused(connection: OidcConnection, pool: Pool, email: str, kind: str) -> None:
    other = pool.add_client().sign_in(email)

    with pytest.raises(NotSignedIn, match="made for another application"):
        connection.bearer.caller(getattr(other, kind))


@pytest.mark.parametrize("kind", ["access", "id"])
def test_a_token_of_another_pool_is_refused(connection: OidcConnection, email: str, kind: str) -> None:
    """All pools of this server sign with one key, so that nothing but the name of the pool can tell."""
    other = new_pool()
    other.add_user(email)

    with pytest.raises(NotSignedIn, match="made by another provider"):
        connection.bearer.caller(getattr(other.sign_in(email), kind))


@pytest.mark.parametrize("read", [lambda tokens: tokens.access, lambda tokens: tokens.id], ids=["access", "id"])
def test_a_token_expires(
    connection: OidcConnection, tokens: CognitoTokens, clock: Clock, read: Callable[[CognitoTokens], str]
) -> None:
    connection.bearer.caller(tokens.id)
    clock.go_on(25 * 3600)

    with pytest.raises(NotSignedIn, match="has expired"):
        connection.bearer.caller(read(tokens))
