"""Decisions about persons and faces: each is kept, names its maker, and can be undone."""

import pytest

from sparks.library.people.decision_log import MAX_FACES
from sparks.library.people.face_assignment import assign_face
from sparks.library.people.photo_faces import decisions_about, find_face, find_person
from sparks.library.people.redirects import get_person
from sparks.model.access import NOT_THERE
from sparks.model.credential import KeyScope
from sparks.model.face import Face
from sparks.model.person import Person
from sparks.model.photo import Photo, Visibility
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.person_makers import change, say, undo
from tests.factories import BOB, NOON, a_face
from tests.library.people.rows import a_box, also_in, check_settled, met, photographed, seen

NO_PERSON = NOT_THERE.format("person")


NO_FACE = NOT_THERE.format("face")


@pytest.fixture
def photo(community: Community) -> Photo:
    return photographed(community.table)


@pytest.fixture
def eve(community: Community, photo: Photo) -> Person:
    return met(community.table, photo)


def person_of(community: Community, face: Face) -> str | None:
    found = find_face(face.face_id, table=community.table)
    assert found is not None
    return found.person_id


# -- Names and hiding


def test_a_member_who_sees_a_person_names_them_until_that_is_undone(
    community: Community, browser: Client, bob: Headers, eve: Person
) -> None:
    answer = change(browser, bob, eve, displayName="  Eve ")
    assert answer.status_code == 200, answer.text
    result = answer.json()
    assert (result["person"]["displayName"], result["person"]["named"]) == ("Eve", True)
    assert result["decisionId"] == result["decisions"][0]["decisionId"]
    [decision] = result["decisions"]
    assert (decision["kind"], decision["name"], decision["was"]) == ("name", "Eve", eve.person_id)
    assert (decision["who"], decision["undone"]) == (BOB, False)
    undone = undo(browser, bob, answer).json()
    assert undone["person"]["displayName"] == eve.person_id


def test_the_same_name_decides_nothing_and_null_removes_the_name(
    community: Community, browser: Client, ann: Headers, eve: Person
) -> None:
    change(browser, ann, eve, displayName="Eve")
    again = change(browser, ann, eve, displayName="Eve").json()
    assert (again["decisions"], "decisionId" in again) == ([], False)
    assert change(browser, ann, eve, displayName=None).json()["person"]["displayName"] == eve.person_id
    assert change(browser, ann, eve, displayName="").json()["decisions"] == []


