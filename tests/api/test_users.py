"""The community, and what administrators do with its accounts."""

from typing import Any

import httpx
import pytest

from sparks.auth.removal import NOTED_EVERY
from sparks.auth.sessions import OVER
from sparks.journey import Journey
from sparks.library.accounts import NO_USER
from sparks.library.accounts.changing import LAST_ADMINISTRATOR
from sparks.library.limits import reserve
from sparks.library.records import to_item
from sparks.model.access import NOT_THERE
from sparks.model.account import Role
from sparks.model.credential import KeyScope
from sparks.model.errors import Unavailable
from sparks.model.events import RemovalBegun
from sparks.model.photo import PhotoState
from sparks.table.port import Put
from tests.api.client import Client, refusal
from tests.api.community import CAROL, PASSWORD, Community, Headers
from tests.factories import ANN, BOB, a_photo, a_user

USERS = "/api/users"
EVE = "eve@example.com"
NO_SUCH_USER = NOT_THERE.format("user")
NO_REMOVAL = "no removal of this user is going on: they are gone, or nobody has removed them"


@pytest.fixture
def carol(community: Community) -> Headers:
    return community.session_of(community.carol)


def add(browser: Client, headers: Headers, **wish: Any) -> httpx.Response:
    return browser.post(USERS, json={"email": EVE, **wish}, headers=headers)


def change(browser: Client, headers: Headers, whom: str = ANN, **wish: Any) -> httpx.Response:
    return browser.patch(f"{USERS}/{whom}", json=wish, headers=headers)


def trail(browser: Client, headers: Headers) -> list[tuple[str, str | None, Any]]:
    entries = browser.get("/api/admin/audit", headers=headers).json()["entries"]
    return [(entry["action"], entry.get("target"), entry.get("details")) for entry in reversed(entries)]


# -- Seeing


def test_members_see_everyone_who_has_an_account(browser: Client, ann: Headers) -> None:
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


def test_a_cursor_is_for_whoever_was_given_it(community: Community, browser: Client, ann: Headers) -> None:
    cursor = browser.get(USERS, params={"limit": 1}, headers=ann).json()["lastEvaluatedKey"]
    answer = browser.get(USERS, params={"cursor": cursor}, headers=community.session_of(community.bob))
    assert (answer.status_code, answer.json()["error"]) == (400, "BAD_CURSOR")


def test_members_see_one_of_them_without_what_is_theirs_alone(browser: Client, ann: Headers) -> None:
    answer = browser.get(f"{USERS}/{BOB}", headers=ann)
    assert answer.json().keys() == {"email", "username", "role", "createdAt"}
    assert browser.get(f"{USERS}/BOB@Example.com", headers=ann).json() == answer.json()


def test_administrators_see_what_a_member_may_still_upload(browser: Client, carol: Headers) -> None:
    told = browser.get(f"{USERS}/{BOB}", headers=carol).json()
    assert told["uploadLimit"] == {"limit": 500, "used": 0, "bytesLeft": 10**9, "bytesUsed": 0}


def test_whoever_is_not_there_is_not_found(community: Community, browser: Client, ann: Headers) -> None:
    for email in ("nobody@example.com", "nobody", "guest:1@example.com", "a@b@c", "%20", "@"):
        assert refusal(browser.get(f"{USERS}/{email}", headers=ann)) == (404, "NOT_FOUND", NO_SUCH_USER)


# -- Making


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
    ("wish", "message"),
    [
        ({"email": "nobody"}, "that is not an e-mail address like ann@example.com"),
        ({"username": ""}, "a name has 1 to 60 characters that can be seen, in one line"),
        ({"password": "short"}, "a password has at least 10 characters: a few words in a row make a good one"),
    ],
)
def test_an_account_that_nobody_could_use_is_not_made(
    browser: Client, carol: Headers, wish: dict[str, str], message: str
) -> None:
    assert refusal(add(browser, carol, **wish)) == (400, "BAD_INPUT", message)


@pytest.mark.parametrize(
    "wish", [{"role": "owner"}, {"limit": -1}, {"limit": 10**9 + 1}, {"bytesLeft": "1"}, {"id": 1}, {"email": None}]
)
def test_what_is_not_a_wish_for_an_account_is_refused(browser: Client, carol: Headers, wish: dict[str, Any]) -> None:
    answer = add(browser, carol, **wish)
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")
    assert next(iter(wish)) in answer.json()["message"]


# -- Changing


def test_a_limit_is_what_may_be_uploaded_from_now_on(community: Community, browser: Client, carol: Headers) -> None:
    reserve(a_photo(owner=ANN, state=PhotoState.RESERVED, file_size=400), table=community.table)
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


def test_a_role_that_one_has_already_is_no_change(browser: Client, carol: Headers) -> None:
    assert change(browser, carol, role="member").status_code == 200
    assert change(browser, carol).status_code == 200
    assert trail(browser, carol) == []


def test_the_last_administrator_stays_one(browser: Client, carol: Headers) -> None:
    assert refusal(change(browser, carol, CAROL, role="member")) == (409, "CONFLICT", LAST_ADMINISTRATOR)
    assert refusal(browser.delete(f"{USERS}/{CAROL}", headers=carol)) == (409, "CONFLICT", LAST_ADMINISTRATOR)


