"""The whole sign-in at a real provider."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest

from sparks.auth.oidc.client_config import ClientConfig
from sparks.auth.oidc.code_flow import (
    CallbackParameters,
    LoginRedirect,
    LoginResult,
    LoginState,
    logout_address,
    seal_state,
    unseal_state,
)
from sparks.auth.oidc.connection import OidcConnection
from sparks.model.errors import NotSignedIn, Unavailable
from sparks.table.memory import MemoryTable
from tests.auth.oidc.attacks import good_payload
from tests.auth.oidc.conftest import KEYRING, Clock, connected
from tests.auth.oidc.forged_tokens import rsa_signer
from tests.auth.oidc.issuer import Issuer, said
from tests.servers.oidc import SECRET, SITE, give_up_there, oidc_provider, sign_in_there
from tests.servers.process import free_port

Connect = Callable[..., OidcConnection]


@pytest.fixture
def at_provider(table: MemoryTable, clock: Clock) -> Connect:
    def connect(client_id: str = "public", secret: str | None = None) -> OidcConnection:
        client = ClientConfig(issuer=oidc_provider(), client_id=client_id, client_secret=secret, public_url=SITE)
        return connected(client, table, clock)

    return connect


def new_subject() -> str:
    return f"new_subject-{uuid4().hex[:12]}"


def came_back(url: httpx.URL) -> CallbackParameters:
    told = dict(url.params)
    return CallbackParameters(state=told["state"], code=told.get("code"), error=told.get("error"), iss=told.get("iss"))


def signed_in(connection: OidcConnection, name: str, *, next_path: str = "/") -> LoginResult:
    begun = connection.flow.begin(next_path)
    return connection.flow.finish(came_back(sign_in_there(begun.url, name)), begun.cookie)


def altered(cookie: str, clock: Clock, **changes: Any) -> str:
    """Signed anew: as if the browser knew our secret."""
    state: LoginState = replace(unseal_state(cookie, keyring=KEYRING, at=clock.now()), **changes)
    return seal_state(state, keyring=KEYRING)


@pytest.mark.parametrize(("client_id", "secret"), [("public", None), ("secret", SECRET), ("elliptic", None)], ids=str)
def test_a_sign_in_returns_the_claims_of_the_user(at_provider: Connect, client_id: str, secret: str | None) -> None:
    name = new_subject()

    finished = signed_in(at_provider(client_id, secret), name, next_path="/albums?sort=new")

    claims = finished.claims
    assert (claims.iss, claims.sub) == (oidc_provider(), name)
    assert (claims.email, claims.email_verified) == (f"{name}@example.org", True)
    assert claims.name == f"{name} of the tests"
    assert (finished.next, finished.link_to) == ("/albums?sort=new", None)


def test_an_unverified_address_is_reported_as_unverified(at_provider: Connect) -> None:
    claims = signed_in(at_provider(), f"unverified-{new_subject()}").claims

    assert claims.email is not None
    assert not claims.email_verified


def test_the_authorization_request_has_only_the_needed_parameters(at_provider: Connect) -> None:
    asked = parse_qs(urlsplit(at_provider().flow.begin("/").url).query)

    assert asked.pop("state") != asked.pop("nonce")
    assert len(asked.pop("code_challenge")[0]) == 43
    assert asked == {
        "response_type": ["code"],
        "client_id": ["public"],
        "redirect_uri": [f"{SITE}/api/oidc/callback"],
        "scope": ["openid email profile"],
        "code_challenge_method": ["S256"],
    }


def test_the_account_to_link_survives_the_sign_in(at_provider: Connect) -> None:
    flow = at_provider().flow
    begun = flow.begin("/account", link_to="ada@example.org")

    assert flow.finish(came_back(sign_in_there(begun.url, new_subject())), begun.cookie).link_to == "ada@example.org"


def test_a_code_can_be_used_once(at_provider: Connect) -> None:
    flow = at_provider().flow
    begun = flow.begin("/")
    back = came_back(sign_in_there(begun.url, new_subject()))
    flow.finish(back, begun.cookie)

    with pytest.raises(NotSignedIn, match="did not accept the sign-in"):
        flow.finish(back, begun.cookie)


def test_a_wrong_state_is_refused_without_a_request_to_the_provider(at_provider: Connect) -> None:
    flow = at_provider().flow
    begun = flow.begin("/")
    back = came_back(sign_in_there(begun.url, new_subject()))

    for wrong in ("", "x", back.state[:-1], "ö"):
        with pytest.raises(NotSignedIn, match="begin it again"):
            flow.finish(replace(back, state=wrong), begun.cookie)
    assert flow.finish(back, begun.cookie).next == "/"


def test_a_cookie_of_another_sign_in_is_refused(at_provider: Connect) -> None:
    flow = at_provider().flow
    mine, theirs = flow.begin("/"), flow.begin("/")
    back = came_back(sign_in_there(theirs.url, new_subject()))

    for wrong in (mine.cookie, None, "", theirs.cookie[:-1], theirs.cookie.replace(".", "A.", 1)):
        with pytest.raises(NotSignedIn, match="begin it again"):
            flow.finish(back, wrong)


def test_a_sign_in_that_takes_too_long_must_begin_again(at_provider: Connect, clock: Clock) -> None:
    flow = at_provider().flow
    begun = flow.begin("/")
    back = came_back(sign_in_there(begun.url, new_subject()))
    clock.go_on(600)

    with pytest.raises(NotSignedIn, match="too long ago"):
        flow.finish(back, begun.cookie)


def test_the_provider_refuses_a_code_without_its_verifier(at_provider: Connect, clock: Clock) -> None:
    flow = at_provider().flow
    begun = flow.begin("/")
    back = came_back(sign_in_there(begun.url, new_subject()))

    with pytest.raises(NotSignedIn, match="did not accept the sign-in"):
        flow.finish(back, altered(begun.cookie, clock, verifier="v" * 43))


def test_a_token_of_another_sign_in_is_refused(at_provider: Connect, clock: Clock) -> None:
    flow = at_provider().flow
    begun = flow.begin("/")
    back = came_back(sign_in_there(begun.url, new_subject()))

    with pytest.raises(NotSignedIn, match="made for another sign-in"):
        flow.finish(back, altered(begun.cookie, clock, nonce="n" * 43))


def test_a_sign_in_canceled_at_the_provider_is_reported(at_provider: Connect) -> None:
    flow = at_provider().flow
    begun = flow.begin("/")

    with pytest.raises(NotSignedIn, match="was canceled"):
        flow.finish(came_back(give_up_there(begun.url)), begun.cookie)


@pytest.mark.parametrize("iss", [None, "https://evil.example.org"])
def test_a_callback_of_another_provider_is_refused(at_provider: Connect, iss: str | None) -> None:
    """The provider says that it tells its name with every answer, so one without it is none of its."""
    flow = at_provider().flow
    begun = flow.begin("/")
    back = came_back(sign_in_there(begun.url, new_subject()))

    with pytest.raises(NotSignedIn):
        flow.finish(replace(back, iss=iss), begun.cookie)


@pytest.mark.parametrize("changes", [{"code": None}, {"code": ""}, {"code": "x" * 4000}, {"error": "odd\n"}])
def test_a_callback_without_a_valid_code_is_refused(at_provider: Connect, changes: dict[str, Any]) -> None:
    flow = at_provider().flow
    begun = flow.begin("/")
    back = came_back(sign_in_there(begun.url, new_subject()))

    with pytest.raises(NotSignedIn):
        flow.finish(replace(back, **changes), begun.cookie)


def test_a_wrong_client_secret_names_the_settings_to_check(at_provider: Connect) -> None:
    with pytest.raises(Unavailable, match=r"\(invalid_client\): its administrator must check oidc_client_id"):
        signed_in(at_provider("secret", "wrong"), new_subject())


def test_a_provider_that_is_down_is_reported(table: MemoryTable, clock: Clock) -> None:
    client = ClientConfig(issuer=f"http://127.0.0.1:{free_port()}", client_id="public", public_url=SITE)
    flow = connected(client, table, clock).flow

    with pytest.raises(Unavailable, match="cannot be reached"):
        flow.begin("/")
    assert flow.logout_url() is None


def test_the_logout_url_comes_from_the_provider(at_provider: Connect) -> None:
    url = at_provider().flow.logout_url()

    assert url is not None
    asked = parse_qs(urlsplit(url).query)
    assert asked == {"client_id": ["public"], "post_logout_redirect_uri": [f"{SITE}/"]}
    assert httpx.get(url).status_code == 200


@pytest.mark.parametrize(
    ("issuer", "word"),
    [
        ("https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc", "logout_uri"),
        ("https://login.example.org", "post_logout_redirect_uri"),
    ],
)
def test_cognito_has_its_own_parameter_for_the_page_after_logout(issuer: str, word: str) -> None:
    client = ClientConfig(issuer=issuer, client_id="public", public_url=SITE)

    url = logout_address("https://login.example.org/logout?a=b", client=client)

    assert parse_qs(urlsplit(url).query) == {"a": ["b"], "client_id": ["public"], word: [f"{SITE}/"]}


# -- At a provider that says what a test wants


def id_token_at(issuer: Issuer, begun: LoginRedirect, clock: Clock, **changes: Any) -> None:
    """Makes the issuer answer any code with a token for this sign-in."""
    (nonce,) = parse_qs(urlsplit(begun.url).query)["nonce"]
    told = good_payload(issuer.url, clock.now()) | {"nonce": nonce} | changes
    token = rsa_signer().token({name: value for name, value in told.items() if value is not None})
    issuer.answers["/token"] = lambda _: said({"id_token": token, "access_token": "for more"})


def finish(connection: OidcConnection, begun: LoginRedirect) -> LoginResult:
    (state,) = parse_qs(urlsplit(begun.url).query)["state"]
    return connection.flow.finish(CallbackParameters(state=state, code="any"), begun.cookie)


def test_userinfo_is_not_requested_if_the_token_has_an_address(
    connection: OidcConnection, issuer: Issuer, clock: Clock
) -> None:
    issuer.document["userinfo_endpoint"] = f"{issuer.url}/me"
    begun = connection.flow.begin("/")
    id_token_at(issuer, begun, clock, name="Ada")

    claims = finish(connection, begun).claims

    assert (claims.email, claims.name) == ("somebody.of.the.tests@example.org", "Ada")
    assert issuer.count("/me") == 0


@pytest.mark.parametrize(("sub", "email"), [("an-identity-of-the-tests", "ada@example.org"), ("another", None)])
def test_userinfo_is_requested_if_the_token_has_no_address(
    connection: OidcConnection, issuer: Issuer, clock: Clock, sub: str, email: str | None
) -> None:
    issuer.document["userinfo_endpoint"] = f"{issuer.url}/me"
    issuer.answers["/me"] = lambda _: said({"sub": sub, "email": "ada@example.org", "email_verified": True})
    begun = connection.flow.begin("/")
    id_token_at(issuer, begun, clock, email=None)

    claims = finish(connection, begun).claims

    assert (claims.email, claims.email_verified) == (email, email is not None)


def test_a_provider_without_a_sign_in_page_is_reported(connection: OidcConnection, issuer: Issuer) -> None:
    del issuer.document["authorization_endpoint"]

    with pytest.raises(Unavailable, match="no sign-in page"):
        connection.flow.begin("/")


def test_secrets_of_a_sign_in_are_not_in_the_repr(connection: OidcConnection, issuer: Issuer, clock: Clock) -> None:
    begun = connection.flow.begin("/", link_to="ada@example.org")
    id_token_at(issuer, begun, clock)

    shown = repr((begun, finish(connection, begun)))

    assert not any(secret in shown for secret in (begun.cookie, begun.url, "example.org", "an-identity"))
