"""Sign-in with an OpenID Connect provider in a browser, linked identities, and tokens on API calls."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI

from sparks.api.app import create_app
from sparks.api.http.middleware.request_limits import MAX_HEADER_BYTES
from sparks.api.http.openapi import CSRF_HEADER
from sparks.auth.account_creation import NewAccount, UploadAllowance, add_user
from sparks.auth.api_keys import make_key
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Stores
from sparks.library.accounts.users import get_user
from sparks.metrics import Metrics
from sparks.model import times
from sparks.settings import Settings
from sparks.table.memory import MemoryTable
from tests.api.client import Client
from tests.api.conftest import KEYRING
from tests.auth.oidc.attacks import ATTACKS, good_payload, holds_piece
from tests.auth.oidc.forged_tokens import rsa_signer
from tests.auth.oidc.issuer import running_issuer
from tests.servers.cognito import new_pool
from tests.servers.oidc import SECURE_SITE, SITE, give_up_there, oidc_provider, sign_in_there
from tests.servers.process import free_port

BROWSER: Final = {"Accept": "text/html,application/xhtml+xml"}
CSRF: Final = {CSRF_HEADER: "1"}
PASSWORD: Final = "correct horse battery staple"

Open = Callable[..., Client]


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


def oidc_app(settings: Settings, table: MemoryTable) -> FastAPI:
    stores = Stores(table=table, blobs=MemoryBlobs(), jobs=MemoryJobs(), keyring=KEYRING)
    return create_app(stores=stores, settings=settings, metrics=Metrics())


@pytest.fixture
def browser(table: MemoryTable, tmp_path: Path) -> Iterator[Open]:
    """A browser and a server of its own; by default the server uses the real provider."""
    with ExitStack() as stack:

        def opened(*, site: str = SITE, **settings: Any) -> Client:
            result: dict[str, Any] = {"oidc_issuer": oidc_provider(), "oidc_client_id": "public"} | settings
            app = oidc_app(Settings(data=tmp_path, public_url=site, **result), table)
            return stack.enter_context(Client(app, site=site))

        yield opened


def new_user_name() -> str:
    return f"somebody-{uuid4().hex[:12]}"


def come_back(client: Client, url: httpx.URL, **options: Any) -> httpx.Response:
    return client.get(f"{url.path}?{url.query.decode()}", **options)


def sign_in(client: Client, name: str, *, next_path: str = "/", **options: Any) -> httpx.Response:
    """Signs in at the provider as `name`, and returns."""
    begun = client.get("/api/oidc/login", params={"next": next_path})
    assert begun.status_code == 302, begun.text
    return come_back(client, sign_in_there(begun.headers["location"], name), **options)


def add_member(email: str, table: MemoryTable) -> None:
    newcomer = NewAccount.called(email, PASSWORD)
    add_user(newcomer, allowance=UploadAllowance(1, 1), by="tests", at=times.now(), table=table)


def sign_in_with_password(client: Client, email: str) -> None:
    assert client.post("/api/session", json={"email": email, "password": PASSWORD}).status_code == 200


def who_is_in(client: Client) -> str | None:
    answer = client.get("/api/me/profile")
    email: str | None = answer.json().get("email")
    return email if answer.status_code == 200 else None


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
