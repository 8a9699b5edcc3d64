"""Users, and the management of accounts by administrators."""

from typing import Any

import httpx
import pytest

from sparks.accounts.remove_account import PROGRESS_EVERY
from sparks.auth.sessions import SESSION_OVER
from sparks.journey import Journey
from sparks.library.accounts.users import LAST_ADMINISTRATOR, NO_USER
from sparks.library.records import to_item
from sparks.library.upload_limits.photo_usage import reserve_photo
from sparks.model.access import NOT_THERE
from sparks.model.account import Role
from sparks.model.credential import KeyScope
from sparks.model.errors import Unavailable
from sparks.model.events import AccountRemovalBegun
from sparks.model.photo import PhotoState
from sparks.table.port import Put
from tests.api.client import Client, refusal
from tests.api.community import CAROL, PASSWORD, Community, Headers
from tests.factories import ANN, BOB, a_photo, a_user

USERS = "/api/users"
EVE = "eve@example.com"
NO_SUCH_USER = NOT_THERE.format("user")
NO_REMOVAL = "no removal of this account is running: it is finished, or was never started"
BY_BROWSER = (
    "an API key or token may not make administrators or set passwords: sign in in a browser, or use `sparks user`"
)


@pytest.fixture
def carol(community: Community) -> Headers:
    return community.session_of(community.carol)


def add(browser: Client, headers: Headers, **body: Any) -> httpx.Response:
    return browser.post(USERS, json={"email": EVE, **body}, headers=headers)


def change(browser: Client, headers: Headers, whom: str = ANN, **body: Any) -> httpx.Response:
    return browser.patch(f"{USERS}/{whom}", json=body, headers=headers)


def trail(browser: Client, headers: Headers) -> list[tuple[str, str | None, Any]]:
    entries = browser.get("/api/admin/audit", headers=headers).json()["entries"]
    return [(entry["action"], entry.get("target"), entry.get("details")) for entry in reversed(entries)]


# -- Reading


def test_members_list_all_users(browser: Client, ann: Headers) -> None:
    answer = browser.get(USERS, headers=ann)
    assert [user["email"] for user in answer.json()["users"]] == [ANN, BOB, CAROL]
    assert answer.json()["users"][1] == {
        "email": BOB,
        "username": "bob",
        "role": "member",
        "createdAt": "2025-08-01T12:00:00.000Z",
    }


def test_the_community_is_read_page_by_page(browser: Client, ann: Headers) -> None:
    first = browser.get(USERS, params={"limit": 2}, headers=ann).json()
    assert [user["email"] for user in first["users"]] == [ANN, BOB]
    rest = browser.get(USERS, params={"cursor": first["lastEvaluatedKey"]}, headers=ann).json()
    assert [user["email"] for user in rest["users"]] == [CAROL]
    assert "lastEvaluatedKey" not in rest


def test_a_cursor_is_valid_for_its_caller_only(community: Community, browser: Client, ann: Headers) -> None:
    cursor = browser.get(USERS, params={"limit": 1}, headers=ann).json()["lastEvaluatedKey"]
    answer = browser.get(USERS, params={"cursor": cursor}, headers=community.session_of(community.bob))
    assert (answer.status_code, answer.json()["error"]) == (400, "BAD_CURSOR")


def test_members_read_a_user_without_private_fields(browser: Client, ann: Headers) -> None:
    answer = browser.get(f"{USERS}/{BOB}", headers=ann)
    assert answer.json().keys() == {"email", "username", "role", "createdAt"}
    assert browser.get(f"{USERS}/BOB@Example.com", headers=ann).json() == answer.json()


def test_administrators_see_what_a_member_may_still_upload(browser: Client, carol: Headers) -> None:
    result = browser.get(f"{USERS}/{BOB}", headers=carol).json()
    assert result["uploadLimit"] == {"limit": 500, "used": 0, "bytesLeft": 10**9, "bytesUsed": 0}


