"""Valid tokens and their claims."""

from datetime import timedelta
from typing import Any

import pytest

from sparks.auth.oidc.client_config import ClientConfig
from sparks.auth.oidc.discovery import Discovery, JwksCache
from sparks.auth.oidc.token_validation import TokenValidator
from sparks.model.errors import NotSignedIn, Unavailable
from sparks.model.times import unix
from tests.auth.oidc.attacks import CLIENT_ID, Payload, good_payload
from tests.auth.oidc.conftest import Clock
from tests.auth.oidc.forged_tokens import ec_signer, rsa_signer
from tests.auth.oidc.issuer import Issuer, Said
from tests.servers.oidc import SITE

NONCE = "of this sign-in"


@pytest.fixture
def tokens(issuer: Issuer, clock: Clock) -> TokenValidator:
    client = ClientConfig(issuer=issuer.url, client_id=CLIENT_ID, public_url=SITE)
    return TokenValidator(
        client, JwksCache(Discovery(issuer.url, clock=clock.seconds), clock=clock.seconds), clock=clock.now
    )


@pytest.fixture
def good(issuer: Issuer, clock: Clock) -> Payload:
    return good_payload(issuer.url, clock.now())


def signed(payload: Payload, **changes: Any) -> str:
    told = {name: value for name, value in (payload | changes).items() if value is not None}
    return rsa_signer().token(told)


# -- On API calls


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"aud": [CLIENT_ID]},
        {"aud": ["another", CLIENT_ID]},
        {"aud": ["another", CLIENT_ID], "azp": "another"},
        {"token_use": "id"},
        {"token_use": "access", "aud": None, "client_id": CLIENT_ID},
        {"iat": None},
    ],
)
def test_a_token_for_this_client_is_valid(tokens: TokenValidator, good: Payload, changes: Payload) -> None:
    assert tokens.read_bearer(signed(good, **changes)).sub == good["sub"]


@pytest.mark.parametrize("kind", ["JWT", "jwt", "at+jwt", "application/at+jwt"])
def test_an_access_token_may_have_its_own_type(tokens: TokenValidator, good: Payload, kind: str) -> None:
    assert tokens.read_bearer(rsa_signer().token(good, typ=kind)).sub == good["sub"]


def test_an_es256_token_is_valid(tokens: TokenValidator, good: Payload) -> None:
    assert tokens.read_bearer(ec_signer().token(good)).sub == good["sub"]


def test_key_urls_in_the_header_are_ignored(tokens: TokenValidator, good: Payload) -> None:
    token = rsa_signer().token(good, jku="http://127.0.0.1:1/", x5t="of a certificate")

    assert tokens.read_bearer(token).sub == good["sub"]


def test_clocks_may_differ_by_less_than_a_minute(tokens: TokenValidator, good: Payload, clock: Clock) -> None:
    now = unix(clock.now())

    assert tokens.read_bearer(signed(good, exp=now - 50, iat=now + 50, nbf=now + 50)).sub == good["sub"]


def test_a_token_is_valid_until_it_expires(tokens: TokenValidator, good: Payload, clock: Clock) -> None:
    token = signed(good)
    claims = tokens.read_bearer(token)
    assert timedelta() < claims.expires_at - clock.now() <= timedelta(seconds=600)

    clock.go_on(661)
    with pytest.raises(NotSignedIn, match="it has expired: sign in again"):
        tokens.read_bearer(token)


def test_an_unusual_subject_is_kept_unchanged(tokens: TokenValidator, good: Payload) -> None:
    assert tokens.read_bearer(signed(good, sub="a#b|ü c/../d")).sub == "a#b|ü c/../d"


@pytest.mark.parametrize(
    ("told", "verified"),
    [(True, True), ("true", True)]
    + [(odd, False) for odd in (False, "false", "True", "TRUE", "1", 1, "yes", ["true"], {"true": True}, "", None)],
)
def test_only_true_marks_an_address_as_verified(
    tokens: TokenValidator, good: Payload, told: object, verified: bool
) -> None:
    assert tokens.read_bearer(signed(good, email_verified=told)).email_verified is verified


@pytest.mark.parametrize(
    ("told", "email"),
    [("Ada@Example.ORG", "ada@example.org"), (None, None), ("", None), ("ada", None), (7, None), (["a@b"], None)]
    + [(odd, None) for odd in ("a\n@b.c", "a@b@c", "guest:a@b.c", "ad\u212a@b.c", "a" * 300 + "@b.c")],
)
def test_an_address_is_normalized_or_dropped(
    tokens: TokenValidator, good: Payload, told: object, email: str | None
) -> None:
    claims = tokens.read_bearer(signed(good, email=told))

    assert claims.email == email
    assert claims.email_verified is (email is not None)


@pytest.mark.parametrize(
    ("told", "name"), [(" Ada ", "Ada"), (None, None), ("", None), ("a\nb", None), (7, None), ("a" * 61, None)]
)
def test_a_name_that_cannot_be_shown_is_dropped(
    tokens: TokenValidator, good: Payload, told: object, name: str | None
) -> None:
    assert tokens.read_bearer(signed(good, name=told)).name == name


def test_personal_claims_are_not_in_the_repr(tokens: TokenValidator, good: Payload) -> None:
    shown = repr(tokens.read_bearer(signed(good, name="Ada Lovelace")))

    assert not any(secret in shown for secret in (good["sub"], good["email"], "Ada"))


def test_without_keys_the_provider_is_unavailable_and_no_token_is_refused(
    tokens: TokenValidator, issuer: Issuer, good: Payload
) -> None:
    issuer.answers["/jwks"] = lambda _: Said(500)

    with pytest.raises(Unavailable):
        tokens.read_bearer(signed(good))


# -- At the end of a sign-in


@pytest.mark.parametrize(
    "changes",
    [{}, {"aud": [CLIENT_ID]}, {"azp": CLIENT_ID}, {"aud": [CLIENT_ID, "x"], "azp": CLIENT_ID}, {"token_use": "id"}],
)
def test_an_id_token_for_this_sign_in_is_valid(tokens: TokenValidator, good: Payload, changes: Payload) -> None:
    assert tokens.read_id_token(signed(good, nonce=NONCE, **changes), nonce=NONCE).sub == good["sub"]


@pytest.mark.parametrize(
    "changes",
    [
        {"nonce": None},
        {"nonce": ""},
        {"nonce": "of another"},
        {"nonce": "ö"},
        {"aud": "another"},
        {"aud": [CLIENT_ID, "another"]},
        {"aud": [CLIENT_ID, "another"], "azp": "another"},
        {"azp": "another"},
        {"aud": None},
        {"token_use": "access", "client_id": CLIENT_ID},
        {"iss": "https://evil.example.org"},
        {"exp": 1},
    ],
)
def test_an_id_token_for_another_client_or_sign_in_is_refused(
    tokens: TokenValidator, good: Payload, changes: Payload
) -> None:
    with pytest.raises(NotSignedIn):
        tokens.read_id_token(signed(good | {"nonce": NONCE}, **changes), nonce=NONCE)
