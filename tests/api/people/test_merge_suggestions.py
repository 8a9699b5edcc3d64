"""Merge suggestions: who gets them, and the effect of an answer."""

from sparks.library.people.merge_suggestions import find_suggestion
from sparks.library.people.redirects import get_person, resolve_person
from sparks.model.access import NOT_THERE
from sparks.model.person import Person, Suggestion
from sparks.model.photo import Visibility
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.person_makers import undo
from tests.library.people.rows import also_in, check_settled, met, photographed


def a_visible_person(community: Community, visibility: Visibility = Visibility.COMMUNITY) -> Person:
    person = met(community.table, photographed(community.table, visibility=visibility))
    return get_person(person.person_id, table=community.table)


def suggest(community: Community, one: Person, other: Person, similarity: float = 0.45) -> Suggestion:
    return community.keep(
        Suggestion(
            person_id=one.person_id,
            other_person_id=other.person_id,
            face_id=str(one.rep_face_id),
            other_face_id=str(other.rep_face_id),
            similarity=similarity,
        )
    )


def suggestion_ids(browser: Client, headers: Headers, path: str = "/api/suggestions") -> list[str]:
    return [each["suggestionId"] for each in browser.get(path, headers=headers).json()["suggestions"]]


def test_the_most_similar_pairs_come_first_with_both_persons_and_faces(
    community: Community, browser: Client, ann: Headers
) -> None:
    one, other, third = (a_visible_person(community) for _ in range(3))
    second, first = suggest(community, one, other, 0.43), suggest(community, one, third, 0.48)
    page = browser.get("/api/suggestions?limit=1", headers=ann).json()
    [result] = page["suggestions"]
    assert (result["suggestionId"], result["similarity"]) == (first.suggestion_id, 0.48)
    assert [each["personId"] for each in result["persons"]] == [one.person_id, third.person_id]
    assert [each["faceId"] for each in result["faces"]] == [one.rep_face_id, third.rep_face_id]
    rest = browser.get(f"/api/suggestions?limit=1&cursor={page['lastEvaluatedKey']}", headers=ann).json()
    assert [each["suggestionId"] for each in rest["suggestions"]] == [second.suggestion_id]
    assert suggestion_ids(browser, ann, "/api/persons/suggestions") == [first.suggestion_id, second.suggestion_id]


def test_only_a_member_who_sees_both_persons_gets_the_suggestion(
    community: Community, browser: Client, ann: Headers, bob: Headers
) -> None:
    one, hidden = a_visible_person(community), a_visible_person(community, Visibility.PRIVATE)
    asked = suggest(community, one, hidden)
    assert (suggestion_ids(browser, ann), suggestion_ids(browser, bob)) == ([asked.suggestion_id], [])
    answers = [
        browser.post(f"/api/suggestions/{each}", json={"same": True}, headers=bob)
        for each in (asked.suggestion_id, "person1~person999", "x", "a%23b~c")
    ]
    assert {refusal(answer) for answer in answers} == {(404, "NOT_FOUND", NOT_THERE.format("suggestion"))}


def test_a_face_in_a_private_photo_of_others_is_left_out_of_the_suggestion(
    community: Community, browser: Client, bob: Headers
) -> None:
    one, other = a_visible_person(community), a_visible_person(community)
    [private] = also_in(community.table, one, photographed(community.table, visibility=Visibility.PRIVATE))
    community.keep(
        Suggestion(
            person_id=one.person_id,
            other_person_id=other.person_id,
            face_id=private.face_id,
            other_face_id=str(other.rep_face_id),
            similarity=0.45,
        )
    )
    [result] = browser.get("/api/suggestions", headers=bob).json()["suggestions"]
    assert [each["faceId"] for each in result["faces"]] == [other.rep_face_id]


def test_the_answer_same_merges_the_persons_and_can_be_undone(
    community: Community, browser: Client, ann: Headers
) -> None:
    one, other = a_visible_person(community), a_visible_person(community)
    asked = suggest(community, one, other)
    answer = browser.post(f"/api/suggestions/{asked.suggestion_id}", json={"same": True}, headers=ann)
    assert answer.json()["decisions"][0]["kind"] == "merge"
    assert answer.json()["person"]["photoCount"] == 2
    assert resolve_person(other.person_id, table=community.table) == one.person_id
    assert suggestion_ids(browser, ann) == []
    community.work()
    undo(browser, ann, answer)
    community.work()
    assert resolve_person(other.person_id, table=community.table) == other.person_id
    check_settled(community.table)


def test_a_refused_pair_is_not_suggested_again(community: Community, browser: Client, ann: Headers) -> None:
    one, other = a_visible_person(community), a_visible_person(community)
    asked = suggest(community, one, other)
    answer = browser.post(f"/api/suggestions/{asked.suggestion_id}", json={"same": False}, headers=ann)
    assert answer.json()["decisions"][0]["kind"] == "different"
    assert find_suggestion(asked.suggestion_id, table=community.table) is None
    again = browser.post(f"/api/suggestions/{asked.suggestion_id}", json={"same": False}, headers=ann)
    assert again.status_code == 404
    assert undo(browser, ann, answer).status_code == 200


def test_persons_who_were_merged_since_are_not_suggested(community: Community, browser: Client, ann: Headers) -> None:
    one, other, third = (a_visible_person(community) for _ in range(3))
    asked = suggest(community, other, third)
    for each in (other, third):
        browser.post(f"/api/persons/{each.person_id}/merge", json={"into": one.person_id}, headers=ann)
    assert suggestion_ids(browser, ann) == []
    answer = browser.post(f"/api/suggestions/{asked.suggestion_id}", json={"same": True}, headers=ann)
    assert answer.status_code == 404
