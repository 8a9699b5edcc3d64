"""Tokens of a provider on API calls."""

from pathlib import Path

import httpx
import pytest

from sparks.api.http.middleware.request_limits import MAX_HEADER_BYTES
from sparks.model import times
from sparks.settings import Settings
from sparks.table.memory import MemoryTable
from tests.api.accounts.oidc.provider_browser import Open, oidc_app
from tests.api.client import Client
from tests.auth.oidc.attacks import ATTACKS, good_payload, holds_piece
from tests.auth.oidc.forged_tokens import rsa_signer
from tests.auth.oidc.issuer import running_issuer
from tests.servers.cognito import new_pool
from tests.servers.oidc import SITE

# -- Tokens on API calls


def bearer(client: Client, token: str) -> httpx.Response:
    return client.get("/api/me/profile", headers={"Authorization": b"Bearer " + token.encode(errors="replace")})


def test_cognito_tokens_open_the_api(browser: Open) -> None:
    pool = new_pool()
    pool.add_user("ada@example.org")
    tokens = pool.sign_in("ada@example.org")
    client = browser(oidc_issuer=pool.issuer, oidc_client_id=pool.client_id)

    assert bearer(client, tokens.access).status_code == 403  # she has no account yet
    assert bearer(client, tokens.id).json()["email"] == "ada@example.org"
    assert bearer(client, tokens.access).json()["email"] == "ada@example.org"
    assert bearer(client, tokens.refresh).status_code == 401


def test_a_token_cannot_link_an_identity(browser: Open) -> None:
    with running_issuer() as issuer:
        client = browser(oidc_issuer=issuer.url, oidc_client_id="sparks")
        token = rsa_signer().token(good_payload(issuer.url, times.now()))
        assert bearer(client, token).status_code == 200

        answer = client.post("/api/me/identities", headers={"Authorization": f"Bearer {token}"}, json={})

    assert (answer.status_code, answer.json()["error"]) == (403, "NOT_ALLOWED")


def test_forged_tokens_get_401(table: MemoryTable, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each comes from an IP address of its own, because of the rate limit."""
    with running_issuer() as issuer:
        issuer.signers.append(rsa_signer("small", 1024))
        good = good_payload(issuer.url, times.now())
        settings = Settings(data=tmp_path, public_url=SITE, oidc_issuer=issuer.url, oidc_client_id="sparks")
        app = oidc_app(settings, table)
        for number, (name, attack) in enumerate(ATTACKS.items()):
            token = attack(good)
            with Client(app, site=SITE, address=f"127.0.1.{number}") as client:
                answer = bearer(client, token)

            refused = (
                (401, "NOT_SIGNED_IN") if len(token) < MAX_HEADER_BYTES else (431, "REQUEST_HEADER_FIELDS_TOO_LARGE")
            )
            assert (answer.status_code, answer.json()["error"]) == refused, name
            assert not holds_piece(f"{answer.text} {caplog.text}", token), name
            caplog.clear()
