"""Invitations by administrators."""

from typing import Any

import httpx
import pytest

from tests.api.client import Client, refusal
from tests.api.community import CAROL, Community, Headers

INVITATIONS = "/api/invitations"
NO_INVITATION = "there is no such invitation: it has expired or was revoked already"


@pytest.fixture
def carol(community: Community) -> Headers:
    return community.session_of(community.carol)


def invite(browser: Client, headers: Headers, **body: Any) -> httpx.Response:
    return browser.post(INVITATIONS, json=body, headers=headers)


def test_by_default_an_invitation_is_for_one_member_within_a_week(browser: Client, carol: Headers) -> None:
    answer = invite(browser, carol)
    assert answer.status_code == 201
    made = answer.json()
    invitation, url = made.pop("invitation"), made.pop("url")
    assert invitation.startswith(f"{made['id']}.")
    assert url == f"http://127.0.0.1:8000/register#{invitation}"
    assert made == {
        "id": made["id"],
        "role": "member",
        "usesLeft": 1,
        "createdBy": CAROL,
        "createdAt": "2025-08-01T12:00:00.000Z",
        "expiresAt": "2025-08-08T12:00:00.000Z",
    }


def test_an_invitation_has_role_limit_uses_and_a_note(browser: Client, carol: Headers) -> None:
    body = {
        "role": "admin",
        "note": "for the choir",
        "limit": 3,
        "bytesLeft": 0,
        "uses": 20,
        "expiresAt": "2025-08-02T00:00:00.000Z",
    }
    made = invite(browser, carol, **body).json()
    assert {**body, "usesLeft": 20}.items() - {("uses", 20)} <= made.items()


def test_an_unlimited_invitation_does_not_count_down(browser: Client, carol: Headers) -> None:
    assert "usesLeft" not in invite(browser, carol, uses=0).json()


def test_the_link_of_an_invitation_is_shown_once(browser: Client, carol: Headers) -> None:
    made = invite(browser, carol, note="for Dan").json()
    listed = browser.get(INVITATIONS, headers=carol)
    assert listed.json() == {
        "invitations": [{name: value for name, value in made.items() if name not in ("invitation", "url")}]
    }
    assert made["invitation"].partition(".")[2] not in listed.text


def test_valid_invitations_are_listed_oldest_first(community: Community, browser: Client, carol: Headers) -> None:
    invite(browser, carol, note="first")
    community.pass_time(days=1)
    invite(browser, carol, note="second")
    once = invite(browser, carol).json()["invitation"]
    body = {"invitation": once, "email": "eve@example.com", "password": "correct horse battery"}
    with community.browser() as eve:
        assert eve.post("/api/register", json=body).status_code == 201
    notes = [each["note"] for each in browser.get(INVITATIONS, headers=carol).json()["invitations"]]
    assert notes == ["first", "second"]
    community.pass_time(days=6)
    notes = [each["note"] for each in browser.get(INVITATIONS, headers=carol).json()["invitations"]]
    assert notes == ["second"]


def test_a_revoked_invitation_is_not_listed(browser: Client, carol: Headers) -> None:
    made = invite(browser, carol).json()
    answer = browser.delete(f"{INVITATIONS}/{made['id']}", headers=carol)
    assert (answer.status_code, answer.content) == (204, b"")
    assert browser.get(INVITATIONS, headers=carol).json() == {"invitations": []}
    for invitation_id in (made["id"], "made-up"):
        again = browser.delete(f"{INVITATIONS}/{invitation_id}", headers=carol)
        assert refusal(again) == (404, "NOT_FOUND", NO_INVITATION)


@pytest.mark.parametrize(
    "body",
    [
        {"role": "owner"},
        {"uses": -1},
        {"uses": 100_001},
        {"limit": -1},
        {"limit": 2**63},
        {"bytesLeft": 10**16},
        {"uses": "5"},
        {"limit": False},
        {"bytesLeft": 1.5},
        {"expiresAt": "2030-01-01"},
        {"note": "x" * 401},
        {"email": "eve@example.com"},
    ],
)
def test_a_malformed_invitation_is_refused(browser: Client, carol: Headers, body: dict[str, Any]) -> None:
    answer = invite(browser, carol, **body)
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")
    assert next(iter(body)) in answer.json()["message"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"expiresAt": "2025-08-01T12:00:00Z"}, "an invitation must expire in the future: choose a later time"),
        ({"note": "\n"}, "a name has 1 to 60 characters that can be seen, in one line"),
        ({"note": "x" * 61}, "a name has 1 to 60 characters that can be seen, in one line"),
    ],
)
def test_an_invitation_with_impossible_values_is_refused(
    browser: Client, carol: Headers, body: dict[str, str], message: str
) -> None:
    assert refusal(invite(browser, carol, **body)) == (400, "BAD_INPUT", message)


def test_members_cannot_invite(community: Community, browser: Client) -> None:
    for headers in (community.session_of(community.ann), community.key_of(community.ann)):
        for answer in (
            invite(browser, headers),
            browser.get(INVITATIONS, headers=headers),
            browser.delete(f"{INVITATIONS}/x", headers=headers),
        ):
            assert (answer.status_code, answer.json()["error"]) == (403, "NOT_ALLOWED")


def test_an_api_key_does_not_invite_administrators(community: Community, browser: Client) -> None:
    """The key could register such an administrator, and get wider scopes."""
    key = community.key_of(community.carol)
    assert refusal(invite(browser, key, role="admin")) == (
        403,
        "NOT_ALLOWED",
        "an API key or token may not invite administrators: sign in in a browser",
    )
    assert invite(browser, key).status_code == 201


def test_creating_and_revoking_an_invitation_is_in_the_audit_log(
    community: Community, browser: Client, carol: Headers
) -> None:
    made = invite(browser, carol, role="admin", uses=3).json()
    browser.delete(f"{INVITATIONS}/{made['id']}", headers=carol)
    revoked, created = browser.get("/api/admin/audit", headers=carol).json()["entries"]
    assert (created["who"], created["action"]) == (CAROL, "invitation-made")
    assert created["details"] == {"role": "admin", "uses": 3}
    assert (revoked["action"], revoked["target"]) == ("invitation-revoked", made["id"])
