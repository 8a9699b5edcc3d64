"""Allowing and forbidding faces through the API."""

from pathlib import Path
from typing import Any

import pytest

from sparks.api.consent import FORGET_INSTEAD
from sparks.library.consent import faces_allowed
from sparks.model.account import User
from tests.accounts import everything
from tests.api.client import Client
from tests.api.community import CAROL, Community
from tests.factories import ANN, BOB, a_photo
from tests.library.people.rows import photographed, seen


@pytest.fixture
def community(tmp_path: Path) -> Community:
    return Community(tmp_path)


def put(browser: Client, community: Community, who: User, path: str, **wish: Any) -> Any:
    community.pass_time(seconds=1)
    answer = browser.put(path, json=wish, headers=community.session_of(who))
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_faces_are_allowed_until_somebody_says_no(browser: Client, community: Community) -> None:
    answer = browser.get("/api/me/consent", headers=community.session_of(community.ann)).json()
    assert answer == {"faces": True, "siteFaces": True, "findsFaces": False, "recognise": True, "history": []}


def test_who_says_no_has_no_faces_looked_for_in_their_photos(browser: Client, community: Community) -> None:
    told = put(browser, community, community.ann, "/api/me/consent", faces=False)
    assert told["faces"] is False
    assert [(each["who"], each["what"], each["allowed"]) for each in told["history"]] == [(ANN, "faces", False)]
    assert told["erasure"]["subject"] == ANN
    assert not faces_allowed(a_photo(owner=ANN), table=community.table)
    assert faces_allowed(a_photo(owner=BOB), table=community.table)


def test_an_administrator_switches_it_off_for_all(browser: Client, community: Community) -> None:
    told = put(browser, community, community.carol, "/api/admin/consent", faces=False)
    assert (told["faces"], told["erasure"]["subject"]) == (False, "site")
    assert [(each["who"], each["allowed"]) for each in told["history"]] == [(CAROL, False)]
    own = browser.get("/api/me/consent", headers=community.session_of(community.ann)).json()
    assert (own["faces"], own["siteFaces"], own["findsFaces"]) == (True, False, False)
    assert not faces_allowed(a_photo(owner=ANN), table=community.table)


def test_what_was_found_may_stay_when_it_is_switched_off(browser: Client, community: Community) -> None:
    seen(community.table, photographed(community.table))
    told = put(browser, community, community.carol, "/api/admin/consent", faces=False, erase=False)
    assert "erasure" not in told
    assert community.stores.jobs.counts().delayed == 0


def test_what_stayed_can_be_erased_later(browser: Client, community: Community) -> None:
    put(browser, community, community.carol, "/api/admin/consent", faces=False, erase=False)
    assert "erasure" in put(browser, community, community.carol, "/api/admin/consent", faces=False)


def test_switched_on_again_the_library_is_looked_at(browser: Client, community: Community) -> None:
    put(browser, community, community.carol, "/api/admin/consent", faces=False, erase=False)
    told = put(browser, community, community.carol, "/api/admin/consent", faces=True)
    assert told["faces"] is True
    assert len(told["history"]) == 2
    assert community.stores.jobs.counts().delayed == 1


def test_saying_yes_twice_is_written_down_once(browser: Client, community: Community) -> None:
    told = put(browser, community, community.carol, "/api/admin/consent", faces=True)
    assert told["history"] == []


def test_the_audit_trail_knows_who_switched(browser: Client, community: Community) -> None:
    put(browser, community, community.ann, "/api/me/consent", faces=False)
    [row] = [row for row in everything(community.table) if row.get("action") == "faces-switched"]
    assert (row["who"], row["target"], row["details"]) == (ANN, ANN, {"allowed": False})


@pytest.mark.parametrize("wish", [{"faces": "no"}, {"recognise": 0}, {"faces": 0}, {"face": True}])
def test_what_is_no_clear_word_is_refused(browser: Client, community: Community, wish: dict[str, Any]) -> None:
    headers = community.session_of(community.ann)
    assert browser.put("/api/me/consent", json=wish, headers=headers).status_code == 422


def test_who_wants_to_be_recognised_no_more_is_told_how_to_be_forgotten(browser: Client, community: Community) -> None:
    headers = community.session_of(community.ann)
    answer = browser.put("/api/me/consent", json={"recognise": False, "faces": False}, headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (400, FORGET_INSTEAD)
    assert browser.get("/api/me/consent", headers=headers).json()["history"] == []
