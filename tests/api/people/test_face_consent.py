"""Allowing and forbidding faces through the API."""

from pathlib import Path
from typing import Any

import pytest

from sparks.actions.face_consent import ERASE_INSTEAD
from sparks.library.consent import faces_allowed
from sparks.model.account import User
from tests.account_makers import everything
from tests.api.client import Client
from tests.api.community import CAROL, Community
from tests.factories import ANN, BOB, a_photo
from tests.library.people.rows import photographed, seen


@pytest.fixture
def community(tmp_path: Path) -> Community:
    return Community(tmp_path)


def put(browser: Client, community: Community, who: User, path: str, **body: Any) -> Any:
    community.pass_time(seconds=1)
    answer = browser.put(path, json=body, headers=community.session_of(who))
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_faces_are_allowed_by_default(browser: Client, community: Community) -> None:
    answer = browser.get("/api/me/consent", headers=community.session_of(community.ann)).json()
    assert answer == {"faces": True, "siteFaces": True, "findsFaces": False, "recognise": True, "history": []}


def test_a_user_forbids_faces_in_their_photos(browser: Client, community: Community) -> None:
    result = put(browser, community, community.ann, "/api/me/consent", faces=False)
    assert result["faces"] is False
    assert [(each["who"], each["what"], each["allowed"]) for each in result["history"]] == [(ANN, "faces", False)]
    assert result["erasure"]["subject"] == ANN
    assert not faces_allowed(a_photo(owner=ANN), table=community.table)
    assert faces_allowed(a_photo(owner=BOB), table=community.table)


def test_an_administrator_forbids_faces_for_the_site(browser: Client, community: Community) -> None:
    result = put(browser, community, community.carol, "/api/admin/consent", faces=False)
    assert (result["faces"], result["erasure"]["subject"]) == (False, "site")
    assert [(each["who"], each["allowed"]) for each in result["history"]] == [(CAROL, False)]
    own = browser.get("/api/me/consent", headers=community.session_of(community.ann)).json()
    assert (own["faces"], own["siteFaces"], own["findsFaces"]) == (True, False, False)
    assert not faces_allowed(a_photo(owner=ANN), table=community.table)


def test_found_faces_may_be_kept_when_faces_are_switched_off(browser: Client, community: Community) -> None:
    seen(community.table, photographed(community.table))
    result = put(browser, community, community.carol, "/api/admin/consent", faces=False, erase=False)
    assert "erasure" not in result
    assert community.stores.jobs.counts().delayed == 0


def test_kept_faces_can_be_erased_later(browser: Client, community: Community) -> None:
    put(browser, community, community.carol, "/api/admin/consent", faces=False, erase=False)
    assert "erasure" in put(browser, community, community.carol, "/api/admin/consent", faces=False)


def test_switching_faces_on_again_indexes_the_library(browser: Client, community: Community) -> None:
    put(browser, community, community.carol, "/api/admin/consent", faces=False, erase=False)
    result = put(browser, community, community.carol, "/api/admin/consent", faces=True)
    assert result["faces"] is True
    assert len(result["history"]) == 2
    assert community.stores.jobs.counts().delayed == 1


def test_repeated_consent_is_recorded_once(browser: Client, community: Community) -> None:
    result = put(browser, community, community.carol, "/api/admin/consent", faces=True)
    assert result["history"] == []


def test_the_audit_log_names_who_switched_faces(browser: Client, community: Community) -> None:
    put(browser, community, community.ann, "/api/me/consent", faces=False)
    [row] = [row for row in everything(community.table) if row.get("action") == "faces-switched"]
    assert (row["who"], row["target"], row["details"]) == (ANN, ANN, {"allowed": False})


@pytest.mark.parametrize("body", [{"faces": "no"}, {"recognise": 0}, {"faces": 0}, {"face": True}])
def test_a_value_that_is_no_boolean_is_refused(browser: Client, community: Community, body: dict[str, Any]) -> None:
    headers = community.session_of(community.ann)
    assert browser.put("/api/me/consent", json=body, headers=headers).status_code == 422


def test_recognise_false_is_refused_with_the_way_to_erase_the_face(browser: Client, community: Community) -> None:
    headers = community.session_of(community.ann)
    answer = browser.put("/api/me/consent", json={"recognise": False, "faces": False}, headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (400, ERASE_INSTEAD)
    assert browser.get("/api/me/consent", headers=headers).json()["history"] == []
