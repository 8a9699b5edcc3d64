"""Exchange of a code for a token: the authentication of Sparks, and the use of the answer."""

from base64 import b64encode
from typing import Any

import pytest

from sparks.auth.oidc.client_config import ClientConfig
from sparks.auth.oidc.code_exchange import TokenResponse, fetch_userinfo, redeem_code
from sparks.model.errors import NotSignedIn, Unavailable
from tests.auth.oidc.issuer import Issuer, Said, said
from tests.servers.oidc import SITE

FORM = {
    "grant_type": "authorization_code",
    "code": "of the provider",
    "redirect_uri": f"{SITE}/api/oidc/callback",
    "code_verifier": "of the browser",
}


def redeemed(issuer: Issuer, secret: str | None = None, *methods: str) -> TokenResponse:
    client = ClientConfig(issuer=issuer.url, client_id="sparks:ä", client_secret=secret, public_url=SITE)
    return redeem_code(
        FORM["code"],
        verifier=FORM["code_verifier"],
        client=client,
        endpoint=f"{issuer.url}/token",
        methods=methods or ("client_secret_basic",),
    )


@pytest.fixture(autouse=True)
def _tokens(issuer: Issuer) -> None:
    issuer.answers["/token"] = lambda _: said({"id_token": "of the user", "access_token": "for more"})


def test_without_a_secret_sparks_sends_its_client_id(issuer: Issuer) -> None:
    assert redeemed(issuer, None, "client_secret_basic") == TokenResponse("of the user", "for more")

    (asked,) = issuer.asked
    assert asked.form == FORM | {"client_id": "sparks:ä"}
    assert "Authorization" not in asked.headers


def test_the_client_secret_is_sent_in_a_header(issuer: Issuer) -> None:
    redeemed(issuer, "a: secret", "client_secret_post", "client_secret_basic")

    (asked,) = issuer.asked
    assert asked.form == FORM
    assert asked.headers["Authorization"] == "Basic " + b64encode(b"sparks%3A%C3%A4:a%3A+secret").decode()


def test_the_client_secret_is_sent_in_the_form_if_the_provider_supports_only_that(issuer: Issuer) -> None:
    redeemed(issuer, "a: secret", "private_key_jwt", "client_secret_post")

    (asked,) = issuer.asked
    assert asked.form == FORM | {"client_id": "sparks:ä", "client_secret": "a: secret"}
    assert "Authorization" not in asked.headers


def test_a_rejected_code_asks_the_user_to_sign_in_again(issuer: Issuer) -> None:
    issuer.answers["/token"] = lambda _: said({"error": "invalid_grant"}, 400)

    with pytest.raises(NotSignedIn, match="begin it again"):
        redeemed(issuer)


@pytest.mark.parametrize("error", ["invalid_client", "unauthorized_client", "invalid_request", "<b>", 7, None])
def test_other_errors_of_the_provider_name_the_settings_to_check(
    issuer: Issuer, error: object, caplog: pytest.LogCaptureFixture
) -> None:
    issuer.answers["/token"] = lambda _: said({"error": error, "error_description": "of the provider"}, 401)

    with pytest.raises(Unavailable, match="administrator"):
        redeemed(issuer, "a secret")

    assert "the sign-in provider refused a code" in caplog.text
    assert not any(secret in caplog.text for secret in ("of the browser", "of the provider", "a secret", "<b>"))


@pytest.mark.parametrize("answer", [said({}), said({"id_token": 7}), said([]), Said(502, b"<html>")])
def test_a_token_response_without_an_id_token_is_an_error(issuer: Issuer, answer: Said) -> None:
    issuer.answers["/token"] = lambda _: answer

    with pytest.raises(Unavailable):
        redeemed(issuer)


@pytest.mark.parametrize("odd", [7, None, "a\nb", "ä", ["a"]])
def test_an_access_token_that_fits_no_header_is_ignored(issuer: Issuer, odd: object) -> None:
    issuer.answers["/token"] = lambda _: said({"id_token": "of the user", "access_token": odd})

    assert redeemed(issuer) == TokenResponse("of the user", None)


def test_tokens_are_not_in_the_repr(issuer: Issuer) -> None:
    assert "of the user" not in repr(redeemed(issuer))
    assert "for more" not in repr(redeemed(issuer))


def test_userinfo_is_requested_with_the_access_token(issuer: Issuer) -> None:
    issuer.answers["/me"] = lambda _: said({"sub": "ada", "email": "ada@example.org"})

    assert fetch_userinfo("for more", sub="ada", endpoint=f"{issuer.url}/me")["email"] == "ada@example.org"
    assert issuer.asked[-1].headers["Authorization"] == "Bearer for more"


@pytest.mark.parametrize("told", [{"sub": "eve"}, {}, {"sub": ["ada"]}, {"sub": None}])
def test_userinfo_of_another_subject_is_ignored(issuer: Issuer, told: dict[str, Any]) -> None:
    issuer.answers["/me"] = lambda _: said(told | {"email": "eve@example.org"})

    assert fetch_userinfo("for more", sub="ada", endpoint=f"{issuer.url}/me") == {}
