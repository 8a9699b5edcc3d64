"""Sign-in with an OpenID Connect provider in a browser."""

from http.cookies import SimpleCookie
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest

from sparks.library.accounts.users import get_user
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
from tests.servers.oidc import SECURE_SITE, SITE, give_up_there, oidc_provider, sign_in_there
from tests.servers.process import free_port

BROWSER: Final = {"Accept": "text/html,application/xhtml+xml"}


# -- Sign-in


def test_a_browser_signs_in_and_returns_to_its_page(browser: Open) -> None:
    client, name = browser(), new_user_name()

    answer = sign_in(client, name, next_path="/albums?sort=new")

    assert (answer.status_code, answer.headers["location"]) == (303, "/albums?sort=new")
    assert who_is_in(client) == f"{name}@example.org"


def test_a_second_sign_in_leads_to_the_same_account(browser: Open, table: MemoryTable) -> None:
    name = new_user_name()
    sign_in(browser(), name)
    user = get_user(f"{name}@example.org", table=table)
    sign_in(browser(oidc_sign_up=False), name)

    assert get_user(f"{name}@example.org", table=table) == user


@pytest.mark.parametrize(("site", "name"), [(SITE, "sparks_oidc"), (SECURE_SITE, "__Host-sparks_oidc")])
def test_the_cookie_of_a_sign_in_is_for_this_browser_and_ten_minutes(browser: Open, site: str, name: str) -> None:
    (cookie,) = SimpleCookie(browser(site=site).get("/api/oidc/login").headers["set-cookie"]).values()

    assert (cookie.key, cookie["path"], cookie["max-age"], cookie["domain"]) == (name, "/", "600", "")
    assert (cookie["httponly"], cookie["samesite"]) == (True, "lax")
    assert bool(cookie["secure"]) is site.startswith("https:")


def test_sign_in_works_behind_https(browser: Open) -> None:
    client, name = browser(site=SECURE_SITE), new_user_name()

    answer = sign_in(client, name)

    assert answer.status_code == 303
    assert all("Secure" in cookie for cookie in answer.headers.get_list("set-cookie"))
    assert who_is_in(client) == f"{name}@example.org"


def test_the_earlier_session_of_the_browser_ends(browser: Open) -> None:
    client = browser()
    (session, *_) = sign_in(client, new_user_name()).headers.get_list("set-cookie")
    before = {"Cookie": session.partition(";")[0]}
    assert browser().get("/api/me/profile", headers=before).status_code == 200
    sign_in(client, new_user_name())

    assert browser().get("/api/me/profile", headers=before).status_code == 401


def test_a_sign_in_cannot_be_finished_twice(browser: Open) -> None:
    client = browser()
    begun = client.get("/api/oidc/login")
    url = sign_in_there(begun.headers["location"], new_user_name())
    assert come_back(client, url).status_code == 303

    assert come_back(client, url).status_code == 401


def test_another_browser_cannot_finish_it(browser: Open) -> None:
    mine, theirs = browser(), browser()
    url = sign_in_there(mine.get("/api/oidc/login").headers["location"], new_user_name())
    theirs.get("/api/oidc/login")

    answer = come_back(theirs, url)

    assert answer.status_code == 401
    assert "begin it again" in answer.json()["message"]
    assert "sparks_session" not in answer.headers.get("set-cookie", "")
    assert who_is_in(theirs) is None


def test_a_failed_sign_in_leads_to_the_sign_in_page(browser: Open) -> None:
    answer = come_back(browser(), httpx.URL("/api/oidc/callback?code=a&state=b"), headers=BROWSER)

    assert (answer.status_code, answer.headers["location"]) == (303, "/signin?error=BEGIN_AGAIN")