def test_an_unknown_user_is_not_found(community: Community, browser: Client, ann: Headers) -> None:
    for email in ("nobody@example.com", "nobody", "guest:1@example.com", "a@b@c", "%20", "@"):
        assert refusal(browser.get(f"{USERS}/{email}", headers=ann)) == (404, "NOT_FOUND", NO_SUCH_USER)


# -- Creating


def test_an_administrator_makes_an_account(browser: Client, carol: Headers) -> None:
    answer = add(browser, carol, email="Eve@Example.com", username="Eve", limit=7, bytesLeft=1000)
    assert answer.status_code == 201
    assert answer.json() == {
        "email": EVE,
        "username": "Eve",
        "role": "member",
        "createdAt": "2025-08-01T12:00:00.000Z",
        "uploadLimit": {"limit": 7, "used": 0, "bytesLeft": 1000, "bytesUsed": 0},
    }
    assert trail(browser, carol) == [("user-made", EVE, {"role": "member"})]


def test_an_account_has_the_usual_limit_unless_it_says_otherwise(browser: Client, carol: Headers) -> None:
    assert add(browser, carol).json()["uploadLimit"]["limit"] == 500
    none = add(browser, carol, email="dan@example.com", limit=0, bytesLeft=0).json()["uploadLimit"]
    assert (none["limit"], none["bytesLeft"]) == (0, 0)


def test_an_account_with_a_password_can_be_signed_in_to(browser: Client, elsewhere: Client, carol: Headers) -> None:
    add(browser, carol, password=PASSWORD)
    assert elsewhere.post("/api/session", json={"email": EVE, "password": PASSWORD}).status_code == 200


def test_an_address_has_one_account(browser: Client, carol: Headers) -> None:
    assert refusal(add(browser, carol, email=" ANN@example.com")) == (
        409,
        "ALREADY_THERE",
        "there is an account with this e-mail address already: sign in, or use another address",
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"email": "nobody"}, "that is not an e-mail address like ann@example.com"),
        ({"username": ""}, "a name has 1 to 60 characters that can be seen, in one line"),
        ({"password": "short"}, "a password has at least 10 characters: a few words in a row make a good one"),
    ],
)
def test_an_account_with_a_bad_address_or_password_is_not_created(
    browser: Client, carol: Headers, body: dict[str, str], message: str
) -> None:
    assert refusal(add(browser, carol, **body)) == (400, "BAD_INPUT", message)


@pytest.mark.parametrize(
    "body", [{"role": "owner"}, {"limit": -1}, {"limit": 10**9 + 1}, {"bytesLeft": "1"}, {"id": 1}, {"email": None}]
)
def test_a_malformed_request_for_an_account_is_refused(browser: Client, carol: Headers, body: dict[str, Any]) -> None:
    answer = add(browser, carol, **body)
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")
    assert next(iter(body)) in answer.json()["message"]


# -- Changing


def test_a_limit_is_what_may_be_uploaded_from_now_on(community: Community, browser: Client, carol: Headers) -> None:
    reserve_photo(a_photo(owner=ANN, state=PhotoState.RESERVED, file_size=400), table=community.table)
    answer = change(browser, carol, limit=10)
    assert answer.status_code == 200
    assert answer.json()["uploadLimit"] == {"limit": 10, "used": 1, "bytesLeft": 10**9 - 400, "bytesUsed": 400}
    assert change(browser, carol, bytesLeft=5).json()["uploadLimit"]["bytesLeft"] == 5
    assert trail(browser, carol) == [
        ("limit-changed", ANN, {"limit": 10}),
        ("limit-changed", ANN, {"bytesLeft": 5}),
    ]


def test_a_role_can_be_given_and_taken(community: Community, browser: Client, carol: Headers, ann: Headers) -> None:
    assert change(browser, carol, role="admin").json()["role"] == "admin"
    assert browser.get("/api/admin/audit", headers=ann).status_code == 200
    assert change(browser, carol, role="member").json()["role"] == "member"
    assert browser.get("/api/admin/audit", headers=ann).status_code == 403
    assert trail(browser, carol) == [
        ("role-changed", ANN, {"role": "admin", "before": "member"}),
        ("role-changed", ANN, {"role": "member", "before": "admin"}),
    ]


