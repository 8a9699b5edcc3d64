"""Keys of the provider: accepted ones, and how often they are requested."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from sparks.auth.oidc.discovery import Discovery, JwksCache, parse_jwks
from sparks.model.errors import Unavailable
from tests.auth.oidc.conftest import Clock
from tests.auth.oidc.forged_tokens import Signer, ec_signer, rsa_signer
from tests.auth.oidc.issuer import Issuer, Said, said

RSA = rsa_signer().jwk
EC = ec_signer().jwk


@pytest.fixture
def keys(issuer: Issuer, clock: Clock) -> JwksCache:
    return JwksCache(Discovery(issuer.url, clock=clock.seconds), clock=clock.seconds)


def test_an_rsa_key_is_for_rs256_and_an_elliptic_one_for_es256() -> None:
    assert set(parse_jwks([RSA, EC])) == {("rsa", "RS256"), ("ec", "ES256")}


def test_a_key_without_use_and_algorithm_is_usable() -> None:
    plain = {name: value for name, value in RSA.items() if name not in ("use", "alg")}

    assert set(parse_jwks([plain])) == {("rsa", "RS256")}


@pytest.mark.parametrize(
    "key",
    [
        rsa_signer("small", 1024).jwk,
        Signer("other", ec.generate_private_key(ec.SECP384R1())).jwk,
        RSA | {"use": "enc"},
        RSA | {"alg": "RS512"},
        RSA | {"alg": "none"},
        RSA | {"kid": None},
        RSA | {"kid": 7},
        RSA | {"n": ""},
        RSA | {"n": "!!!"},
        RSA | {"e": "AA"},
        RSA | {"kty": "oct", "k": "c2VjcmV0"},
        EC | {"crv": "secp256k1"},
        EC | {"x": EC["y"]},
        EC | {"y": "AA"},
        {"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": EC["x"]},
        {},
        [],
        None,
        "rsa",
    ],
)
def test_other_keys_are_skipped(key: Any) -> None:
    assert set(parse_jwks([key, rsa_signer("good").jwk])) == {("good", "RS256")}


def test_of_a_published_private_key_only_the_public_part_is_read() -> None:
    (key,) = parse_jwks([RSA | {"d": "AQAB", "p": "!", "q": 7}]).values()

    assert not hasattr(key, "sign")


def test_a_known_key_is_found_without_another_request(keys: JwksCache, issuer: Issuer) -> None:
    for _ in range(3):
        assert keys.find("rsa", "RS256") is not None
        assert keys.find("ec", "ES256") is not None

    assert issuer.count("/jwks") == 1


def test_a_new_key_is_found_a_minute_later_at_the_latest(keys: JwksCache, issuer: Issuer, clock: Clock) -> None:
    keys.find("rsa", "RS256")
    issuer.signers.append(rsa_signer("new"))
    assert keys.find("new", "RS256") is None

    clock.go_on(60)
    assert keys.find("new", "RS256") is not None


def test_a_withdrawn_key_is_dropped_after_an_hour(keys: JwksCache, issuer: Issuer, clock: Clock) -> None:
    keys.find("rsa", "RS256")
    issuer.signers.remove(rsa_signer())
    clock.go_on(3600)

    assert keys.find("rsa", "RS256") is None


def test_many_unknown_keys_cause_one_request_a_minute(keys: JwksCache, issuer: Issuer, clock: Clock) -> None:
    for minute in range(1, 6):
        for seconds in (59, 1):
            with ThreadPoolExecutor(8) as threads:
                found = list(threads.map(lambda n: keys.find(f"unknown{n}", "RS256"), range(100)))

            assert found == [None] * 100
            assert issuer.count("/jwks") == minute
            clock.go_on(seconds)


def test_many_unknown_keys_cause_one_request_a_minute_while_the_provider_is_down(
    keys: JwksCache, issuer: Issuer, clock: Clock
) -> None:
    issuer.answers["/jwks"] = lambda _: Said(500)
    for minute in range(1, 4):
        for n in range(50):
            with pytest.raises(Unavailable):
                keys.find(f"unknown{n}", "RS256")
        assert issuer.count("/jwks") == minute
        clock.go_on(60)


@pytest.mark.parametrize("answer", [Said(500), said({"keys": "none"}), said([]), Said(body=b"")])
def test_keys_stay_valid_while_the_provider_is_down(
    keys: JwksCache, issuer: Issuer, clock: Clock, answer: Said
) -> None:
    keys.find("rsa", "RS256")
    issuer.answers["/jwks"] = lambda _: answer
    clock.go_on(100_000)

    assert keys.find("rsa", "RS256") is not None
    assert keys.find("unknown", "RS256") is None


def test_failed_discovery_does_not_count_as_a_failed_load_of_keys(
    keys: JwksCache, issuer: Issuer, clock: Clock
) -> None:
    """So that the minute does not begin before it has been asked."""
    well_known = "/.well-known/openid-configuration"
    right = issuer.answers[well_known]
    issuer.answers[well_known] = lambda _: Said(503)
    with pytest.raises(Unavailable):
        keys.find("rsa", "RS256")

    issuer.answers[well_known] = right
    clock.go_on(10)
    assert keys.find("rsa", "RS256") is not None
