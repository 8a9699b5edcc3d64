"""Every attack is refused, with a reason, and leaves nothing of itself in the log."""

import logging

import pytest

from sparks.auth.oidc.connection import OidcConnection
from sparks.model.errors import NotSignedIn
from tests.auth.oidc.attacks import ATTACKS, Payload, good_payload, holds_piece
from tests.auth.oidc.conftest import Clock
from tests.auth.oidc.forged_tokens import rsa_signer
from tests.auth.oidc.issuer import Issuer


@pytest.fixture
def good(issuer: Issuer, clock: Clock) -> Payload:
    issuer.signers.append(rsa_signer("small", 1024))
    return good_payload(issuer.url, clock.now())


def test_the_token_that_the_attacks_begin_with_is_valid(connection: OidcConnection, good: Payload) -> None:
    user, claims = connection.bearer.caller(rsa_signer().token(good))

    assert (user.email, claims.sub) == (good["email"], good["sub"])


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused_and_leaves_no_trace(
    name: str, connection: OidcConnection, issuer: Issuer, good: Payload, caplog: pytest.LogCaptureFixture
) -> None:
    token = ATTACKS[name](good)
    with caplog.at_level(logging.DEBUG, "sparks"), pytest.raises(NotSignedIn) as refused:
        connection.bearer.caller(token)

    told = f"{caplog.text} {refused.value}"
    assert "a token was refused: it" in caplog.text
    assert "sign in again to get a new one" in str(refused.value)
    assert not holds_piece(told, token)
    assert good["sub"] not in told
    assert good["email"] not in told
    assert {asked.path for asked in issuer.asked} <= {"/.well-known/openid-configuration", "/jwks"}


@pytest.mark.parametrize("name", ["alg none", "HS256 with the public key as PEM", "PS256", "crit", "kid null", "17 KB"])
def test_a_token_that_is_malformed_is_refused_without_a_key_lookup(
    name: str, connection: OidcConnection, issuer: Issuer, good: Payload
) -> None:
    with pytest.raises(NotSignedIn):
        connection.bearer.caller(ATTACKS[name](good))

    assert issuer.asked == []


@pytest.mark.parametrize("part", [0, 1, 2])
def test_no_letter_of_a_token_can_be_changed(connection: OidcConnection, good: Payload, part: int) -> None:
    parts = rsa_signer().token(good).split(".")
    for at in range(0, len(parts[part]), 7):
        letter = "A" if parts[part][at] != "A" else "B"
        changed = [*parts]
        changed[part] = parts[part][:at] + letter + parts[part][at + 1 :]
        with pytest.raises(NotSignedIn):
            connection.bearer.caller(".".join(changed))
