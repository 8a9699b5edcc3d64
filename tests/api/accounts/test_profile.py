"""One's own account: profile, upload limit, password and sessions."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.auth.passwords import MISSING_OLD, WRONG_OLD
from sparks.auth.sessions import SESSION_OVER
from sparks.library.accounts.lifecycle import begin_removal
from sparks.library.upload_limits.photo_usage import reserve_photo
from sparks.model.credential import KeyScope
from sparks.model.photo import PhotoState
from tests.api.client import Client, refusal
from tests.api.community import CSRF, PASSWORD, Community
from tests.factories import ANN, a_photo, a_user

PROFILE, LIMIT, SESSIONS = "/api/me/profile", "/api/me/limit", "/api/me/sessions"
EVE = "eve@example.com"
FRESH = "staple battery horse"
BAD_NAME = "a name has 1 to 60 characters that can be seen, in one line"
NO_SESSION = "you have no such session: it has ended already"


@pytest.fixture
def community(tmp_path: Path) -> Community:
    """Eve has a password."""
    community = Community(tmp_path)
    community.join(a_user(EVE), password=PASSWORD)
    return community


@pytest.fixture
def eve(browser: Client) -> Client:
    sign_in(browser)
    return browser


# -- Profile and limit


def test_a_profile_has_the_users_name_and_role(community: Community, browser: Client) -> None:
    answer = browser.get(PROFILE, headers=community.key_of(community.ann, KeyScope.READ))
    assert answer.json() == {
        "email": ANN,
        "username": "ann",
        "role": "member",
        "createdAt": "2025-08-01T12:00:00.000Z",
        "hasPassword": False,
    }


def test_a_profile_has_a_picture_and_a_person_once_there_are_some(community: Community, browser: Client) -> None:
    dan = a_user("dan@example.com", profile_picture="profile-pictures/dan/profile.jpg", person_id="person7")
    result = browser.get(PROFILE, headers=community.session_of(community.join(dan))).json()
    assert (result["profilePicture"], result["personId"]) == ("profile-pictures/dan/profile.jpg", "person7")


def test_a_user_changes_their_name(community: Community, browser: Client) -> None:
    headers = community.session_of(community.ann)
    answer = browser.patch(PROFILE, json={"username": "  Ann-Zoe\u0301 "}, headers=headers)
    assert (answer.status_code, answer.json()["username"]) == (200, "Ann-Zo\u00e9")
    assert browser.get(PROFILE, headers=headers).json()["username"] == "Ann-Zo\u00e9"


@pytest.mark.parametrize("name", ["", "   ", "x" * 61, "a\nb", "\u202eevil", "a\u0007b"])
def test_an_empty_too_long_or_unprintable_name_is_refused(community: Community, browser: Client, name: str) -> None:
    answer = browser.patch(PROFILE, json={"username": name}, headers=community.session_of(community.ann))
    assert refusal(answer) == (400, "BAD_INPUT", BAD_NAME)


@pytest.mark.parametrize("body", [{}, {"username": None}, {"username": "x" * 401}, {"role": "admin", "username": "A"}])
def test_nothing_else_of_a_profile_can_be_changed(community: Community, browser: Client, body: object) -> None:
    answer = browser.patch(PROFILE, json=body, headers=community.session_of(community.ann))
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")
    assert browser.get(PROFILE, headers=community.session_of(community.ann)).json()["role"] == "member"


def test_a_limit_has_what_is_left_and_what_is_used(community: Community, browser: Client) -> None:
    reserve_photo(a_photo(owner=ANN, state=PhotoState.RESERVED, file_size=400), table=community.table)
    assert browser.get(LIMIT, headers=community.key_of(community.ann, KeyScope.READ)).json() == {
        "limit": 499,
        "used": 1,
        "bytesLeft": 10**9 - 400,
        "bytesUsed": 400,
    }


def test_an_account_that_is_being_removed_is_signed_out(community: Community, browser: Client) -> None:
    session, key = community.session_of(community.ann), community.key_of(community.ann)
    begin_removal(ANN, at=community.at, table=community.table)
    for headers in (session, key):
        assert browser.get(PROFILE, headers=headers).status_code == 401


# -- Password


def sign_in(browser: Client, password: str = PASSWORD) -> httpx.Response:
    return browser.post("/api/session", json={"email": EVE, "password": password})


def change_password(browser: Client, headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
    body = {"oldPassword": PASSWORD, "newPassword": FRESH, **body}
    known = {name: value for name, value in body.items() if value is not None}
    return browser.put("/api/me/password", json=known, headers=CSRF | (headers or {}))


def test_a_new_password_replaces_the_old_one(eve: Client, elsewhere: Client) -> None:
    answer = change_password(eve)
    assert (answer.status_code, answer.json()["email"]) == (200, EVE)
    assert sign_in(elsewhere).status_code == 401
    assert sign_in(elsewhere, FRESH).status_code == 200


def test_a_new_password_ends_all_sessions_but_that_of_this_browser(
    community: Community, eve: Client, elsewhere: Client
) -> None:
    sign_in(elsewhere)
    before = eve.get(PROFILE).request.headers["cookie"]
    change_password(eve)
    assert refusal(elsewhere.get(PROFILE)) == (401, "NOT_SIGNED_IN", SESSION_OVER)
    assert [session["current"] for session in eve.get(SESSIONS).json()["sessions"]] == [True]
    with community.browser() as thief:
        assert thief.get(PROFILE, headers={"Cookie": before}).status_code == 401


def test_a_new_password_leaves_keys_as_they_are(community: Community, eve: Client, elsewhere: Client) -> None:
    key = eve.post("/api/me/keys", json={"name": "script"}, headers=CSRF).json()["key"]
    change_password(eve)
    assert elsewhere.get(PROFILE, headers={"Authorization": f"Bearer {key}"}).status_code == 200


def test_a_password_is_not_changed_without_the_old_one(eve: Client) -> None:
    for old in ("wrong horse battery", ""):
        assert refusal(change_password(eve, oldPassword=old)) == (403, "NOT_ALLOWED", WRONG_OLD)
    assert refusal(change_password(eve, oldPassword=None)) == (403, "NOT_ALLOWED", MISSING_OLD)
    assert sign_in(eve).status_code == 200


def test_attempts_with_a_wrong_old_password_are_limited(eve: Client) -> None:
    tries = [change_password(eve, oldPassword="wrong horse").status_code for _ in range(10)]
    assert set(tries) == {403}
    refused = change_password(eve)
    assert (refused.status_code, refused.json()["error"]) == (429, "TOO_MANY_TRIES")


@pytest.mark.parametrize("password", ["short", "x" * 257, "1234567890", "eve@example.com"])
def test_a_weak_password_is_refused(eve: Client, password: str) -> None:
    answer = change_password(eve, newPassword=password)
    assert (answer.status_code, answer.json()["error"]) == (400, "BAD_INPUT")
    assert sign_in(eve).status_code == 200


def test_a_first_password_needs_no_old_one(community: Community, browser: Client) -> None:
    headers = {"Cookie": community.session_of(community.ann)["Cookie"]}
    assert change_password(browser, headers, oldPassword=None).status_code == 200
    assert browser.post("/api/session", json={"email": ANN, "password": FRESH}).status_code == 200


def test_no_key_changes_a_password(community: Community, browser: Client) -> None:
    answer = change_password(browser, community.key_of(community.carol))
    assert refusal(answer) == (
        403,
        "NOT_ALLOWED",
        "no API key or token may manage own sessions, keys and identities: sign in in a browser for that",
    )


def test_a_change_of_the_password_is_in_the_audit_log(community: Community, eve: Client) -> None:
    change_password(eve)
    trail = eve.get("/api/admin/audit", headers=community.key_of(community.carol)).json()["entries"]
    assert (EVE, "password-changed") in {(entry["who"], entry["action"]) for entry in trail}


# -- Sessions


def test_sessions_are_listed_newest_first_with_the_name_of_the_browser(community: Community, browser: Client) -> None:
    community.session_of(community.ann, device="Firefox\n on Linux" + "x" * 300)
    community.session_of(community.bob)
    community.pass_time(hours=2)
    here = community.session_of(community.ann)
    newest, oldest = browser.get(SESSIONS, headers=here).json()["sessions"]
    assert newest == {
        "sessionId": here["Cookie"].partition("=")[2].partition(".")[0],
        "createdAt": "2025-08-01T14:00:00.000Z",
        "lastUsedAt": "2025-08-01T14:00:00.000Z",
        "expiresAt": "2025-08-31T14:00:00.000Z",
        "current": True,
    }
    assert oldest["device"] == ("Firefox  on Linux" + "x" * 300)[:200]
    assert oldest["current"] is False


def test_an_ended_session_is_not_listed(community: Community, browser: Client) -> None:
    community.session_of(community.ann)
    community.at += timedelta(days=30)
    assert len(browser.get(SESSIONS, headers=community.session_of(community.ann)).json()["sessions"]) == 1


def test_using_a_session_extends_it_now_and_then(community: Community, browser: Client) -> None:
    headers = community.session_of(community.ann)
    ends = []
    for minutes in (30, 30, 1):
        community.pass_time(minutes=minutes)
        browser.get(PROFILE, headers=headers)
        ends.append(browser.get(SESSIONS, headers=headers).json()["sessions"][0]["expiresAt"])
    assert ends == ["2025-08-31T12:00:00.000Z", "2025-08-31T13:00:00.000Z", "2025-08-31T13:00:00.000Z"]


def id_of(headers: dict[str, str]) -> str:
    return headers["Cookie"].partition("=")[2].partition(".")[0]


def test_one_session_can_be_ended_from_another(community: Community, browser: Client) -> None:
    here, there = community.session_of(community.ann), community.session_of(community.ann)
    answer = browser.delete(f"{SESSIONS}/{id_of(there)}", headers=here)
    assert (answer.status_code, answer.content) == (204, b"")
    assert browser.get(PROFILE, headers=there).status_code == 401
    assert browser.get(PROFILE, headers=here).status_code == 200
    again = browser.delete(f"{SESSIONS}/{id_of(there)}", headers=here)
    assert refusal(again) == (404, "NOT_FOUND", NO_SESSION)


def test_the_session_of_another_user_is_not_found(community: Community, browser: Client) -> None:
    here, foreign = community.session_of(community.ann), community.session_of(community.bob)
    for session_id in (id_of(foreign), "made-up"):
        answer = browser.delete(f"{SESSIONS}/{session_id}", headers=here)
        assert refusal(answer) == (404, "NOT_FOUND", NO_SESSION)
    assert browser.get(PROFILE, headers=foreign).status_code == 200


def test_all_other_sessions_can_be_ended_at_once(community: Community, browser: Client) -> None:
    here, *others = (community.session_of(community.ann) for _ in range(4))
    foreign = community.session_of(community.bob)
    answer = browser.delete(SESSIONS, headers=here)
    assert (answer.status_code, answer.json()) == (200, {"ended": 3})
    assert [session["current"] for session in browser.get(SESSIONS).json()["sessions"]] == [True]
    with community.browser() as elsewhere:
        statuses = [elsewhere.get(PROFILE, headers=each).status_code for each in (here, *others, foreign)]
    assert statuses == [*[401] * 4, 200]
    trail = browser.get("/api/admin/audit", headers=community.session_of(community.carol)).json()["entries"]
    assert [entry["action"] for entry in reversed(trail)] == ["sessions-ended", "signed-in"]


def test_ending_a_session_is_in_the_audit_log(community: Community, browser: Client) -> None:
    here, there = community.session_of(community.ann), community.session_of(community.ann)
    browser.delete(f"{SESSIONS}/{id_of(there)}", headers=here)
    trail = browser.get("/api/admin/audit", headers=community.session_of(community.carol)).json()["entries"]
    assert [(entry["who"], entry["action"]) for entry in trail] == [(ANN, "session-ended")]
