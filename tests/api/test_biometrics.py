"""Forgetting a face through the API: by whose it is or an administrator, with a receipt."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparks.api import biometrics
from sparks.api.biometrics import NO_FACE, NOT_ALONE, OWN_WORD
from sparks.api.erasure_answers import GOING_ON
from sparks.library import objects
from sparks.library.people import find_person, forgotten_vectors, keep_face, merge_persons, name_person, remove_face
from sparks.library.records import to_item
from sparks.model.account import User
from sparks.model.credential import KeyScope
from sparks.model.events import ErasureBegun
from sparks.model.person import Person
from sparks.model.photo import Visibility
from sparks.people.erasing import erase_faces
from sparks.table.port import Put
from tests.accounts import everything
from tests.api.client import Client, refusal
from tests.api.community import Community
from tests.factories import ANN, BOB, NOON
from tests.library.people.rows import also_in, met, photographed
from tests.people.town import embedded

ENGINE = "test-1"
EMPTY = dict.fromkeys(("faces", "embeddings", "crops", "vectors", "taggings", "persons", "lists", "decisions"), 0)


class Forgotten:
    """Ann, in two of her photos, and what a caller gets for forgetting her."""

    def __init__(self, community: Community, browser: Client) -> None:
        self.community, self.browser = community, browser
        self.table = community.table
        photos = [photographed(self.table) for _ in range(2)]
        self.person = met(self.table, photos[0], embedding=embedded(1, 0))
        also_in(self.table, self.person, photos[1], embedding=embedded(1, 1))
        for row in everything(self.table):
            if row["SK"].startswith("FACE#"):
                community.blobs.put(objects.face_thumb(row["SK"].removeprefix("FACE#")), [b"crop"])

    def is_person(self, user: User, person: Person) -> User:
        """What lets them in is made anew, since it holds what they were."""
        known = replace(user, person_id=person.person_id)
        self.table.write(Put(to_item(known)))
        return known

    def ask(self, method: str, path: str, who: User, **more: Any) -> Any:
        return self.browser.request(method, path, headers=self.community.session_of(who), **more)


@pytest.fixture
def forgotten(tmp_path: Path) -> Iterator[Forgotten]:
    community = Community(tmp_path)
    with community.browser() as browser:
        yield Forgotten(community, browser)


def test_who_forgets_their_face_gets_a_receipt(forgotten: Forgotten) -> None:
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    receipt = forgotten.ask("DELETE", "/api/me/biometrics", ann).json()
    assert receipt["before"] == EMPTY | {
        "faces": 2,
        "embeddings": 2,
        "crops": 2,
        "taggings": 2,
        "persons": 1,
        "lists": 2,
    }
    assert receipt["removed"] == receipt["before"]
    assert receipt["after"] == EMPTY
    assert receipt["keep"] == "vector"
    assert "One vector is kept" in receipt["message"]
    assert "The photos keep the places" in receipt["message"]
    assert forgotten.ask("GET", f"/api/erasures/{receipt['erasureId']}", ann).json() == receipt
    assert find_person(forgotten.person.person_id, table=forgotten.table) is None
    assert "personId" not in forgotten.ask("GET", "/api/me/profile", ann).json()


def test_the_receipt_holds_nothing_that_tells_the_face(forgotten: Forgotten) -> None:
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    forgotten.ask("DELETE", "/api/me/biometrics?keep=nothing", ann)
    forgotten.community.pass_time(minutes=1)
    [row] = [row for row in everything(forgotten.table) if row["PK"].startswith("ERASURE#")]
    assert not any(isinstance(value, bytes) for value in row.values())
    assert "faceIds" not in row


def test_who_wants_nothing_kept_has_nothing_kept(forgotten: Forgotten) -> None:
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    receipt = forgotten.ask("DELETE", "/api/me/biometrics?keep=nothing", ann).json()
    assert "Nothing at all is kept" in receipt["message"]
    assert len(forgotten_vectors(ENGINE, table=forgotten.table)) == 0


def test_what_else_could_be_kept_is_refused(forgotten: Forgotten) -> None:
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    assert forgotten.ask("DELETE", "/api/me/biometrics?keep=all", ann).status_code == 422


def test_who_is_nobody_has_nothing_to_be_forgotten(forgotten: Forgotten) -> None:
    answer = forgotten.ask("DELETE", "/api/me/biometrics", forgotten.community.ann)
    assert answer.status_code == 404
    assert "/api/me/person" in answer.json()["message"]


def test_forgetting_twice_finds_nobody_the_second_time(forgotten: Forgotten) -> None:
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    path = f"/api/persons/{forgotten.person.person_id}/biometrics"
    assert [forgotten.ask("DELETE", path, ann).status_code for _ in range(2)] == [200, 404]


def test_whose_face_it_is_forgets_it_under_any_of_its_ids(forgotten: Forgotten) -> None:
    """They were merged into somebody, and see none of the photos."""
    private = photographed(forgotten.table, visibility=Visibility.PRIVATE, owner=BOB)
    other = met(forgotten.table, private)
    ann = forgotten.is_person(forgotten.community.ann, other)
    merge_persons(forgotten.person.person_id, other.person_id, who=BOB, at=NOON, table=forgotten.table)
    receipt = forgotten.ask("DELETE", f"/api/persons/{other.person_id}/biometrics", ann).json()
    assert receipt["before"]["faces"] == 3
    assert receipt["subject"] == ANN


def test_who_is_merged_with_another_users_person_does_not_forget_that_one(forgotten: Forgotten) -> None:
    forgotten.is_person(forgotten.community.ann, forgotten.person)
    mine = met(forgotten.table, photographed(forgotten.table))
    bob = forgotten.is_person(forgotten.community.bob, mine)
    merge_persons(mine.person_id, forgotten.person.person_id, who=BOB, at=NOON, table=forgotten.table)
    paths = ("/api/me/biometrics", f"/api/persons/{forgotten.person.person_id}/biometrics")
    assert {refusal(forgotten.ask("DELETE", path, bob)) for path in paths} == {(409, "CONFLICT", NOT_ALONE)}
    assert forgotten.ask("DELETE", paths[1], forgotten.community.carol).status_code == 200


def test_nobody_has_faces_forgotten_that_are_theirs_by_their_own_word(forgotten: Forgotten) -> None:
    mine = met(forgotten.table, photographed(forgotten.table))
    bob = forgotten.is_person(forgotten.community.bob, mine)
    merge_persons(mine.person_id, forgotten.person.person_id, who=BOB, at=NOON, table=forgotten.table)
    paths = ("/api/me/biometrics", f"/api/persons/{mine.person_id}/biometrics")
    assert {refusal(forgotten.ask("DELETE", path, bob)) for path in paths} == {(409, "CONFLICT", OWN_WORD)}


def test_who_has_no_face_left_is_told_so(forgotten: Forgotten) -> None:
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    name_person(forgotten.person.person_id, "Ann", who=ANN, at=NOON, table=forgotten.table)
    for row in everything(forgotten.table):
        if row["SK"].startswith("FACE#"):
            remove_face(row["PK"], row["owner"], row["SK"].removeprefix("FACE#"), at=NOON, table=forgotten.table)
    assert refusal(forgotten.ask("DELETE", "/api/me/biometrics", ann)) == (404, "NOT_FOUND", NO_FACE)


def test_of_very_many_faces_the_receipt_is_ended_by_the_job(
    forgotten: Forgotten, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(biometrics, "MOST_AT_ONCE", 1)
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    answer = forgotten.ask("DELETE", "/api/me/biometrics", ann)
    assert (answer.status_code, answer.json()["message"]) == (202, GOING_ON)
    stores = forgotten.community.stores
    event = ErasureBegun(answer.json()["erasureId"])
    erase_faces(event, table=stores.table, blobs=stores.blobs, index=stores.index, terms=stores.terms)
    receipt = forgotten.ask("GET", f"/api/erasures/{event.erasure_id}", ann).json()
    assert (receipt["before"]["faces"], receipt["after"]) == (2, EMPTY)


def test_an_administrator_forgets_somebody_for_them(forgotten: Forgotten) -> None:
    path = f"/api/persons/{forgotten.person.person_id}/biometrics"
    receipt = forgotten.ask("DELETE", path, forgotten.community.carol).json()
    assert receipt["after"] == EMPTY
    assert receipt["subject"] == f"person:{forgotten.person.person_id}"
    entries = forgotten.ask("GET", "/api/admin/audit", forgotten.community.carol).json()["entries"]
    assert [(each["action"], each["target"]) for each in entries][:1] == [
        ("face-forgotten", forgotten.person.person_id)
    ]


def test_a_member_does_not_forget_somebody_else(forgotten: Forgotten) -> None:
    path = f"/api/persons/{forgotten.person.person_id}/biometrics"
    answer = forgotten.ask("DELETE", path, forgotten.community.bob)
    assert answer.status_code == 403
    assert find_person(forgotten.person.person_id, table=forgotten.table) is not None


def test_a_key_forgets_a_face_if_it_is_for_people(forgotten: Forgotten) -> None:
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    keys = [forgotten.community.key_of(ann, scope) for scope in (KeyScope.EDIT, KeyScope.PEOPLE)]
    answers = [forgotten.browser.delete("/api/me/biometrics", headers=key) for key in keys]
    assert [answer.status_code for answer in answers] == [403, 200]


def test_who_asked_can_have_the_vector_dropped(forgotten: Forgotten) -> None:
    path = f"/api/persons/{forgotten.person.person_id}/biometrics"
    receipt = forgotten.ask("DELETE", path, forgotten.community.carol).json()
    assert len(forgotten_vectors(ENGINE, table=forgotten.table)) == 1
    drop = f"/api/erasures/{receipt['erasureId']}/vector"
    assert forgotten.ask("DELETE", drop, forgotten.community.bob).status_code == 404
    assert forgotten.ask("DELETE", drop, forgotten.community.carol).status_code == 204
    assert len(forgotten_vectors(ENGINE, table=forgotten.table)) == 0


def test_who_was_forgotten_can_be_recognised_again(forgotten: Forgotten) -> None:
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    forgotten.ask("DELETE", "/api/me/biometrics", ann)
    assert forgotten.ask("GET", "/api/me/consent", ann).json()["recognise"] is False
    told = forgotten.ask("PUT", "/api/me/consent", ann, json={"recognise": True}).json()
    assert told["recognise"] is True
    assert (told["history"][0]["what"], told["history"][0]["allowed"]) == ("recognise", True)
    assert len(forgotten_vectors(ENGINE, table=forgotten.table)) == 0


def test_the_job_follows(forgotten: Forgotten) -> None:
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    forgotten.ask("DELETE", "/api/me/biometrics", ann)
    assert forgotten.community.stores.jobs.counts().delayed == 1


def test_a_crop_that_was_kept_under_another_name_goes_too(forgotten: Forgotten) -> None:
    """As rows from elsewhere may have it."""
    photo = photographed(forgotten.table)
    [face] = also_in(forgotten.table, forgotten.person, photo, embedding=embedded(1, 2))
    forgotten.community.blobs.put("faces/thumbs/elsewhere.jpg", [b"crop"])
    keep_face(replace(face, thumb_key="faces/thumbs/elsewhere.jpg"), at=NOON, table=forgotten.table)
    ann = forgotten.is_person(forgotten.community.ann, forgotten.person)
    forgotten.ask("DELETE", "/api/me/biometrics", ann)
    assert forgotten.community.blobs.list("faces/").blobs == []
