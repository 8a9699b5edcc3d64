"""Identities at a provider, linked to an account and unlinked."""

import httpx
import pytest

from sparks.auth.api_keys import make_key
from sparks.library.accounts.users import get_user
from sparks.model import times
from sparks.table.memory import MemoryTable
from tests.api.accounts.oidc.provider_browser import (
    CSRF,
    Open,
    add_member,
    come_back,
    new_user_name,
    sign_in,
    sign_in_with_password,
    who_is_in,
)
from tests.api.client import Client
from tests.servers.oidc import oidc_provider, sign_in_there

# -- Identities


def link(client: Client, name: str) -> httpx.Response:
    begun = client.post("/api/me/identities", headers=CSRF, json={"next": "/account"})
    return come_back(client, sign_in_there(begun.json()["url"], name))


@pytest.fixture
def ada(browser: Open, table: MemoryTable) -> Client:
    """A browser that is signed in as ada@example.org, with her password."""
    add_member("ada@example.org", table)
    client = browser()
    sign_in_with_password(client, "ada@example.org")
    return client


def test_an_identity_is_linked_from_within_an_account(ada: Client, browser: Open) -> None:
    name = f"unverified-{new_user_name()}"

    answer = link(ada, name)

    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    (identity,) = ada.get("/api/me/identities").json()["identities"]
    assert (identity["issuer"], identity["current"]) == (oidc_provider(), True)
    other = browser()
    sign_in(other, name)
    assert who_is_in(other) == "ada@example.org"


def test_an_identity_of_another_account_is_not_linked(ada: Client, browser: Open) -> None:
    name = new_user_name()
    sign_in(browser(), name)

    assert link(ada, name).status_code == 409
    assert ada.get("/api/me/identities").json() == {"identities": []}


def test_linking_is_refused_where_another_user_is_signed_in_by_then(ada: Client, table: MemoryTable) -> None:
    begun = ada.post("/api/me/identities", headers=CSRF, json={})
    url = sign_in_there(begun.json()["url"], new_user_name())
    add_member("eve@example.org", table)
    sign_in_with_password(ada, "eve@example.org")

    assert come_back(ada, url).status_code == 403
    assert get_user("ada@example.org", table=table).identities == ()
    assert get_user("eve@example.org", table=table).identities == ()


def test_linking_is_refused_where_the_user_has_signed_out(ada: Client, table: MemoryTable) -> None:
    begun = ada.post("/api/me/identities", headers=CSRF, json={})
    url = sign_in_there(begun.json()["url"], new_user_name())
    ada.delete("/api/session", headers=CSRF)

    assert come_back(ada, url).status_code == 401
    assert get_user("ada@example.org", table=table).identities == ()


def test_a_page_of_another_site_cannot_link_an_identity(ada: Client) -> None:
    assert ada.post("/api/me/identities", json={}).status_code == 403
    assert ada.post("/api/me/identities", json={}, headers=CSRF | {"Origin": "https://evil.org"}).status_code == 403


def test_an_api_key_cannot_link_an_identity(ada: Client, table: MemoryTable) -> None:
    user = get_user("ada@example.org", table=table)
    _, key = make_key(user, name="script", scopes=None, expires_at=None, at=times.now(), table=table)

    for method in ("GET", "POST"):
        answer = ada.request(method, "/api/me/identities", headers={"Authorization": f"Bearer {key}"})
        assert answer.status_code == 403


def test_an_identity_is_unlinked(ada: Client, browser: Open) -> None:
    name = new_user_name()
    link(ada, name)
    (identity,) = ada.get("/api/me/identities").json()["identities"]

    assert ada.delete(f"/api/me/identities/{identity['id']}", headers=CSRF).status_code == 204
    assert ada.delete(f"/api/me/identities/{identity['id']}", headers=CSRF).status_code == 404
    other = browser()
    sign_in(other, name)
    assert who_is_in(other) == f"{name}@example.org"


def test_the_only_way_to_sign_in_cannot_be_unlinked(browser: Open) -> None:
    client = browser()
    sign_in(client, new_user_name())
    (identity,) = client.get("/api/me/identities").json()["identities"]

    answer = client.delete(f"/api/me/identities/{identity['id']}", headers=CSRF)

    assert (answer.status_code, answer.json()["error"]) == (409, "CONFLICT")
    assert "set a password first" in answer.json()["message"]
