"""API keys: scoped, expiring, shown once, and unable to create others."""

import itertools
import re
from typing import Any

import httpx
import pytest

from sparks.auth.api_keys import BAD_KEY, MAX_KEYS, make_key
from sparks.model.credential import KeyScope
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers, as_bearer
from tests.factories import ANN

KEYS = "/api/me/keys"
PROFILE = "/api/me/profile"
NO_KEY = "you have no such API key: it has expired or was revoked already"
BY_BROWSER = "no API key or token may manage own sessions, keys and identities: sign in in a browser for that"


def make(browser: Client, headers: Headers, **body: Any) -> httpx.Response:
    return browser.post(KEYS, json={"name": "backup script", **body}, headers=headers)


def test_a_new_key_is_shown_and_works(browser: Client, ann: Headers) -> None:
    answer = make(browser, ann, scopes=["read", "upload"], expiresAt="2025-09-01T00:00:00+02:00")
    assert answer.status_code == 201
    made = answer.json()
    key = made.pop("key")
    assert re.fullmatch(rf"sk_{made['id']}\.[A-Za-z0-9_-]{{43}}", key)
    assert made == {
        "id": made["id"],
        "name": "backup script",
        "scopes": ["read", "upload"],
        "createdAt": "2025-08-01T12:00:00.000Z",
        "expiresAt": "2025-08-31T22:00:00.000Z",
    }
    assert browser.get(PROFILE, headers=as_bearer(key)).json()["email"] == ANN


def test_the_secret_of_a_key_is_shown_only_once(community: Community, browser: Client, ann: Headers) -> None:
    key = make(browser, ann).json()["key"]
    listed = browser.get(KEYS, headers=ann)
    assert key.partition(".")[2] not in listed.text
    assert all("key" not in each and "hash" not in each for each in listed.json()["keys"])
    stored = str(community.table.__dict__)
    assert key.partition(".")[2] not in stored


def test_keys_are_listed_oldest_first_with_their_last_use(community: Community, browser: Client, ann: Headers) -> None:
    first = make(browser, ann, name="first").json()["key"]
    community.pass_time(hours=1)
    make(browser, ann, name="second")
    community.key_of(community.bob)
    browser.get(PROFILE, headers=as_bearer(first))
    listed = browser.get(KEYS, headers=ann).json()["keys"]
    assert [(key["name"], key.get("lastUsedAt")) for key in listed] == [
        ("first", "2025-08-01T13:00:00.000Z"),
        ("second", None),
    ]


def test_a_key_without_scopes_has_every_scope_of_its_owners_role(
    community: Community, browser: Client, ann: Headers
) -> None:
    assert make(browser, ann).json()["scopes"] == ["edit", "people", "read", "upload"]
    carol = community.session_of(community.carol)
    assert make(browser, carol).json()["scopes"] == ["admin", "edit", "people", "read", "upload"]


def test_no_key_has_a_scope_beyond_its_owners_role(browser: Client, ann: Headers) -> None:
    assert refusal(make(browser, ann, scopes=["read", "admin"])) == (
        403,
        "NOT_ALLOWED",
        "your role does not allow a key with the scope admin",
    )
    assert browser.get(KEYS, headers=ann).json() == {"keys": []}


def test_a_key_without_any_scope_is_refused(browser: Client, ann: Headers) -> None:
    assert refusal(make(browser, ann, scopes=[])) == (
        400,
        "BAD_INPUT",
        "a key needs a scope: edit, people, read, upload",
    )


@pytest.mark.parametrize(
    "body",
    [
        {"scopes": ["fly"]},
        {"scopes": "read"},
        {"scopes": ["read"] * 6},
        {"expiresAt": "2030-01-01T00:00:00"},
        {"expiresAt": "tomorrow"},
        {"expiresAt": "2030-01-01"},
        {"expiresAt": 1893456000},
        {"expiresAt": "1893456000"},
        {"name": None},
        {"name": "x" * 401},
        {"email": ANN},
    ],
)
def test_a_malformed_request_for_a_key_is_refused(browser: Client, ann: Headers, body: dict[str, Any]) -> None:
    answer = make(browser, ann, **body)
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")
    assert next(iter(body)) in answer.json()["message"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": " "}, "a name has 1 to 60 characters that can be seen, in one line"),
        ({"name": "x" * 61}, "a name has 1 to 60 characters that can be seen, in one line"),
        ({"expiresAt": "2025-08-01T12:00:00Z"}, "a key must expire in the future: choose a later time, or none"),
        ({"expiresAt": "1970-01-01T00:00:00Z"}, "a key must expire in the future: choose a later time, or none"),
        ({"expiresAt": "9999-12-31T23:59:59-12:00"}, "out of the calendar: 9999-12-31 23:59:59-12:00"),
    ],
)
def test_a_key_needs_a_name_and_an_expiry_in_the_future(
    browser: Client, ann: Headers, body: dict[str, str], message: str
) -> None:
    assert refusal(make(browser, ann, **body)) == (400, "BAD_INPUT", message)