def test_setting_the_present_role_changes_nothing(browser: Client, carol: Headers) -> None:
    assert change(browser, carol, role="member").status_code == 200
    assert change(browser, carol).status_code == 200
    assert trail(browser, carol) == []


def test_the_last_administrator_stays_one(browser: Client, carol: Headers) -> None:
    assert refusal(change(browser, carol, CAROL, role="member")) == (409, "CONFLICT", LAST_ADMINISTRATOR)
    assert refusal(browser.delete(f"{USERS}/{CAROL}", headers=carol)) == (409, "CONFLICT", LAST_ADMINISTRATOR)


def test_an_administrator_sets_a_password_which_ends_all_sessions(
    browser: Client, elsewhere: Client, carol: Headers, ann: Headers
) -> None:
    assert change(browser, carol, password=PASSWORD).status_code == 200
    assert refusal(browser.get("/api/me/profile", headers=ann)) == (401, "NOT_SIGNED_IN", SESSION_OVER)
    assert elsewhere.post("/api/session", json={"email": ANN, "password": PASSWORD}).status_code == 200
    assert ("password-reset", ANN, None) in trail(browser, carol)


def test_a_weak_password_changes_nothing_at_all(browser: Client, carol: Headers) -> None:
    answer = change(browser, carol, role="admin", limit=1, password="short")
    assert (answer.status_code, answer.json()["error"]) == (400, "BAD_INPUT")
    assert browser.get(f"{USERS}/{ANN}", headers=carol).json()["role"] == "member"
    assert trail(browser, carol) == []


@pytest.mark.parametrize("body", [{"email": EVE}, {"username": "x"}, {"limit": -1}, {"bytesLeft": 2**63}])
def test_nothing_else_of_an_account_can_be_changed(browser: Client, carol: Headers, body: dict[str, Any]) -> None:
    answer = change(browser, carol, **body)
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")


def test_members_change_no_account_not_even_their_own(browser: Client, ann: Headers) -> None:
    for answer in (
        add(browser, ann),
        change(browser, ann, ANN, limit=10**6),
        change(browser, ann, BOB, role="admin"),
        browser.delete(f"{USERS}/{ANN}", headers=ann),
        browser.get(f"{USERS}/{BOB}/removal", headers=ann),
    ):
        assert refusal(answer) == (403, "NOT_ALLOWED", "only administrators may manage users")


def test_an_unknown_user_cannot_be_changed(browser: Client, carol: Headers) -> None:
    for email in ("nobody@example.com", "nobody"):
        assert refusal(change(browser, carol, email, limit=1)) == (404, "NOT_FOUND", NO_SUCH_USER)
        assert refusal(browser.delete(f"{USERS}/{email}", headers=carol)) == (404, "NOT_FOUND", NO_USER)


# -- Removing


def test_removal_closes_the_account_at_once_and_deletes_the_rest_in_the_background(
    community: Community, browser: Client, carol: Headers, ann: Headers
) -> None:
    key = community.key_of(community.ann)
    community.blobs.put("originals/a.jpg", [b"sea"])
    photo = a_photo(owner=ANN, original_key="originals/a.jpg", file_size=3)
    community.table.write(Put(to_item(photo)))
    answer = browser.delete(f"{USERS}/{ANN}", headers=carol)
    assert answer.status_code == 202
    assert answer.json() == {"startedAt": "2025-08-01T12:00:00.000Z", "photosRemoved": 0}
    assert [browser.get("/api/me/profile", headers=each).status_code for each in (ann, key)] == [401, 401]
    assert [user["email"] for user in browser.get(USERS, headers=carol).json()["users"]] == [BOB, CAROL]
    assert refusal(browser.get(f"{USERS}/{ANN}", headers=carol)) == (404, "NOT_FOUND", NO_SUCH_USER)
    assert browser.get(f"{USERS}/{ANN}/removal", headers=carol).json() == answer.json()

    assert [report.done for report in community.work()] == [True]
    assert refusal(browser.get(f"{USERS}/{ANN}/removal", headers=carol)) == (404, "NOT_FOUND", NO_REMOVAL)
    assert community.blobs.list("originals/").blobs == []
    traces = [key for key, item in community.table._items.items() if ANN in str(item) and "AUDIT" not in key.pk]
    assert traces == []