def test_a_name_of_another_person_is_refused_without_same_name(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    other = met(community.table, photo, 1)
    change(browser, ann, eve, displayName="Eve")
    answer = change(browser, ann, other, displayName="EVE")
    assert (answer.status_code, answer.json()["error"]) == (409, "NAME_TAKEN")
    assert answer.json()["personId"] == eve.person_id
    assert not get_person(other.person_id, table=community.table).is_named
    assert change(browser, ann, other, displayName="EVE", sameName=True).json()["person"]["displayName"] == "EVE"


def test_the_name_of_a_merged_person_is_free(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    other, third = met(community.table, photo, 1), met(community.table, photo, 2)
    change(browser, ann, eve, displayName="Eve")
    change(browser, ann, other, displayName="Dan")
    say(browser, ann, eve, "merge", into=other.person_id)
    assert change(browser, ann, third, displayName="Eve").status_code == 200


def test_a_name_of_a_person_in_private_photos_of_others_is_free(
    community: Community, browser: Client, ann: Headers, bob: Headers, eve: Person
) -> None:
    hidden = met(community.table, photographed(community.table, visibility=Visibility.PRIVATE))
    change(browser, ann, hidden, displayName="Eve")
    assert change(browser, bob, eve, displayName="Eve").status_code == 200


def test_a_hidden_person_is_in_no_list_until_that_is_undone(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    change(browser, ann, eve, displayName="Eve")
    answer = change(browser, ann, eve, hidden=True)
    assert answer.json()["person"]["hidden"]
    assert browser.get("/api/persons", headers=ann).json()["persons"] == []
    assert change(browser, ann, eve, hidden=True).json()["decisions"] == []
    undo(browser, ann, answer)
    assert [each["displayName"] for each in browser.get("/api/persons", headers=ann).json()["persons"]] == ["Eve"]


def test_a_name_and_hiding_are_two_decisions_and_an_empty_change_is_refused(
    community: Community, browser: Client, ann: Headers, eve: Person
) -> None:
    answer = change(browser, ann, eve, displayName="Eve", hidden=True).json()
    assert [each["kind"] for each in answer["decisions"]] == ["name", "hide"]
    assert change(browser, ann, eve).status_code == 400
    assert change(browser, ann, eve, displayName="person7").status_code == 400
    assert change(browser, ann, eve, name="x").status_code == 422


# -- Merging


def test_merged_persons_are_one_and_two_again_when_that_is_undone(
    community: Community, browser: Client, ann: Headers, bob: Headers, photo: Photo, eve: Person
) -> None:
    other = met(community.table, photographed(community.table))
    answer = say(browser, ann, other, "merge", into=eve.person_id)
    assert (answer.json()["person"]["personId"], answer.json()["person"]["photoCount"]) == (eve.person_id, 2)
    community.work()
    assert get_person(other.person_id, table=community.table).member_count == 2
    assert say(browser, ann, eve, "merge", into=other.person_id).json()["decisions"] == []
    undone = undo(browser, bob, answer).json()
    assert undone["decisions"][0]["undoneBy"] == BOB
    community.work()
    counts = [get_person(each.person_id, table=community.table).member_count for each in (eve, other)]
    assert counts == [1, 1]
    check_settled(community.table)


def test_of_two_the_one_with_a_name_is_kept(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    other = met(community.table, photo, 1)
    change(browser, ann, other, displayName="Dan")
    answer = say(browser, ann, other, "merge", into=eve.person_id).json()
    assert (answer["person"]["personId"], answer["person"]["displayName"]) == (other.person_id, "Dan")


def test_a_person_is_not_merged_with_one_whom_the_caller_does_not_see(
    community: Community, browser: Client, bob: Headers, eve: Person
) -> None:
    unseen = met(community.table, photographed(community.table, visibility=Visibility.PRIVATE))
    answers = [
        say(browser, bob, eve, "merge", into=unseen.person_id),
        say(browser, bob, unseen, "merge", into=eve.person_id),
        say(browser, bob, eve, "merge", into="person999"),
        say(browser, bob, eve, "merge", into="#"),
    ]
    assert [refusal(answer) for answer in answers] == [(404, "NOT_FOUND", NO_PERSON)] * 4


# -- Faces


def test_split_faces_become_a_new_person_until_that_is_undone(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    [face] = also_in(community.table, eve, photographed(community.table))
    answer = say(browser, ann, eve, "split", faceIds=[face.face_id, face.face_id])
    result = answer.json()
    assert (result["person"]["photoCount"], result["otherPerson"]["photoCount"]) == (1, 1)
    assert result["decisions"][0]["faces"][0]["faceId"] == face.face_id
    assert person_of(community, face) == result["otherPerson"]["personId"] != eve.person_id
    check_settled(community.table)
    undo(browser, ann, answer)
    assert person_of(community, face) == eve.person_id
    assert find_person(result["otherPerson"]["personId"], table=community.table) is None
    check_settled(community.table)


def test_a_face_that_is_not_theirs_any_more_cannot_be_split_off(
    community: Community, browser: Client, ann: Headers, bob: Headers, photo: Photo, eve: Person
) -> None:
    [face] = also_in(community.table, eve, photographed(community.table))
    assert say(browser, ann, eve, "split", faceIds=[face.face_id]).status_code == 200
    late = say(browser, bob, eve, "split", faceIds=[face.face_id])
    assert (late.status_code, late.json()["error"]) == (409, "CONFLICT")


def test_a_rejected_face_is_not_assigned_again_until_that_is_undone(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    [face] = also_in(community.table, eve, photographed(community.table))
    answer = say(browser, ann, eve, "reject", faceIds=[face.face_id])
    assert answer.json()["person"]["photoCount"] == 1
    assign_face(face, eve.person_id, at=NOON, table=community.table)
    assert person_of(community, face) is None
    undo(browser, ann, answer)
    assert person_of(community, face) == eve.person_id
    check_settled(community.table)


def test_the_rejection_of_the_last_face_of_a_person_can_be_undone(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    answer = say(browser, ann, eve, "reject", faceIds=[str(eve_face(community, eve))])
    assert "person" not in answer.json()
    assert find_person(eve.person_id, table=community.table) is None
    undone = undo(browser, ann, answer).json()
    assert undone["person"]["personId"] == eve.person_id
    check_settled(community.table)


def eve_face(community: Community, eve: Person) -> str | None:
    return get_person(eve.person_id, table=community.table).rep_face_id


def test_a_split_of_very_many_faces_makes_several_decisions_and_one_person(
    community: Community, browser: Client, ann: Headers, eve: Person
) -> None:
    photos = [photographed(community.table) for _ in range(MAX_FACES + 1)]
    faces = also_in(community.table, eve, *photos)
    answer = say(browser, ann, eve, "split", faceIds=[face.face_id for face in faces])
    result = answer.json()
    assert [len(each["faces"]) for each in result["decisions"]] == [MAX_FACES, 1]
    assert {person_of(community, face) for face in faces} == {result["otherPerson"]["personId"]}
    assert result["otherPerson"]["photoCount"] == MAX_FACES + 1
    undo(browser, ann, answer)
    assert {person_of(community, face) for face in faces} == {eve.person_id}
    check_settled(community.table)


def test_faces_with_different_audiences_get_separate_decisions(
    community: Community, browser: Client, ann: Headers, bob: Headers, eve: Person
) -> None:
    shown, hidden = photographed(community.table), photographed(community.table, visibility=Visibility.PRIVATE)
    faces = also_in(community.table, eve, shown, hidden)
    answer = say(browser, ann, eve, "reject", faceIds=[face.face_id for face in faces]).json()
    assert [each["faces"][0]["imageId"] for each in answer["decisions"]] == [shown.image_id, hidden.image_id]
    about = f"/api/persons/{eve.person_id}/decisions"
    assert [len(browser.get(about, headers=each).json()["decisions"]) for each in (ann, bob)] == [2, 1]


def test_a_face_is_assigned_to_a_person_until_that_is_undone(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    face = seen(community.table, photo, 1)
    path = f"/api/faces/{face.face_id}/person"
    answer = browser.put(path, json={"personId": eve.person_id}, headers=ann)
    assert answer.json()["face"]["personId"] == person_of(community, face) == eve.person_id
    assert answer.json()["face"]["byHand"]
    assert browser.put(path, json={"personId": eve.person_id}, headers=ann).json()["decisions"] == []
    undo(browser, ann, answer)
    assert person_of(community, face) is None
    check_settled(community.table)


def test_a_face_with_or_without_a_person_is_assigned_to_a_new_one(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    [theirs] = also_in(community.table, eve, photo, place=1)
    for face, kind in ((seen(community.table, photo, 2), "assign"), (theirs, "split")):
        before = person_of(community, face)
        answer = browser.put(f"/api/faces/{face.face_id}/person", json={"personId": "new"}, headers=ann)
        founded = answer.json()["person"]["personId"]
        assert (answer.json()["decisions"][0]["kind"], person_of(community, face)) == (kind, founded)
        assert founded != eve.person_id
        undo(browser, ann, answer)
        assert person_of(community, face) == before
        assert find_person(founded, table=community.table) is None
    check_settled(community.table)


def test_a_chosen_cover_face_is_shown_until_that_is_undone(
    community: Community, browser: Client, ann: Headers, photo: Photo, eve: Person
) -> None:
    best = eve_face(community, eve)
    [face] = also_in(community.table, eve, photographed(community.table), quality=0.1)
    answer = say(browser, ann, eve, "picture", faceId=face.face_id)
    assert answer.json()["person"]["repFaceId"] == face.face_id
    assert undo(browser, ann, answer).json()["person"]["repFaceId"] == best
    foreign = seen(community.table, photo, 3)
    assert say(browser, ann, eve, "picture", faceId=foreign.face_id).status_code == 409


def test_faces_in_photos_that_the_caller_does_not_see_are_not_found(
    community: Community, browser: Client, bob: Headers, eve: Person
) -> None:
    [unseen] = also_in(community.table, eve, photographed(community.table, visibility=Visibility.PRIVATE))
    missing = a_face(photographed(community.table), a_box()).face_id
    for face_id in (unseen.face_id, missing, "no id"):
        for verb in ("split", "reject"):
            answer = say(browser, bob, eve, verb, faceIds=[str(eve_face(community, eve)), face_id])
            assert refusal(answer) == (404, "NOT_FOUND", NO_FACE)
        answer = say(browser, bob, eve, "picture", faceId=face_id)
        assert refusal(answer) == (404, "NOT_FOUND", NO_FACE)
    assert decisions_about(eve.person_id, table=community.table) == []


def test_an_api_key_needs_the_scope_people_and_no_other(community: Community, browser: Client, eve: Person) -> None:
    reader, decider = (community.key_of(community.ann, scope) for scope in (KeyScope.READ, KeyScope.PEOPLE))
    assert change(browser, reader, eve, displayName="Eve").status_code == 403
    assert change(browser, decider, eve, displayName="Eve").status_code == 200
    face_id = eve_face(community, eve)
    assert say(browser, decider, eve, "picture", faceId=face_id).status_code == 200
    assert browser.get(f"/api/persons/{eve.person_id}/decisions", headers=decider).status_code == 200
