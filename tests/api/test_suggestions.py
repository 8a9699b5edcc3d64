"""Two who may be one person: who is asked, and what an answer does."""

from sparks.library.people import find_suggestion, get_person, resolve_person
from sparks.model.access import NOT_THERE
from sparks.model.person import Person, Suggestion
from sparks.model.photo import Visibility
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.test_decisions import undo
from tests.library.people.rows import also_in, check_settled, met, photographed


def somebody(community: Community, visibility: Visibility = Visibility.COMMUNITY) -> Person:
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
            made_at=community.at,
        )
    )


def ids_told(browser: Client, headers: Headers, path: str = "/api/suggestions") -> list[str]:
    return [each["suggestionId"] for each in browser.get(path, headers=headers).json()["suggestions"]]


def test_the_likeliest_come_first_page_by_page_with_both_persons_and_their_faces(
    community: Community, browser: Client, ann: Headers
) -> None:
    one, other, third = (somebody(community) for _ in range(3))
    second, first = suggest(community, one, other, 0.43), suggest(community, one, third, 0.48)
    page = browser.get("/api/suggestions?limit=1", headers=ann).json()
    [told] = page["suggestions"]
    assert (told["suggestionId"], told["similarity"]) == (first.suggestion_id, 0.48)
    assert [each["personId"] for each in told["persons"]] == [one.person_id, third.person_id]
    assert [each["faceId"] for each in told["faces"]] == [one.rep_face_id, third.rep_face_id]
    rest = browser.get(f"/api/suggestions?limit=1&cursor={page['lastEvaluatedKey']}", headers=ann).json()
    assert [each["suggestionId"] for each in rest["suggestions"]] == [second.suggestion_id]
    assert ids_told(browser, ann, "/api/persons/suggestions") == [first.suggestion_id, second.suggestion_id]


def test_only_who_sees_both_is_asked(community: Community, browser: Client, ann: Headers, bob: Headers) -> None:
    one, hidden = somebody(community), somebody(community, Visibility.PRIVATE)
    asked = suggest(community, one, hidden)
    assert (ids_told(browser, ann), ids_told(browser, bob)) == ([asked.suggestion_id], [])
    answers = [
        browser.post(f"/api/suggestions/{each}", json={"same": True}, headers=bob)
        for each in (asked.suggestion_id, "person1~person999", "x", "a%23b~c")
    ]
    assert {refusal(answer) for answer in answers} == {(404, "NOT_FOUND", NOT_THERE.format("suggestion"))}


def test_a_face_in_somebodys_private_photo_is_not_shown_with_the_question(
    community: Community, browser: Client, bob: Headers
) -> None:
    one, other = somebody(community), somebody(community)
    [private] = also_in(community.table, one, photographed(community.table, visibility=Visibility.PRIVATE))
    community.keep(
        Suggestion(
            person_id=one.person_id,
            other_person_id=other.person_id,
            face_id=private.face_id,
            other_face_id=str(other.rep_face_id),
            similarity=0.45,
            made_at=community.at,
        )
    )
    [told] = browser.get("/api/suggestions", headers=bob).json()["suggestions"]
    assert [each["faceId"] for each in told["faces"]] == [other.rep_face_id]


def test_yes_merges_them_and_can_be_undone(community: Community, browser: Client, ann: Headers) -> None:
    one, other = somebody(community), somebody(community)
    asked = suggest(community, one, other)
    answer = browser.post(f"/api/suggestions/{asked.suggestion_id}", json={"same": True}, headers=ann)
    assert answer.json()["decisions"][0]["kind"] == "merge"
    assert answer.json()["person"]["photoCount"] == 2
    assert resolve_person(other.person_id, table=community.table) == one.person_id
    assert ids_told(browser, ann) == []
    community.work()
    undo(browser, ann, answer)
    community.work()
    assert resolve_person(other.person_id, table=community.table) == other.person_id
    check_settled(community.table)


def test_no_is_remembered_and_nobody_is_asked_again(community: Community, browser: Client, ann: Headers) -> None:
    one, other = somebody(community), somebody(community)
    asked = suggest(community, one, other)
    answer = browser.post(f"/api/suggestions/{asked.suggestion_id}", json={"same": False}, headers=ann)
    assert answer.json()["decisions"][0]["kind"] == "different"
    assert find_suggestion(asked.suggestion_id, table=community.table) is None
    again = browser.post(f"/api/suggestions/{asked.suggestion_id}", json={"same": False}, headers=ann)
    assert again.status_code == 404
    assert undo(browser, ann, answer).status_code == 200


def test_of_two_who_are_one_by_now_nobody_is_asked(community: Community, browser: Client, ann: Headers) -> None:
    one, other, third = (somebody(community) for _ in range(3))
    asked = suggest(community, other, third)
    for each in (other, third):
        browser.post(f"/api/persons/{each.person_id}/merge", json={"into": one.person_id}, headers=ann)
    assert ids_told(browser, ann) == []
    answer = browser.post(f"/api/suggestions/{asked.suggestion_id}", json={"same": True}, headers=ann)
    assert answer.status_code == 404