def test_an_address_is_free_again_only_when_nothing_is_left(
    community: Community, browser: Client, carol: Headers, ann: Headers
) -> None:
    browser.delete(f"{USERS}/{ANN}", headers=carol)
    assert add(browser, carol, email=ANN).status_code == 409
    community.work()
    community.pass_time(seconds=1)
    assert add(browser, carol, email=ANN).status_code == 201
    assert browser.get("/api/me/profile", headers=ann).status_code == 401


def test_removing_twice_is_harmless(community: Community, browser: Client, carol: Headers) -> None:
    first = browser.delete(f"{USERS}/{ANN}", headers=carol)
    again = browser.delete(f"{USERS}/{ANN}", headers=carol)
    assert (again.status_code, again.json()) == (202, first.json())
    assert [report.done for report in community.work()] == [True, True]
    assert refusal(browser.delete(f"{USERS}/{ANN}", headers=carol)) == (404, "NOT_FOUND", NO_USER)
    assert trail(browser, carol) == [("user-removed", ANN, None)]


def test_a_removal_reports_its_progress(community: Community, browser: Client, carol: Headers) -> None:
    """The disk fails when most of the photos are gone."""
    for number in range(PROGRESS_EVERY + 5):
        photo = a_photo(owner=ANN, original_key=f"originals/{number:02}.jpg", file_size=1)
        community.table.write(Put(to_item(photo)))
    browser.delete(f"{USERS}/{ANN}", headers=carol)
    left = PROGRESS_EVERY + 2
    delete = community.blobs.delete

    def fail_late(key: str) -> None:
        nonlocal left
        left -= key.startswith("originals/")
        if left < 0:
            raise Unavailable("the disk is gone")
        delete(key)

    community.blobs.delete = fail_late  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        Journey().run(Journey().jobs_after(AccountRemovalBegun(ANN))[0], stores=community.stores)
    result = browser.get(f"{USERS}/{ANN}/removal", headers=carol).json()
    assert result["photosRemoved"] == PROGRESS_EVERY
    community.blobs.delete = delete  # type: ignore[method-assign]
    assert [report.done for report in community.work()] == [True]
    assert browser.get(f"{USERS}/{ANN}/removal", headers=carol).status_code == 404


def test_without_a_removal_its_progress_is_not_found(browser: Client, carol: Headers) -> None:
    for email in (ANN, "nobody@example.com"):
        assert refusal(browser.get(f"{USERS}/{email}/removal", headers=carol)) == (404, "NOT_FOUND", NO_REMOVAL)


def test_administrators_may_remove_themselves_when_they_are_not_the_last(
    community: Community, browser: Client, carol: Headers
) -> None:
    community.join(a_user("dave@example.com", role=Role.ADMIN))
    assert browser.delete(f"{USERS}/{CAROL}", headers=carol).status_code == 202
    assert browser.get("/api/me/profile", headers=carol).status_code == 401


def test_no_key_makes_administrators_or_sets_passwords(community: Community, browser: Client) -> None:
    """With another administrator, or its owner's password, it could create any key."""
    key = community.key_of(community.carol)
    for answer in (
        add(browser, key, role="admin"),
        change(browser, key, role="admin"),
        change(browser, key, CAROL, password=PASSWORD),
    ):
        assert refusal(answer) == (
            403,
            "NOT_ALLOWED",
            BY_BROWSER,
        )
    assert change(browser, key, role="member").status_code == 200


def test_a_key_needs_the_scope_of_administrators_to_manage_users(community: Community, browser: Client) -> None:
    narrow = community.key_of(community.carol, KeyScope.READ, KeyScope.EDIT)
    assert refusal(change(browser, narrow, limit=1)) == (
        403,
        "NOT_ALLOWED",
        "this API key lacks the scope admin, which is needed to manage users",
    )
    assert change(browser, community.key_of(community.carol, KeyScope.ADMIN), limit=1).status_code == 200
