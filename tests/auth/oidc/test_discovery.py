"""Where the provider's addresses are."""

from typing import Any

import pytest

from sparks.auth.oidc.discovery import Discovery, Provider, read_provider
from sparks.model.errors import Unavailable
from tests.auth.oidc.conftest import Clock
from tests.auth.oidc.issuer import Issuer, Said, said

WELL_KNOWN = "/.well-known/openid-configuration"
ISSUER = "https://login.example.org"
DOCUMENT = {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/jwks", "token_endpoint": f"{ISSUER}/token"}


def test_a_provider_tells_its_addresses(issuer: Issuer) -> None:
    assert Discovery(issuer.url).provider() == Provider(
        issuer=issuer.url,
        jwks_uri=f"{issuer.url}/jwks",
        authorization_endpoint=f"{issuer.url}/authorize",
        token_endpoint=f"{issuer.url}/token",
    )


def test_it_is_asked_once_an_hour(issuer: Issuer, clock: Clock) -> None:
    discovery = Discovery(issuer.url, clock=clock.seconds)
    for _ in range(3):
        discovery.provider()
    assert issuer.count(WELL_KNOWN) == 1

    clock.go_on(3600)
    discovery.provider()
    assert issuer.count(WELL_KNOWN) == 2


def test_one_that_is_down_is_not_asked_at_every_call(issuer: Issuer, clock: Clock) -> None:
    issuer.answers[WELL_KNOWN] = lambda _: Said(503)
    discovery = Discovery(issuer.url, clock=clock.seconds)
    for _ in range(3):
        with pytest.raises(Unavailable):
            discovery.provider()
    assert issuer.count(WELL_KNOWN) == 1

    issuer.answers[WELL_KNOWN] = lambda _: said(issuer.document)
    clock.go_on(10)
    assert discovery.provider().issuer == issuer.url


def test_a_slash_at_the_end_belongs_to_the_name_but_not_twice_to_the_address(issuer: Issuer) -> None:
    issuer.document["issuer"] = f"{issuer.url}/"

    assert Discovery(f"{issuer.url}/").provider().issuer == f"{issuer.url}/"


@pytest.mark.parametrize("name", [f"{ISSUER}/", f"{ISSUER}.evil.org", ISSUER.upper(), ""])
def test_a_provider_of_another_name_is_refused(name: str) -> None:
    with pytest.raises(Unavailable, match="oidc_issuer must be just what"):
        read_provider(DOCUMENT | {"issuer": name}, issuer=ISSUER)


@pytest.mark.parametrize(
    "name",
    ["jwks_uri", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "end_session_endpoint"],
)
@pytest.mark.parametrize("url", ["http://login.example.org/x", "http://127.0.0.1/x", "file:///etc/passwd", "/x"])
def test_an_address_that_is_not_safe_is_refused(name: str, url: str) -> None:
    with pytest.raises(Unavailable, match=name):
        read_provider(DOCUMENT | {name: url}, issuer=ISSUER)


@pytest.mark.parametrize(
    "document", [{}, {"issuer": ISSUER}, DOCUMENT | {"jwks_uri": None}, DOCUMENT | {"token_endpoint": ["a"]}]
)
def test_a_document_that_lacks_what_matters_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(Unavailable, match="cannot be used"):
        read_provider(document, issuer=ISSUER)


def test_who_issues_tokens_only_needs_no_sign_in_page() -> None:
    document = {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/jwks"}

    assert read_provider(document, issuer=ISSUER).authorization_endpoint is None