def test_giving_up_leads_to_the_sign_in_page(browser: Open) -> None:
    client = browser()
    url = give_up_there(client.get("/api/oidc/login").headers["location"])

    answer = come_back(client, url, headers=BROWSER)

    assert answer.headers["location"] == "/signin?error=GAVE_UP"
    assert 'sparks_oidc="";' in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    ("name", "settings", "code"),
    [
        ("unverified", {}, "EMAIL_NOT_VERIFIED"),
        ("unverified", {"oidc_trust_email": True}, "EMAIL_NOT_VERIFIED"),
        ("nameless", {}, "NO_EMAIL"),
        ("somebody", {"oidc_sign_up": False}, "BY_INVITATION"),
    ],
)
def test_a_refused_user_learns_the_reason(browser: Open, name: str, settings: dict[str, bool], code: str) -> None:
    login = f"{name}-{uuid4().hex[:12]}"

    result = sign_in(browser(**settings), login)
    shown = sign_in(browser(**settings), login, headers=BROWSER)

    assert (result.status_code, result.json()["error"]) == (403, "NOT_ALLOWED")
    assert shown.headers["location"] == f"/signin?error={code}"
    assert "sparks_session" not in shown.headers["set-cookie"]


def test_an_account_is_found_by_its_address_only_where_the_provider_is_trusted(
    browser: Open, table: MemoryTable
) -> None:
    name = new_user_name()
    add_member(f"{name}@example.org", table)

    refused = sign_in(browser(), name, headers=BROWSER)
    assert refused.headers["location"] == "/signin?error=EMAIL_TAKEN"

    trusting = browser(oidc_trust_email=True)
    assert sign_in(trusting, name).status_code == 303
    assert who_is_in(trusting) == f"{name}@example.org"


@pytest.mark.parametrize("path", ["//evil.org", "/\\evil.org", "https://evil.org", "/\t/evil.org"])
def test_next_leads_to_no_other_site(browser: Open, path: str) -> None:
    client = browser()

    assert client.get("/api/oidc/login", params={"next": path}).status_code == 400
    shown = client.get("/api/oidc/login", params={"next": path}, headers=BROWSER)
    assert shown.headers["location"] == "/signin?error=BAD_INPUT"


def test_a_provider_that_cannot_be_reached_is_reported(browser: Open) -> None:
    client = browser(oidc_issuer=f"http://127.0.0.1:{free_port()}")

    result = client.get("/api/oidc/login")
    assert (result.status_code, result.json()["error"]) == (503, "UNAVAILABLE")
    shown = client.get("/api/oidc/login", headers=BROWSER)
    assert (shown.status_code, shown.headers["location"]) == (303, "/signin?error=UNAVAILABLE")


def test_over_plain_http_no_sign_in_begins(browser: Open) -> None:
    answer = browser(site="http://photos.example.org").get("/api/oidc/login")

    assert answer.status_code == 403
    assert "with TLS in front" in answer.json()["message"]


def test_without_a_provider_the_routes_are_not_found(browser: Open, table: MemoryTable) -> None:
    client = browser(oidc_issuer=None, oidc_client_id=None)
    add_member("ada@example.org", table)
    sign_in_with_password(client, "ada@example.org")

    for method, path in (
        ("GET", "/api/oidc/login"),
        ("GET", "/api/oidc/callback?code=a&state=b"),
        ("POST", "/api/me/identities"),
    ):
        answer = client.request(method, path, headers=CSRF, json={} if method == "POST" else None)
        assert (answer.status_code, "SPARKS_OIDC_ISSUER" in answer.json()["message"]) == (404, True)
    assert client.delete("/api/session", headers=CSRF).json() == {}


def test_signing_out_returns_the_logout_url_of_the_provider(browser: Open, table: MemoryTable) -> None:
    client = browser()
    sign_in(client, new_user_name())
    url = client.delete("/api/session", headers=CSRF).json()["logoutUrl"]
    assert urlsplit(url).netloc == urlsplit(oidc_provider()).netloc
    assert who_is_in(client) is None

    add_member("ada@example.org", table)
    sign_in_with_password(client, "ada@example.org")
    assert client.delete("/api/session", headers=CSRF).json() == {}
