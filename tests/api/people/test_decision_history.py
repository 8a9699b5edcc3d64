"""History of decisions: who sees an entry, and who may undo it; and the live events of a decision."""

import pytest

from sparks.library import keys
from sparks.library.people.apply_decision import reconcile_person
from sparks.library.people.person_decisions import name_person
from sparks.library.people.photo_faces import decisions_about
from sparks.model.access import NOT_THERE
from sparks.model.person import Person
from sparks.model.photo import Photo, Visibility
from sparks.model.scope import COMMUNITY
from sparks.table.port import every
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.person_makers import change, make_private, say, undo
from tests.factories import ANN, BOB, NOON
from tests.library.people.rows import also_in, met, photographed


@pytest.fixture
def photo(community: Community) -> Photo:
    return photographed(community.table)


@pytest.fixture
def eve(community: Community, photo: Photo) -> Person:
    return met(community.table, photo)


# -- History


def test_the_history_lists_decisions_and_whether_they_were_undone_newest_first(
    community: Community, browser: Client, ann: Headers, bob: Headers, photo: Photo, eve: Person
) -> None:
    named = change(browser, ann, eve, displayName="Eve")
    community.pass_time(seconds=1)
    hidden = change(browser, bob, eve, hidden=True)
    community.pass_time(seconds=1)
    undo(browser, ann, hidden)
    result = browser.get(f"/api/persons/{eve.person_id}/decisions", headers=ann).json()["decisions"]
    assert [(each["kind"], each["who"], each.get("undoneBy")) for each in result] == [
        ("hide", BOB, ANN),
        ("name", ANN, None),
    ]
    assert result[1]["decisionId"] == named.json()["decisionId"]


def test_the_history_of_a_merged_person_is_part_of_that_of_the_person_they_became(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    other = met(community.table, photo, 1)
    for person, name in ((other, "Dan"), (eve, "Eve")):
        change(browser, ann, person, displayName=name)
        community.pass_time(seconds=1)
    say(browser, ann, other, "merge", into=eve.person_id)
    about = f"/api/persons/{other.person_id}/decisions?limit=2"
    first = browser.get(about, headers=ann).json()
    rest = browser.get(f"{about}&cursor={first['lastEvaluatedKey']}", headers=ann).json()
    assert [each["kind"] for each in first["decisions"]] == ["merge", "name"]
    assert [each["name"] for each in rest["decisions"]] == ["Dan"]
    assert "lastEvaluatedKey" not in rest


def test_decisions_about_a_person_in_private_photos_stay_hidden_after_a_merge(
    community: Community, browser: Client, ann: Headers, bob: Headers, eve: Person
) -> None:
    private = met(community.table, photographed(community.table, visibility=Visibility.PRIVATE))
    change(browser, ann, private, displayName="Mine alone")
    change(browser, ann, eve, displayName="Eve")
    merging = say(browser, ann, private, "merge", into=eve.person_id)
    about = f"/api/persons/{eve.person_id}/decisions"
    result = {name: browser.get(about, headers=who).json()["decisions"] for name, who in (("ann", ann), ("bob", bob))}
    assert [each["kind"] for each in result["bob"]] == ["name"]
    assert sorted(each["kind"] for each in result["ann"]) == ["merge", "name", "name"]
    undoing = f"/api/decisions/{merging.json()['decisionId']}/undo"
    assert [browser.post(undoing, headers=who).status_code for who in (bob, ann)] == [404, 200]


def test_decisions_about_a_merged_person_are_shown_to_members_who_see_their_faces(
    community: Community, browser: Client, ann: Headers, bob: Headers, eve: Person
) -> None:
    other = met(community.table, photographed(community.table))
    for person, name in ((other, "Dan"), (eve, "Eve")):
        change(browser, ann, person, displayName=name)
    say(browser, ann, other, "merge", into=eve.person_id)
    about = f"/api/persons/{eve.person_id}/decisions"
    for _ in range(2):
        result = browser.get(about, headers=bob).json()["decisions"]
        assert sorted(each["kind"] for each in result) == ["merge", "name", "name"]
        reconcile_person(other.person_id, table=community.table)


def test_a_decision_that_the_caller_does_not_see_cannot_be_undone(
    community: Community, browser: Client, bob: Headers, photo: Photo, eve: Person
) -> None:
    private = photographed(community.table, visibility=Visibility.PRIVATE)
    hidden = met(community.table, private)
    decision = name_person(hidden.person_id, "Eve", who=ANN, at=NOON, table=community.table)
    answers = [
        browser.post(f"/api/decisions/{each}/undo", headers=bob)
        for each in (decision.decision_id, f"{decision.decision_id[:-1]}9999", "x", "x%23y.z")
    ]
    assert {refusal(answer) for answer in answers} == {(404, "NOT_FOUND", NOT_THERE.format("decision"))}


def test_decisions_about_photos_that_became_private_are_left_out_of_the_history(
    community: Community, browser: Client, ann: Headers, bob: Headers, photo: Photo, eve: Person
) -> None:
    other = photographed(community.table)
    [face] = also_in(community.table, eve, other)
    say(browser, ann, eve, "reject", faceIds=[face.face_id])
    about = f"/api/persons/{eve.person_id}/decisions"
    assert len(browser.get(about, headers=bob).json()["decisions"]) == 1
    make_private(community, other)
    assert browser.get(about, headers=bob).json()["decisions"] == []
    assert len(browser.get(about, headers=ann).json()["decisions"]) == 1


def test_undoing_twice_is_harmless_and_an_undo_cannot_be_undone(
    community: Community, browser: Client, ann: Headers, eve: Person
) -> None:
    hidden = change(browser, ann, eve, hidden=True)
    undo(browser, ann, hidden)
    undo(browser, ann, hidden)
    [undoing] = [each for each in decisions_about(eve.person_id, table=community.table) if each.undoes is not None]
    answer = browser.post(f"/api/decisions/{undoing.decision_id}/undo", headers=ann)
    assert answer.status_code == 409


# -- Live events


def test_a_decision_and_its_undo_send_live_events_at_once(
    community: Community, browser: Client, ann: Headers, eve: Person
) -> None:
    def result() -> int:
        return sum(row["kind"] == "people" for row in every(community.table, keys.events(COMMUNITY)))

    answer = change(browser, ann, eve, displayName="Eve")
    assert result() == 1
    undo(browser, ann, answer)
    assert result() == 2