def test_an_expired_key_is_refused(community: Community, browser: Client, ann: Headers) -> None:
    key = as_bearer(make(browser, ann, expiresAt="2025-08-02T12:00:00Z").json()["key"])
    community.pass_time(hours=23)
    assert browser.get(PROFILE, headers=key).status_code == 200
    community.pass_time(hours=1)
    assert refusal(browser.get(PROFILE, headers=key)) == (401, "NOT_SIGNED_IN", BAD_KEY)
    assert browser.get(KEYS, headers=ann).json() == {"keys": []}


def test_a_revoked_key_is_refused_at_once(browser: Client, ann: Headers) -> None:
    made = make(browser, ann).json()
    answer = browser.delete(f"{KEYS}/{made['id']}", headers=ann)
    assert (answer.status_code, answer.content) == (204, b"")
    assert refusal(browser.get(PROFILE, headers=as_bearer(made["key"]))) == (401, "NOT_SIGNED_IN", BAD_KEY)
    assert refusal(browser.delete(f"{KEYS}/{made['id']}", headers=ann)) == (404, "NOT_FOUND", NO_KEY)


def test_the_key_of_another_user_is_not_found(community: Community, browser: Client, ann: Headers) -> None:
    bobs = community.key_of(community.bob)
    key_id = bobs["Authorization"].removeprefix("Bearer sk_").partition(".")[0]
    for each in (key_id, "made-up"):
        assert refusal(browser.delete(f"{KEYS}/{each}", headers=ann)) == (404, "NOT_FOUND", NO_KEY)
    assert browser.get(PROFILE, headers=bobs).status_code == 200


def scope_sets() -> list[tuple[KeyScope, ...]]:
    return [each for size in range(1, len(KeyScope) + 1) for each in itertools.combinations(KeyScope, size)]


def test_no_key_creates_lists_or_revokes_keys(community: Community, browser: Client) -> None:
    """Immich's CVE-2026-23896: a key widened its own scopes."""
    for scopes in scope_sets():
        key = community.key_of(community.carol, *scopes)
        key_id = key["Authorization"].removeprefix("Bearer sk_").partition(".")[0]
        for answer in (
            make(browser, key, scopes=["read"]),
            browser.get(KEYS, headers=key),
            browser.delete(f"{KEYS}/{key_id}", headers=key),
        ):
            assert refusal(answer) == (403, "NOT_ALLOWED", BY_BROWSER)
        for method in ("PUT", "PATCH"):
            assert browser.request(method, f"{KEYS}/{key_id}", json={}, headers=key).status_code == 405


def test_the_number_of_keys_of_an_account_is_limited(community: Community, browser: Client, ann: Headers) -> None:
    for _ in range(MAX_KEYS):
        make_key(community.ann, name="one of many", at=community.at, table=community.table)
    assert refusal(make(browser, ann)) == (
        403,
        "NOT_ALLOWED",
        "an account has at most 100 keys: revoke those that are not used",
    )


def test_creating_and_revoking_a_key_is_in_the_audit_log(community: Community, browser: Client, ann: Headers) -> None:
    made = make(browser, ann).json()
    browser.delete(f"{KEYS}/{made['id']}", headers=ann)
    answer = browser.get("/api/admin/audit", headers=community.session_of(community.carol))
    trail = [(each["who"], each["action"], each["target"], each.get("details")) for each in answer.json()["entries"]]
    assert trail == [
        (ANN, "key-revoked", made["id"], None),
        (ANN, "key-made", ANN, {"key": made["id"], "name": "backup script"}),
    ]
    assert made["key"].partition(".")[2] not in answer.text