def test_a_password_that_was_forgotten_is_set_anew_and_ends_all_sessions(
    browser: Client, elsewhere: Client, carol: Headers, ann: Headers
) -> None:
    assert change(browser, carol, password=PASSWORD).status_code == 200
    assert refusal(browser.get("/api/me/profile", headers=ann)) == (401, "NOT_SIGNED_IN", OVER)
    assert elsewhere.post("/api/session", json={"email": ANN, "password": PASSWORD}).status_code == 200
    assert ("password-reset", ANN, None) in trail(browser, carol)


def test_a_password_that_is_no_good_choice_changes_nothing_at_all(browser: Client, carol: Headers) -> None:
    answer = change(browser, carol, role="admin", limit=1, password="short")
    assert (answer.status_code, answer.json()["error"]) == (400, "BAD_INPUT")
    assert browser.get(f"{USERS}/{ANN}", headers=carol).json()["role"] == "member"
    assert trail(browser, carol) == []


@pytest.mark.parametrize("wish", [{"email": EVE}, {"username": "x"}, {"limit": -1}, {"bytesLeft": 2**63}])
def test_nothing_else_of_an_account_can_be_changed(browser: Client, carol: Headers, wish: dict[str, Any]) -> None:
    answer = change(browser, carol, **wish)
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


def test_whoever_is_not_there_cannot_be_changed(browser: Client, carol: Headers) -> None:
    for email in ("nobody@example.com", "nobody"):
        assert refusal(change(browser, carol, email, limit=1)) == (404, "NOT_FOUND", NO_SUCH_USER)
        assert refusal(browser.delete(f"{USERS}/{email}", headers=carol)) == (404, "NOT_FOUND", NO_USER)


# -- Removing


def test_removing_closes_the_account_at_once_and_the_rest_goes_in_the_background(
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


def test_removing_twice_is_as_once(community: Community, browser: Client, carol: Headers) -> None:
    first = browser.delete(f"{USERS}/{ANN}", headers=carol)
    again = browser.delete(f"{USERS}/{ANN}", headers=carol)
    assert (again.status_code, again.json()) == (202, first.json())
    assert [report.done for report in community.work()] == [True, True]
    assert refusal(browser.delete(f"{USERS}/{ANN}", headers=carol)) == (404, "NOT_FOUND", NO_USER)
    assert trail(browser, carol) == [("user-removed", ANN, None)]


def test_a_removal_tells_how_far_it_is(community: Community, browser: Client, carol: Headers) -> None:
    """The disk fails when most of the photos are gone."""
    for number in range(NOTED_EVERY + 5):
        photo = a_photo(owner=ANN, original_key=f"originals/{number:02}.jpg", file_size=1)
        community.table.write(Put(to_item(photo)))
    browser.delete(f"{USERS}/{ANN}", headers=carol)
    left = NOTED_EVERY + 2
    delete = community.blobs.delete

    def fail_late(key: str) -> None:
        nonlocal left
        left -= key.startswith("originals/")
        if left < 0:
            raise Unavailable("the disk is gone")
        delete(key)

    community.blobs.delete = fail_late  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        Journey().run(Journey().jobs_after(RemovalBegun(ANN))[0], stores=community.stores)
    told = browser.get(f"{USERS}/{ANN}/removal", headers=carol).json()
    assert told["photosRemoved"] == NOTED_EVERY
    community.blobs.delete = delete  # type: ignore[method-assign]
    assert [report.done for report in community.work()] == [True]
    assert browser.get(f"{USERS}/{ANN}/removal", headers=carol).status_code == 404


def test_nobody_is_being_removed_unless_somebody_was(browser: Client, carol: Headers) -> None:
    for email in (ANN, "nobody@example.com"):
        assert refusal(browser.get(f"{USERS}/{email}/removal", headers=carol)) == (404, "NOT_FOUND", NO_REMOVAL)


def test_administrators_may_remove_themselves_when_they_are_not_the_last(
    community: Community, browser: Client, carol: Headers
) -> None:
    community.join(a_user("dave@example.com", role=Role.ADMIN))
    assert browser.delete(f"{USERS}/{CAROL}", headers=carol).status_code == 202
    assert browser.get("/api/me/profile", headers=carol).status_code == 401


def test_no_key_makes_administrators_or_sets_passwords(community: Community, browser: Client) -> None:
    """With another administrator, or its owner's password, it could make any key."""
    key = community.key_of(community.carol)
    for answer in (
        add(browser, key, role="admin"),
        change(browser, key, role="admin"),
        change(browser, key, CAROL, password=PASSWORD),
    ):
        assert refusal(answer) == (
            403,
            "NOT_ALLOWED",
            "no API key or token may make administrators or set passwords: sign in in a browser, or use `sparks user`",
        )
    assert change(browser, key, role="member").status_code == 200


def test_a_key_needs_the_scope_of_administrators_to_manage_users(community: Community, browser: Client) -> None:
    narrow = community.key_of(community.carol, KeyScope.READ, KeyScope.EDIT)
    assert refusal(change(browser, narrow, limit=1)) == (
        403,
        "NOT_ALLOWED",
        "this API key lacks the scope admin, which it takes to manage users",
    )
    assert change(browser, community.key_of(community.carol, KeyScope.ADMIN), limit=1).status_code == 200
