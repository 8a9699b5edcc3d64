"""Creation of the first administrator, and registration."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.api.http.authentication import FORGED
from sparks.auth.invitations import INVALID_INVITATION
from sparks.auth.setup_token import ALREADY_SET_UP, WRONG_LINK
from tests.api.client import Client, refusal
from tests.api.community import PASSWORD, Community
from tests.factories import ANN, a_user

EVE = "eve@example.com"
TAKEN = "there is an account with this e-mail address already: sign in, or use another address"


@pytest.fixture
def new(tmp_path: Path) -> Community:
    """A server without users."""
    return Community(tmp_path, people=False)


@pytest.fixture
def visitor(new: Community) -> Iterator[Client]:
    with new.browser() as visitor:
        yield visitor


def set_up(visitor: Client, token: str, *, headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
    body = {"token": token, "email": EVE, "password": PASSWORD, **body}
    return visitor.post("/api/setup", json=body, headers=headers)


def register(visitor: Client, *, headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
    return visitor.post("/api/register", json={"email": EVE, "password": PASSWORD, **body}, headers=headers)


# -- The first administrator


def test_the_printed_token_creates_the_administrator_and_signs_them_in(new: Community, visitor: Client) -> None:
    answer = set_up(visitor, new.setup.text, email="Eve@Example.com", username="Eve")
    assert answer.status_code == 201
    assert answer.json() == {
        "email": EVE,
        "username": "Eve",
        "role": "admin",
        "createdAt": "2025-08-01T12:00:00.000Z",
    }
    assert visitor.get("/api/invitations").status_code == 200
    assert visitor.get("/api/me/limit").json() == {
        "limit": 500,
        "used": 0,
        "bytesLeft": 50 * 10**9,
        "bytesUsed": 0,
    }
    assert [entry["action"] for entry in visitor.get("/api/admin/audit").json()["entries"]] == ["signed-in", "set-up"]


def test_without_a_name_the_user_is_named_after_their_address(new: Community, visitor: Client) -> None:
    assert set_up(visitor, new.setup.text).json()["username"] == "eve"


def test_set_up_is_not_found_once_there_is_an_administrator(new: Community, visitor: Client) -> None:
    set_up(visitor, new.setup.text)
    for token in (new.setup.text, "guessed"):
        assert refusal(set_up(visitor, token, email="mallory@example.com")) == (404, "NOT_FOUND", ALREADY_SET_UP)


def test_an_administrator_made_on_the_command_line_ends_set_up_too(community: Community, browser: Client) -> None:
    assert refusal(set_up(browser, community.setup.text)) == (404, "NOT_FOUND", ALREADY_SET_UP)


def test_a_member_made_on_the_command_line_does_not_end_set_up(new: Community, visitor: Client) -> None:
    new.join(a_user(ANN))
    assert set_up(visitor, new.setup.text).status_code == 201


def test_a_wrong_token_creates_no_administrator(new: Community, visitor: Client) -> None:
    for token in ("", "x", new.setup.text[:-1], "é"):
        assert refusal(set_up(visitor, token)) == (403, "NOT_ALLOWED", WRONG_LINK)
    assert set_up(visitor, new.setup.text).status_code == 201


def test_attempts_with_wrong_tokens_are_limited(new: Community, visitor: Client) -> None:
    statuses = [set_up(visitor, "guessed").status_code for _ in range(20 + 1)]
    assert statuses == [403] * 20 + [429]
    refused = set_up(visitor, new.setup.text)
    assert (refused.status_code, refused.json()["error"]) == (429, "TOO_MANY_TRIES")
    assert 1 <= int(refused.headers["Retry-After"]) <= 300


def test_an_address_that_is_taken_can_be_no_new_administrator(new: Community, visitor: Client) -> None:
    new.join(a_user(EVE))
    assert refusal(set_up(visitor, new.setup.text)) == (409, "ALREADY_THERE", TAKEN)


def test_no_page_of_another_site_sets_sparks_up(new: Community, visitor: Client) -> None:
    answer = set_up(visitor, new.setup.text, headers={"Origin": "https://evil.test"})
    assert refusal(answer) == (403, "NOT_ALLOWED", FORGED)


# -- Choices


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"email": "eve"}, "that is not an e-mail address"),
        ({"email": "eve@"}, "that is not an e-mail address"),
        ({"email": "a b@example.com"}, "that is not an e-mail address"),
        ({"email": "eve@exa mple.com"}, "that is not an e-mail address"),
        ({"email": "guest:1@example.com"}, "an e-mail address cannot begin with guest:"),
        ({"email": "eve..x@example.com"}, "that is not an e-mail address: "),
        ({"email": f"{'x' * 300}@example.com"}, "that is not an e-mail address"),
        ({"password": "short"}, "a password has at least 10 characters"),
        ({"password": "x" * 257}, "a password has at most 256 characters"),
        ({"password": "1234567890"}, "this password is one of the first that others would try"),
        ({"password": "Eve@Example.com"}, "this password is one of the first that others would try"),
        ({"password": "aaaaaaaaaaaa"}, "this password is one of the first that others would try"),
        ({"username": ""}, "a name has 1 to 60 characters"),
        ({"username": "  "}, "a name has 1 to 60 characters"),
        ({"username": "x" * 61}, "a name has 1 to 60 characters"),
        ({"username": "two\nlines"}, "a name has 1 to 60 characters"),
        ({"username": "\u202eevil"}, "a name has 1 to 60 characters"),
    ],
)
def test_a_bad_address_name_or_password_is_refused_with_the_reason(
    new: Community, visitor: Client, body: dict[str, Any], message: str
) -> None:
    status, code, result = refusal(set_up(visitor, new.setup.text, **body))
    assert (status, code) == (400, "BAD_INPUT")
    assert result.startswith(message)
    assert body.get("password", "swordfish") not in result


@pytest.mark.parametrize("path", ["/api/setup", "/api/register"])
def test_an_unknown_field_is_refused(community: Community, browser: Client, path: str) -> None:
    body = {"token": "x", "email": EVE, "password": PASSWORD, "role": "admin"}
    answer = browser.post(path, json=body)
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")
    assert "body.role: Extra inputs are not permitted" in answer.json()["message"]


# -- Registering


def test_registration_is_closed_unless_it_is_opened(browser: Client) -> None:
    assert refusal(register(browser)) == (
        403,
        "NOT_ALLOWED",
        "registration is by invitation here: ask an administrator for one",
    )


def test_open_registration_needs_no_invitation(tmp_path: Path) -> None:
    community = Community(tmp_path, registration="open", upload_limit=7, upload_limit_bytes=1000)
    with community.browser() as visitor:
        answer = register(visitor, username="Eve")
        assert (answer.status_code, answer.json()["role"]) == (201, "member")
        limit = visitor.get("/api/me/limit").json()
        assert limit == {"limit": 7, "used": 0, "bytesLeft": 1000, "bytesUsed": 0}


def test_an_invitation_makes_an_account_with_its_role_and_limit(community: Community, browser: Client) -> None:
    invitation = community.invite(role="admin", limit=3, bytesLeft=5)
    answer = register(browser, invitation=invitation)
    assert (answer.status_code, answer.json()["role"]) == (201, "admin")
    assert browser.get("/api/me/limit").json()["limit"] == 3
    assert browser.get("/api/me/limit").json()["bytesLeft"] == 5
    made = next(e for e in browser.get("/api/admin/audit").json()["entries"] if e["action"] == "user-made")
    assert (made["who"], made["target"]) == (EVE, EVE)
    assert made["details"] == {"role": "admin", "invitation": invitation.partition(".")[0]}


def test_a_plain_invitation_makes_a_member_with_the_default_limit(community: Community, browser: Client) -> None:
    assert register(browser, invitation=community.invite()).json()["role"] == "member"
    assert browser.get("/api/me/limit").json()["limit"] == 500


def test_an_invitation_is_valid_for_its_number_of_uses(community: Community, browser: Client) -> None:
    twice, always = community.invite(uses=2), community.invite(uses=0)
    for number in range(2):
        assert register(browser, invitation=twice, email=f"t{number}@example.com").status_code == 201
    assert refusal(register(browser, invitation=twice)) == (403, "NOT_ALLOWED", INVALID_INVITATION)
    for number in range(3):
        assert register(browser, invitation=always, email=f"a{number}@example.com").status_code == 201


def test_a_taken_address_does_not_use_an_invitation_up(community: Community, browser: Client) -> None:
    invitation = community.invite()
    assert refusal(register(browser, invitation=invitation, email=ANN)) == (409, "ALREADY_THERE", TAKEN)
    assert register(browser, invitation=invitation).status_code == 201


def test_an_invitation_expires_after_a_week(community: Community, browser: Client) -> None:
    invitation = community.invite()
    community.pass_time(days=7)
    assert refusal(register(browser, invitation=invitation)) == (403, "NOT_ALLOWED", INVALID_INVITATION)


def test_a_revoked_invitation_is_refused(community: Community, browser: Client) -> None:
    invitation = community.invite()
    path = f"/api/invitations/{invitation.partition('.')[0]}"
    assert browser.delete(path, headers=community.key_of(community.carol)).status_code == 204
    assert refusal(register(browser, invitation=invitation)) == (403, "NOT_ALLOWED", INVALID_INVITATION)


def test_an_unknown_invitation_gets_the_same_response_as_an_expired_one(community: Community, browser: Client) -> None:
    invitation = community.invite()
    for text in ("", "x", invitation[:-1], f"{invitation.partition('.')[0]}.{'x' * 43}"):
        assert refusal(register(browser, invitation=text)) == (403, "NOT_ALLOWED", INVALID_INVITATION)


def test_attempts_with_wrong_invitations_are_limited(browser: Client) -> None:
    statuses = [register(browser, invitation="made up").status_code for _ in range(50 + 1)]
    assert statuses == [403] * 50 + [429]


def test_a_page_of_another_site_cannot_register(community: Community, browser: Client) -> None:
    answer = register(browser, invitation=community.invite(), headers={"Sec-Fetch-Site": "cross-site"})
    assert refusal(answer) == (403, "NOT_ALLOWED", FORGED)


def test_registering_replaces_the_session_of_the_browser(community: Community, browser: Client) -> None:
    cookie = {"Cookie": community.session_of(community.ann)["Cookie"]}
    assert register(browser, invitation=community.invite(), headers=cookie).status_code == 201
    assert browser.get("/api/me/profile").json()["email"] == EVE
    with community.browser() as thief:
        assert thief.get("/api/me/profile", headers=cookie).status_code == 401
