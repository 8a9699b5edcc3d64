"""Erasing a face through the API, by its person or an administrator, with a receipt."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparks.actions import biometric_erasure
from sparks.actions.biometric_erasure import NO_FACE, NOT_ALONE, OWN_DECISION
from sparks.api.people.biometric_erasure_routes import ONGOING
from sparks.library import blob_keys
from sparks.library.people.face_rows import remove_face, store_face
from sparks.library.people.person_decisions import merge_persons, name_person
from sparks.library.people.photo_faces import find_person
from sparks.library.people.recognition_opt_outs import opt_out_vectors
from sparks.library.records import to_item
from sparks.model.account import User
from sparks.model.credential import KeyScope
from sparks.model.events import ErasureBegun
from sparks.model.person import Person
from sparks.model.photo import Visibility
from sparks.people.biometric_erasure.erase import erase_faces
from sparks.table.port import Put
from tests.account_makers import everything
from tests.api.client import Client, refusal
from tests.api.community import Community
from tests.factories import ANN, BOB, NOON
from tests.library.people.rows import also_in, met, photographed
from tests.people.face_library import embedded

ENGINE = "test-1"
EMPTY = dict.fromkeys(("faces", "embeddings", "crops", "vectors", "taggings", "persons", "lists", "decisions"), 0)


class ErasureSetup:
    """Ann, in two of her photos, and requests to erase her face."""

    def __init__(self, community: Community, browser: Client) -> None:
        self.community, self.browser = community, browser
        self.table = community.table
        photos = [photographed(self.table) for _ in range(2)]
        self.person = met(self.table, photos[0], embedding=embedded(1, 0))
        also_in(self.table, self.person, photos[1], embedding=embedded(1, 1))
        for row in everything(self.table):
            if row["SK"].startswith("FACE#"):
                community.blobs.put(blob_keys.face_thumb(row["SK"].removeprefix("FACE#")), [b"crop"])

    def is_person(self, user: User, person: Person) -> User:
        """Returns new headers, since the caller holds the user as they were."""
        known = replace(user, person_id=person.person_id)
        self.table.write(Put(to_item(known)))
        return known

    def ask(self, method: str, path: str, who: User, **more: Any) -> Any:
        return self.browser.request(method, path, headers=self.community.session_of(who), **more)


@pytest.fixture
def setup(tmp_path: Path) -> Iterator[ErasureSetup]:
    community = Community(tmp_path)
    with community.browser() as browser:
        yield ErasureSetup(community, browser)


def test_a_user_who_erases_their_face_gets_a_receipt(setup: ErasureSetup) -> None:
    ann = setup.is_person(setup.community.ann, setup.person)
    receipt = setup.ask("DELETE", "/api/me/biometrics", ann).json()
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
    assert setup.ask("GET", f"/api/erasures/{receipt['erasureId']}", ann).json() == receipt
    assert find_person(setup.person.person_id, table=setup.table) is None
    assert "personId" not in setup.ask("GET", "/api/me/profile", ann).json()


def test_the_receipt_holds_nothing_by_which_the_face_could_be_recognized(setup: ErasureSetup) -> None:
    ann = setup.is_person(setup.community.ann, setup.person)
    setup.ask("DELETE", "/api/me/biometrics?keep=nothing", ann)
    setup.community.pass_time(minutes=1)
    [row] = [row for row in everything(setup.table) if row["PK"].startswith("ERASURE#")]
    assert not any(isinstance(value, bytes) for value in row.values())
    assert "faceIds" not in row


def test_with_keep_nothing_nothing_is_kept(setup: ErasureSetup) -> None:
    ann = setup.is_person(setup.community.ann, setup.person)
    receipt = setup.ask("DELETE", "/api/me/biometrics?keep=nothing", ann).json()
    assert "Nothing at all is kept" in receipt["message"]
    assert len(opt_out_vectors(ENGINE, table=setup.table)) == 0


def test_an_unknown_value_of_keep_is_refused(setup: ErasureSetup) -> None:
    ann = setup.is_person(setup.community.ann, setup.person)
    assert setup.ask("DELETE", "/api/me/biometrics?keep=all", ann).status_code == 422


def test_a_user_without_a_person_has_nothing_to_erase(setup: ErasureSetup) -> None:
    answer = setup.ask("DELETE", "/api/me/biometrics", setup.community.ann)
    assert answer.status_code == 404
    assert "/api/me/person" in answer.json()["message"]


def test_a_second_erasure_finds_no_person(setup: ErasureSetup) -> None:
    ann = setup.is_person(setup.community.ann, setup.person)
    path = f"/api/persons/{setup.person.person_id}/biometrics"
    assert [setup.ask("DELETE", path, ann).status_code for _ in range(2)] == [200, 404]


def test_a_user_may_erase_their_person_by_any_of_its_ids(setup: ErasureSetup) -> None:
    """The person was merged into another, and the user sees none of the photos."""
    private = photographed(setup.table, visibility=Visibility.PRIVATE, owner=BOB)
    other = met(setup.table, private)
    ann = setup.is_person(setup.community.ann, other)
    merge_persons(setup.person.person_id, other.person_id, who=BOB, at=NOON, table=setup.table)
    receipt = setup.ask("DELETE", f"/api/persons/{other.person_id}/biometrics", ann).json()
    assert receipt["before"]["faces"] == 3
    assert receipt["subject"] == ANN


def test_a_person_who_is_linked_to_two_accounts_is_not_erased_by_one_of_them(setup: ErasureSetup) -> None:
    setup.is_person(setup.community.ann, setup.person)
    mine = met(setup.table, photographed(setup.table))
    bob = setup.is_person(setup.community.bob, mine)
    merge_persons(mine.person_id, setup.person.person_id, who=BOB, at=NOON, table=setup.table)
    paths = ("/api/me/biometrics", f"/api/persons/{setup.person.person_id}/biometrics")
    assert {refusal(setup.ask("DELETE", path, bob)) for path in paths} == {(409, "CONFLICT", NOT_ALONE)}
    assert setup.ask("DELETE", paths[1], setup.community.carol).status_code == 200


def test_a_user_does_not_erase_faces_that_they_assigned_to_themselves(setup: ErasureSetup) -> None:
    mine = met(setup.table, photographed(setup.table))
    bob = setup.is_person(setup.community.bob, mine)
    merge_persons(mine.person_id, setup.person.person_id, who=BOB, at=NOON, table=setup.table)
    paths = ("/api/me/biometrics", f"/api/persons/{mine.person_id}/biometrics")
    assert {refusal(setup.ask("DELETE", path, bob)) for path in paths} == {(409, "CONFLICT", OWN_DECISION)}


def test_a_user_whose_person_has_no_face_gets_not_found(setup: ErasureSetup) -> None:
    ann = setup.is_person(setup.community.ann, setup.person)
    name_person(setup.person.person_id, "Ann", who=ANN, at=NOON, table=setup.table)
    for row in everything(setup.table):
        if row["SK"].startswith("FACE#"):
            remove_face(row["PK"], row["owner"], row["SK"].removeprefix("FACE#"), at=NOON, table=setup.table)
    assert refusal(setup.ask("DELETE", "/api/me/biometrics", ann)) == (404, "NOT_FOUND", NO_FACE)


def test_very_many_faces_are_erased_by_the_job(setup: ErasureSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(biometric_erasure, "MAX_AT_ONCE", 1)
    ann = setup.is_person(setup.community.ann, setup.person)
    answer = setup.ask("DELETE", "/api/me/biometrics", ann)
    assert (answer.status_code, answer.json()["message"]) == (202, ONGOING)
    stores = setup.community.stores
    event = ErasureBegun(answer.json()["erasureId"])
    erase_faces(event, table=stores.table, blobs=stores.blobs, index=stores.index, pipeline=stores.pipeline)
    receipt = setup.ask("GET", f"/api/erasures/{event.erasure_id}", ann).json()
    assert (receipt["before"]["faces"], receipt["after"]) == (2, EMPTY)


def test_an_administrator_erases_the_face_of_a_person(setup: ErasureSetup) -> None:
    path = f"/api/persons/{setup.person.person_id}/biometrics"
    receipt = setup.ask("DELETE", path, setup.community.carol).json()
    assert receipt["after"] == EMPTY
    assert receipt["subject"] == f"person:{setup.person.person_id}"
    entries = setup.ask("GET", "/api/admin/audit", setup.community.carol).json()["entries"]
    assert [(each["action"], each["target"]) for each in entries][:1] == [("face-forgotten", setup.person.person_id)]


def test_a_member_does_not_erase_another_person(setup: ErasureSetup) -> None:
    path = f"/api/persons/{setup.person.person_id}/biometrics"
    answer = setup.ask("DELETE", path, setup.community.bob)
    assert answer.status_code == 403
    assert find_person(setup.person.person_id, table=setup.table) is not None


def test_an_api_key_erases_a_face_only_with_the_scope_people(setup: ErasureSetup) -> None:
    ann = setup.is_person(setup.community.ann, setup.person)
    keys = [setup.community.key_of(ann, scope) for scope in (KeyScope.EDIT, KeyScope.PEOPLE)]
    answers = [setup.browser.delete("/api/me/biometrics", headers=key) for key in keys]
    assert [answer.status_code for answer in answers] == [403, 200]


def test_the_requester_may_delete_the_kept_vector(setup: ErasureSetup) -> None:
    path = f"/api/persons/{setup.person.person_id}/biometrics"
    receipt = setup.ask("DELETE", path, setup.community.carol).json()
    assert len(opt_out_vectors(ENGINE, table=setup.table)) == 1
    drop = f"/api/erasures/{receipt['erasureId']}/vector"
    assert setup.ask("DELETE", drop, setup.community.bob).status_code == 404
    assert setup.ask("DELETE", drop, setup.community.carol).status_code == 204
    assert len(opt_out_vectors(ENGINE, table=setup.table)) == 0


def test_an_erased_user_may_let_themselves_be_recognized_again(setup: ErasureSetup) -> None:
    ann = setup.is_person(setup.community.ann, setup.person)
    setup.ask("DELETE", "/api/me/biometrics", ann)
    assert setup.ask("GET", "/api/me/consent", ann).json()["recognise"] is False
    result = setup.ask("PUT", "/api/me/consent", ann, json={"recognise": True}).json()
    assert result["recognise"] is True
    assert (result["history"][0]["what"], result["history"][0]["allowed"]) == ("recognise", True)
    assert len(opt_out_vectors(ENGINE, table=setup.table)) == 0


def test_an_erasure_sends_its_job(setup: ErasureSetup) -> None:
    ann = setup.is_person(setup.community.ann, setup.person)
    setup.ask("DELETE", "/api/me/biometrics", ann)
    assert setup.community.stores.jobs.counts().delayed == 1


def test_a_crop_under_another_key_is_deleted_too(setup: ErasureSetup) -> None:
    """Imported rows may have such keys."""
    photo = photographed(setup.table)
    [face] = also_in(setup.table, setup.person, photo, embedding=embedded(1, 2))
    setup.community.blobs.put("faces/thumbs/elsewhere.jpg", [b"crop"])
    store_face(replace(face, thumb_key="faces/thumbs/elsewhere.jpg"), at=NOON, table=setup.table)
    ann = setup.is_person(setup.community.ann, setup.person)
    setup.ask("DELETE", "/api/me/biometrics", ann)
    assert setup.community.blobs.list("faces/").blobs == []
