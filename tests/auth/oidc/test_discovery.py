"""Discovery of the provider's URLs."""

from typing import Any

import pytest

from sparks.auth.oidc.discovery import Discovery, ProviderMetadata, parse_metadata
from sparks.model.errors import Unavailable
from tests.auth.oidc.conftest import Clock
from tests.auth.oidc.issuer import Issuer, Said, said

WELL_KNOWN = "/.well-known/openid-configuration"
ISSUER = "https://login.example.org"
DOCUMENT = {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/jwks", "token_endpoint": f"{ISSUER}/token"}


def test_the_metadata_hold_the_endpoints(issuer: Issuer) -> None:
    assert Discovery(issuer.url).provider() == ProviderMetadata(
        issuer=issuer.url,
        jwks_uri=f"{issuer.url}/jwks",
        authorization_endpoint=f"{issuer.url}/authorize",
        token_endpoint=f"{issuer.url}/token",
    )


def test_metadata_are_requested_once_an_hour(issuer: Issuer, clock: Clock) -> None:
    discovery = Discovery(issuer.url, clock=clock.seconds)
    for _ in range(3):
        discovery.provider()
    assert issuer.count(WELL_KNOWN) == 1

    clock.go_on(3600)
    discovery.provider()
    assert issuer.count(WELL_KNOWN) == 2


def test_a_provider_that_is_down_is_not_requested_at_every_call(issuer: Issuer, clock: Clock) -> None:
    issuer.answers[WELL_KNOWN] = lambda _: Said(503)
    discovery = Discovery(issuer.url, clock=clock.seconds)
    for _ in range(3):
        with pytest.raises(Unavailable):
            discovery.provider()
    assert issuer.count(WELL_KNOWN) == 1

    issuer.answers[WELL_KNOWN] = lambda _: said(issuer.document)
    clock.go_on(10)
    assert discovery.provider().issuer == issuer.url


def test_a_trailing_slash_of_the_issuer_is_not_doubled_in_the_url(issuer: Issuer) -> None:
    issuer.document["issuer"] = f"{issuer.url}/"

    assert Discovery(f"{issuer.url}/").provider().issuer == f"{issuer.url}/"


@pytest.mark.parametrize("name", [f"{ISSUER}/", f"{ISSUER}.evil.org", ISSUER.upper(), ""])
def test_metadata_of_another_issuer_are_refused(name: str) -> None:
    with pytest.raises(Unavailable, match="oidc_issuer must be exactly"):
        parse_metadata(DOCUMENT | {"issuer": name}, issuer=ISSUER)


@pytest.mark.parametrize(
    "name",
    ["jwks_uri", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "end_session_endpoint"],
)
@pytest.mark.parametrize("url", ["http://login.example.org/x", "http://127.0.0.1/x", "file:///etc/passwd", "/x"])
def test_an_unsafe_endpoint_is_refused(name: str, url: str) -> None:
    with pytest.raises(Unavailable, match=name):
        parse_metadata(DOCUMENT | {name: url}, issuer=ISSUER)


@pytest.mark.parametrize(
    "document", [{}, {"issuer": ISSUER}, DOCUMENT | {"jwks_uri": None}, DOCUMENT | {"token_endpoint": ["a"]}]
)
def test_metadata_without_required_fields_are_refused(document: dict[str, Any]) -> None:
    with pytest.raises(Unavailable, match="cannot be used"):
        parse_metadata(document, issuer=ISSUER)


def test_a_provider_that_only_issues_tokens_needs_no_sign_in_page() -> None:
    document = {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/jwks"}

    assert parse_metadata(document, issuer=ISSUER).authorization_endpoint is None
