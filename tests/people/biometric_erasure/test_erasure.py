"""Biometric erasure of a person: no trace is left, other decisions stand, and no job brings the person back."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparks.library import keys
from sparks.library.consent import BIOMETRICS, RECOGNIZE, history
from sparks.library.people.merge_suggestions import replace_suggestions
from sparks.library.people.person_decisions import (
    add_manual_face,
    assign_faces,
    mark_different,
    merge_persons,
    name_person,
    reject_faces,
    split_person,
    undo_decision,
)
from sparks.library.people.photo_faces import decisions_about, find_person
from sparks.library.people.recognition_opt_outs import opt_in, opt_out_vectors
from sparks.model.biometric_erasure import Keep, TraceCounts
from sparks.model.errors import NotFound
from sparks.model.events import PersonPicturesDue
from sparks.model.person import Suggestion
from sparks.model.photo import PhotoState, Visibility
from sparks.people.person_pictures import update_person_pictures
from sparks.table.memory import MemoryTable
from tests.account_makers import an_account
from tests.conformance.table.adapters import open_table
from tests.factories import ANN, BOB, a_face
from tests.library.people.rows import a_box, check_settled
from tests.people.biometric_erasure.erasure_library import XIA, YAN, ZOE, ErasureLibrary
from tests.people.face_library import ENGINE


@pytest.fixture
def library() -> ErasureLibrary:
    return ErasureLibrary(MemoryTable())


@pytest.fixture(params=["memory", "sqlite", "dynamodb"])
def any_library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ErasureLibrary]:
    """On each of the adapters in turn; not alone on a server."""
    if request.param == "dynamodb":
        yield ErasureLibrary(request.getfixturevalue("dynamodb"), engine=f"test-{uuid.uuid4()}")
        return
    with open_table(request.param, tmp_path) as table:
        yield ErasureLibrary(table)


def test_no_trace_of_an_erased_person_is_left(any_library: ErasureLibrary) -> None:
    library = any_library
    faces = [*library.photos(ZOE, times=2), *library.photo(ZOE, YAN)]
    library.regroup()
    zoe = library.person(faces[:3]).person_id
    receipt = library.erase_person(zoe, Keep.NOTHING)
    args = receipt.before
    assert args is not None
    assert receipt.after is not None
    assert receipt.after == TraceCounts()
    assert (args.faces, args.embeddings, args.crops, args.vectors, args.taggings, args.persons) == (3, 3, 3, 3, 3, 1)
    done = library.follow(receipt)
    assert done.after == receipt.after
    assert done.scanned_at is not None
    ids = [face.face_id for face in faces[:3]]
    assert library.traces(f"PERSON#{zoe}", *ids) == []
    assert [blob.key for blob in library.blobs.list().blobs if any(each in blob.key for each in ids)] == []


def test_other_persons_keep_their_faces(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    before = {who: library.person(faces[who]) for who in (YAN, XIA)}
    library.erase_person(library.person(faces[ZOE]).person_id)
    assert {who: library.person(faces[who]) for who in (YAN, XIA)} == before
    check_settled(library.table)


def test_persons_merged_into_an_erased_person_are_erased_too(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    zoe, yan = (library.person(faces[who]).person_id for who in (ZOE, YAN))
    merge_persons(zoe, yan, who=ANN, at=library.now(), table=library.table)  # and no face has moved yet
    receipt = library.erase_person(yan, Keep.NOTHING)
    assert set(receipt.person_ids) == {zoe, yan}
    assert receipt.before is not None
    assert receipt.before.faces == 8
    assert library.traces(zoe, yan) == []


def test_unassigned_faces_of_an_erased_person_are_erased_too(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    [unassigned] = library.photo(ZOE)
    [other] = library.photo(YAN)
    library.erase_person(library.person(faces[ZOE]).person_id, Keep.NOTHING)
    assert library.traces(unassigned.face_id) == []
    assert library.person_of(other) is None


def test_a_face_that_was_rejected_from_the_erased_person_stays(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    zoe = library.person(faces[ZOE]).person_id
    library.settle(reject_faces(zoe, faces[ZOE][:1], who=ANN, at=library.now(), table=library.table))
    library.erase_person(zoe, Keep.NOTHING)
    assert library.person_of(faces[ZOE][0]) is None
    library.settle_all()
    assert library.person_of(faces[ZOE][0]) is None
    assert library.traces(zoe) == []


def test_the_name_and_all_decisions_about_an_erased_person_are_removed(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    zoe, yan = (library.person(faces[who]).person_id for who in (ZOE, YAN))
    name_person(zoe, "Zoe", who=ANN, at=library.now(), table=library.table)
    mark_different(yan, zoe, who=ANN, at=library.now(), table=library.table)
    library.settle(assign_faces(zoe, faces[ZOE][:1], who=ANN, at=library.now(), table=library.table))
    receipt = library.erase_person(zoe)
    assert receipt.before is not None
    assert receipt.before.decisions == 3
    assert decisions_about(yan, table=library.table) == []
    assert library.traces(zoe, "Zoe") == []


def test_faces_that_were_taken_from_an_erased_person_stay_with_their_present_person(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    zoe = library.person(faces[ZOE]).person_id
    split = library.settle(split_person(zoe, faces[ZOE][:2], who=ANN, at=library.now(), table=library.table))
    library.erase_person(zoe, Keep.NOTHING)
    library.settle_all()
    assert library.persons_of(faces[ZOE][:2]) == {split.other_person_id}
    library.rebuild()
    assert library.persons_of(faces[ZOE][:2]) == {split.other_person_id}
    assert library.traces(zoe) == []
    check_settled(library.table)


def test_an_assignment_to_another_person_outlives_the_erased_engine_person(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    zoe, yan = (library.person(faces[who]).person_id for who in (ZOE, YAN))
    library.settle(assign_faces(yan, faces[ZOE][:1], who=ANN, at=library.now(), table=library.table))
    library.follow(library.erase_person(zoe, Keep.NOTHING))
    library.settle_all()
    assert library.person_of(faces[ZOE][0]) == yan
    assert library.traces(zoe) == []


def test_an_undone_decision_about_an_erased_person_is_removed(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    zoe = library.person(faces[ZOE]).person_id
    split = library.settle(split_person(zoe, faces[ZOE][:1], who=ANN, at=library.now(), table=library.table))
    undo_decision(split.decision_id, who=ANN, at=library.now(), table=library.table)
    library.settle(split)
    update_person_pictures(PersonPicturesDue(), table=library.table, blobs=library.blobs, pipeline=library.pipeline)
    library.erase_person(zoe, Keep.NOTHING)
    assert split.other_person_id is not None
    assert library.traces(zoe, split.other_person_id) == []


def test_a_manual_face_of_an_erased_person_is_erased(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    zoe = library.person(faces[ZOE]).person_id
    drawn = replace(a_face(library.photo_of(faces[YAN][0]), a_box(7)), engine=None)
    library.settle(add_manual_face(zoe, drawn, who=ANN, at=library.now(), table=library.table))
    library.erase_person(zoe)
    assert library.traces(zoe, drawn.face_id) == []


def test_merge_suggestions_about_an_erased_person_are_removed(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    zoe, yan = (library.person(faces[who]).person_id for who in (ZOE, YAN))
    pair = Suggestion(
        person_id=zoe,
        other_person_id=yan,
        face_id=faces[ZOE][0].face_id,
        other_face_id=faces[YAN][0].face_id,
        similarity=0.45,
    )
    replace_suggestions([pair], about=None, table=library.table)
    library.erase_person(zoe)
    assert library.traces(zoe) == []


def test_an_account_linked_to_an_erased_person_is_unlinked(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    zoe, yan = (library.person(faces[who]).person_id for who in (ZOE, YAN))
    an_account(library.table, ANN, person_id=zoe)
    an_account(library.table, BOB, person_id=yan, claimed_person_id=zoe)
    library.erase_person(zoe, account=ANN)
    assert library.traces(zoe) == []
    assert (library.table.get(keys.user(BOB)) or {})["personId"] == yan


@pytest.mark.parametrize("changes", [{"visibility": Visibility.PRIVATE}, {"state": PhotoState.TRASHED}], ids=str)
def test_faces_in_private_and_trashed_photos_are_erased_too(library: ErasureLibrary, changes: dict[str, Any]) -> None:
    faces = [face for _ in range(3) for face in library.photo(ZOE, owner=BOB, **changes)]
    library.regroup()
    zoe = library.person(faces).person_id
    library.erase_person(zoe, Keep.NOTHING)
    assert library.traces(zoe, *(face.face_id for face in faces)) == []


def test_the_consent_log_names_the_requester(library: ErasureLibrary) -> None:
    zoe = library.person(library.made_up_faces()[ZOE]).person_id
    library.erase_person(zoe)
    said = list(history(f"person:{zoe}", table=library.table))
    assert {(each.what, each.allowed, each.who) for each in said} == {
        (BIOMETRICS, False, ANN),
        (RECOGNIZE, False, ANN),
    }


def test_an_unknown_person_cannot_be_erased(library: ErasureLibrary) -> None:
    with pytest.raises(NotFound):
        library.begin("person99")


# -- Opt-outs


def test_one_vector_is_kept_on_request(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    library.erase_person(library.person(faces[ZOE]).person_id, Keep.VECTOR, ANN)
    assert opt_out_vectors(ENGINE, table=library.table).shape == (1, 128)
    assert [library.photo_of(face).forgotten_boxes for face in faces[ZOE]] == [(face.box,) for face in faces[ZOE]]


def test_nothing_is_kept_on_request(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    library.erase_person(library.person(faces[ZOE]).person_id, Keep.NOTHING, ANN)
    assert len(opt_out_vectors(ENGINE, table=library.table)) == 0
    assert {library.photo_of(face).forgotten_boxes for face in faces[ZOE]} == {()}


def test_allowing_recognition_again_deletes_the_opt_out_vector(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    library.erase_person(library.person(faces[ZOE]).person_id, Keep.VECTOR, ANN)
    library.erase_person(library.person(faces[YAN]).person_id, Keep.VECTOR, BOB)
    assert opt_in(ANN, table=library.table) == 1
    assert len(opt_out_vectors(ENGINE, table=library.table)) == 1


@pytest.mark.parametrize("keep", Keep)
def test_no_rebuild_brings_an_erased_person_back(library: ErasureLibrary, keep: Keep) -> None:
    faces = library.made_up_faces()
    zoe = library.person(faces[ZOE]).person_id
    library.erase_person(zoe, keep)
    library.rebuild()
    library.regroup()
    assert library.traces(zoe, *(face.face_id for face in faces[ZOE])) == []
    assert find_person(zoe, table=library.table) is None
