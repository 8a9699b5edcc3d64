"""Signing in and out."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.api.http.authentication import FORGED
from sparks.auth.passwords import WRONG_CREDENTIALS
from sparks.auth.sessions import SESSION_OVER
from sparks.library.accounts.lifecycle import begin_removal
from tests.api.client import Client, refusal
from tests.api.community import CSRF, HERE, PASSWORD, Community
from tests.factories import a_user

SESSION = "/api/session"
PROFILE = "/api/me/profile"
EVE = "eve@example.com"


@pytest.fixture
def community(tmp_path: Path) -> Community:
    """Eve has a password; Ann, who has none, signs in elsewhere."""
    community = Community(tmp_path)
    community.join(a_user(EVE), password=PASSWORD)
    return community


@pytest.fixture
def eve(browser: Client) -> Client:
    """A browser in which Eve is signed in."""
    assert sign_in(browser).status_code == 200
    return browser


def sign_in(browser: Client, email: str = EVE, password: str = PASSWORD, **options: Any) -> httpx.Response:
    return browser.post(SESSION, json={"email": email, "password": password}, **options)


def entries(community: Community, browser: Client) -> list[tuple[str, str, str | None]]:
    """The audit log, oldest first: user, action and target."""
    answer = browser.get("/api/admin/audit", headers=community.session_of(community.carol))
    return [(each["who"], each["action"], each.get("target")) for each in reversed(answer.json()["entries"])]


# -- Signing in


def test_the_right_password_signs_in(browser: Client) -> None:
    answer = sign_in(browser)
    assert answer.status_code == 200
    assert answer.json() == {
        "email": EVE,
        "username": "eve",
        "role": "member",
        "createdAt": "2025-08-01T12:00:00.000Z",
    }
    assert browser.get(PROFILE).json()["email"] == EVE


def test_an_email_address_may_have_spaces_around_it_and_capitals(browser: Client) -> None:
    assert sign_in(browser, "  EVE@Example.COM ").status_code == 200


def test_a_wrong_password_and_an_unknown_account_get_the_same_response(browser: Client) -> None:
    answers = [
        sign_in(browser, EVE, "wrong horse battery"),
        sign_in(browser, EVE, ""),
        sign_in(browser, EVE, "x" * 1000),
        sign_in(browser, "ann@example.com"),
        sign_in(browser, "nobody@example.com"),
        sign_in(browser, "no address"),
        sign_in(browser, ""),
    ]
    assert {refusal(answer) for answer in answers} == {(401, "NOT_SIGNED_IN", WRONG_CREDENTIALS)}
    assert all("set-cookie" not in answer.headers for answer in answers)


def test_an_account_that_is_being_removed_cannot_sign_in(community: Community, browser: Client) -> None:
    begin_removal(EVE, at=community.at, table=community.table)
    assert refusal(sign_in(browser)) == (401, "NOT_SIGNED_IN", WRONG_CREDENTIALS)


def test_signing_in_again_ends_the_session_that_the_browser_had(eve: Client, elsewhere: Client) -> None:
    sign_in(elsewhere)
    before = eve.get("/api/me/sessions").json()["sessions"]
    first = next(session["sessionId"] for session in before if session["current"])
    sign_in(eve)
    after = eve.get("/api/me/sessions").json()["sessions"]
    assert len(after) == len(before) == 2
    assert first not in {session["sessionId"] for session in after}


def test_the_session_of_another_user_in_the_same_browser_ends_too(community: Community, eve: Client) -> None:
    community.join(a_user("dan@example.com"), password=PASSWORD)
    cookie = eve.get(PROFILE).request.headers["cookie"]
    sign_in(eve, "dan@example.com")
    assert eve.get(PROFILE).json()["email"] == "dan@example.com"
    with community.browser() as thief:
        assert thief.get(PROFILE, headers={"Cookie": cookie}).status_code == 401


def test_a_planted_session_cookie_is_replaced(browser: Client) -> None:
    planted = "planted." + "x" * 43
    answer = sign_in(browser, headers={"Cookie": f"sparks_session={planted}"})
    assert planted not in answer.headers["set-cookie"]
    assert browser.get(PROFILE).status_code == 200


def test_a_page_of_another_site_cannot_sign_in(browser: Client) -> None:
    for headers in ({"Origin": "https://evil.test"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert refusal(sign_in(browser, headers=headers)) == (403, "NOT_ALLOWED", FORGED)
    assert sign_in(browser, headers={"Origin": HERE, "Sec-Fetch-Site": "same-origin"}).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_of_another_site_is_no_valid_request(browser: Client, kind: str) -> None:
    body = json.dumps({"email": EVE, "password": PASSWORD}).encode()
    answer = browser.post(SESSION, content=body, headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"email": EVE},
        {"email": EVE, "password": PASSWORD, "remember": True},
        {"email": EVE, "password": None},
        {"email": 1, "password": PASSWORD},
        {"email": "x" * 401, "password": PASSWORD},
        {"email": EVE, "password": "x" * 1001},
        [],
        "text",
    ],
)
def test_a_malformed_sign_in_is_refused(browser: Client, body: object) -> None:
    answer = browser.post(SESSION, json=body)
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")
    assert PASSWORD not in answer.text


def test_the_error_names_an_unknown_field(browser: Client) -> None:
    answer = browser.post(SESSION, json={"email": EVE, "password": PASSWORD, "rememberMe": True})
    assert refusal(answer) == (422, "INVALID_REQUEST", "body.rememberMe: Extra inputs are not permitted")


def test_after_ten_wrong_passwords_an_account_must_wait(browser: Client, elsewhere: Client) -> None:
    for number in range(10):
        assert sign_in(browser if number % 2 else elsewhere, EVE, "wrong horse").status_code == 401
    refused = sign_in(browser)
    assert (refused.status_code, refused.json()["error"]) == (429, "TOO_MANY_TRIES")
    assert 1 <= int(refused.headers["Retry-After"]) <= 300
    assert "then try again" in refused.json()["message"]
    assert sign_in(browser, "nobody@example.com").status_code == 401


def test_a_right_password_resets_the_count_of_wrong_ones(browser: Client) -> None:
    for _ in range(10 - 1):
        assert sign_in(browser, EVE, "wrong horse").status_code == 401
    assert sign_in(browser).status_code == 200
    assert sign_in(browser, EVE, "wrong horse").status_code == 401


def test_an_unknown_account_must_wait_like_a_known_one(browser: Client) -> None:
    answers = [sign_in(browser, "nobody@example.com").status_code for _ in range(10 + 1)]
    assert answers == [401] * 10 + [429]


def test_after_fifty_failures_an_ip_address_must_wait(browser: Client, elsewhere: Client) -> None:
    body = {"email": "mallory@example.com", "password": PASSWORD, "invitation": "made up"}
    for _ in range(50 - 1):
        assert browser.post("/api/register", json=body).status_code == 403
    assert sign_in(browser, "nobody@example.com").status_code == 401
    assert sign_in(browser).status_code == 429
    assert sign_in(elsewhere).status_code == 200


def test_sign_ins_are_in_the_audit_log(community: Community, eve: Client) -> None:
    sign_in(eve, EVE, "wrong horse")
    sign_in(eve, "password typed as name@example.com", "wrong horse")
    eve.delete(SESSION, headers=CSRF)
    assert entries(community, eve) == [
        (EVE, "signed-in", None),
        ("unknown", "sign-in-failed", EVE),
        ("unknown", "sign-in-failed", None),
        (EVE, "signed-out", None),
    ]


# -- Signing out


def test_signing_out_ends_the_session_at_once(community: Community, eve: Client) -> None:
    cookie = eve.get(PROFILE).request.headers["cookie"]
    answer = eve.delete(SESSION, headers=CSRF)
    assert (answer.status_code, answer.json()) == (200, {})
    assert eve.get(PROFILE).status_code == 401
    with community.browser() as thief:
        assert refusal(thief.get(PROFILE, headers={"Cookie": cookie})) == (401, "NOT_SIGNED_IN", SESSION_OVER)


def test_signing_out_clears_the_cookie_and_the_browser_cache(eve: Client) -> None:
    answer = eve.delete(SESSION, headers=CSRF)
    assert answer.headers["set-cookie"].startswith('sparks_session=""')
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert answer.headers["Clear-Site-Data"] == '"cache"'
    assert "cookie" not in eve.get(PROFILE).request.headers


def test_signing_out_keeps_the_sessions_of_other_browsers(eve: Client, elsewhere: Client) -> None:
    sign_in(elsewhere)
    eve.delete(SESSION, headers=CSRF)
    assert elsewhere.get(PROFILE).status_code == 200


def test_signing_out_needs_a_session(browser: Client) -> None:
    assert browser.delete(SESSION).status_code == 401


def test_a_key_has_no_session_to_end(community: Community, browser: Client) -> None:
    assert refusal(browser.delete(SESSION, headers=community.key_of(community.ann))) == (
        403,
        "NOT_ALLOWED",
        "no API key or token may sign out: sign in in a browser for that",
    )
