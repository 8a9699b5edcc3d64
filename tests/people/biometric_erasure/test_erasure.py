"""Biometric erasure of a person: no trace is left, other decisions stand, and no job brings the person back."""

import re
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sparks.library import blob_keys, keys
from sparks.library.consent import BIOMETRICS, RECOGNIZE, history
from sparks.library.people.face_assignment import assign_face, found_person
from sparks.library.people.face_rows import store_face
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
from sparks.library.people.photo_faces import decisions_about, find_face, find_person
from sparks.library.people.recognition_opt_outs import opt_in, opt_out_vectors
from sparks.library.photos.photo_rows import find_photo
from sparks.model.biometric_erasure import Erasure, Keep, TraceCounts
from sparks.model.errors import NotFound, Unavailable
from sparks.model.events import ErasureBegun, UpkeepDue
from sparks.model.face import Face
from sparks.model.person import Suggestion
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.people import apply_plan
from sparks.people.biometric_erasure.begin import ErasureRequest, begin_erasure
from sparks.people.biometric_erasure.erase import RESUME_AFTER, erase_faces, erase_listed, resume_erasures
from sparks.people.biometric_erasure.receipts import find_erasure
from sparks.table.memory import MemoryTable
from sparks.table.port import Set, Table
from tests.account_makers import an_account, everything, interrupted
from tests.conformance.table.adapters import open_table
from tests.factories import ANN, BOB, NOON, a_face
from tests.library.people.rows import a_box, check_settled
from tests.library.tables import Meddled
from tests.people.face_library import ENGINE, FaceLibrary
from tests.people.power_failure import Power, PoweredTable

ZOE, YAN, XIA = 1, 2, 3


class ErasureLibrary(FaceLibrary):
    """A library whose faces have crops, with biometric erasures."""

    def face(self, *args: Any, **more: Any) -> Face:
        face = super().face(*args, **more)
        return self.with_crop(face)

    def with_crop(self, face: Face) -> Face:
        key = blob_keys.face_thumb(face.face_id)
        self.blobs.put(key, [b"crop of " + face.face_id.encode()], content_type="image/jpeg")
        return store_face(replace(face, thumb_key=key), at=self.clock, table=self.table)

    def begin(
        self, person_id: str, keep: Keep = Keep.VECTOR, account: str | None = None, table: Table | None = None
    ) -> Erasure:
        request = ErasureRequest(person_id=person_id, keep=keep, who=ANN, account=account, at=self.now())
        return begin_erasure(
            request, table=table or self.table, blobs=self.blobs, index=self.index, pipeline=self.pipeline
        )

    def erase_person(self, person_id: str, keep: Keep = Keep.VECTOR, account: str | None = None) -> Erasure:
        return self.erase(self.begin(person_id, keep, account))

    def erase(self, erasure: Erasure, table: Table | None = None) -> Erasure:
        return erase_listed(
            erasure, table=table or self.table, blobs=self.blobs, index=self.index, pipeline=self.pipeline
        )

    def follow(self, erasure: Erasure, table: Table | None = None) -> Erasure:
        event = ErasureBegun(erasure.erasure_id)
        erase_faces(event, table=table or self.table, blobs=self.blobs, index=self.index, pipeline=self.pipeline)
        done = find_erasure(erasure.erasure_id, table=self.table)
        assert done is not None
        return done

    def made_up_faces(self) -> dict[int, list[Face]]:
        """Three people with three photos each, and one of all."""
        faces = {who: self.photos(who, times=3) for who in (ZOE, YAN, XIA)}
        for who, face in zip(faces, self.photo(*faces), strict=True):
            faces[who].append(face)
        self.regroup()
        return faces

    def traces(self, *telling: str) -> list[str]:
        """The rows, but for receipts and ledgers, that hold one of these texts."""
        kept = ("ERASURE#", "CONSENT#", "FACE_INGEST#", "JOB#")
        rows = [row for row in everything(self.table) if not row["PK"].startswith(kept)]
        args = re.compile("|".join(f"{re.escape(text)}(?!\\d)" for text in telling))
        return [f"{row['PK']} | {row['SK']}" for row in rows if args.search(repr(row))]

    def photo_of(self, face: Face) -> Photo:
        photo = find_photo(face.image_id, table=self.table)
        assert photo is not None
        return photo


@pytest.fixture
def library() -> ErasureLibrary:
    return ErasureLibrary(MemoryTable())


@pytest.fixture(params=["memory", "sqlite", "dynamodb"])
def any_town(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ErasureLibrary]:
    """On each of the adapters in turn; not alone on a server."""
    if request.param == "dynamodb":
        yield ErasureLibrary(request.getfixturevalue("dynamodb"), engine=f"test-{uuid.uuid4()}")
        return
    with open_table(request.param, tmp_path) as table:
        yield ErasureLibrary(table)


def test_no_trace_of_an_erased_person_is_left(any_town: ErasureLibrary) -> None:
    library = any_town
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
        made_at=NOON,
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


# -- The job


def test_the_job_alone_erases_everything_and_only_once(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    library.photo(ZOE)
    begun = library.begin(library.person(faces[ZOE]).person_id)
    assert begun.face_ids != ()
    done = library.follow(begun)
    assert done.scanned_at is not None
    assert done.after is not None
    assert done.after == TraceCounts()
    assert done.face_ids == ()
    assert library.follow(begun) == done


def test_the_job_finds_traces_that_no_list_leads_to(library: ErasureLibrary) -> None:
    """The engine assigned the face to the person just before people assigned it to another; no decision names it."""
    faces = library.made_up_faces()
    zoe = library.person(faces[ZOE]).person_id
    library.table.write(Set(keys.face(faces[YAN][0].image_id, faces[YAN][0].face_id), {"homePersonId": zoe}))
    receipt = library.erase_person(zoe)
    assert library.traces(zoe) != []
    library.follow(receipt)
    assert library.traces(zoe) == []


@pytest.mark.parametrize("keep", Keep)
def test_the_job_finishes_an_erasure_that_was_interrupted_anywhere(keep: Keep) -> None:
    after, cut = 0, True
    while cut:
        library = ErasureLibrary(MemoryTable())
        faces = [*library.photos(ZOE, times=2), *library.photo(ZOE, YAN)[:1], *library.photos(YAN, times=2)]
        library.regroup()
        zoe = library.person(faces[:3]).person_id
        an_account(library.table, BOB, with_password=False, person_id=zoe)
        name_person(zoe, "Zoe", who=ANN, at=library.now(), table=library.table)
        library.settle(assign_faces(zoe, faces[:1], who=ANN, at=library.now(), table=library.table))
        begun = library.begin(zoe, keep)
        try:
            library.erase(begun, table=interrupted(library.table, after=after))
            cut = False
        except Unavailable:
            after += 1
        done = library.follow(begun)
        assert done.after is not None
        assert done.after == TraceCounts()
        assert library.traces(zoe, "Zoe", *(face.face_id for face in faces[:3])) == []
        assert [blob.key for blob in library.blobs.list().blobs if faces[0].face_id in blob.key] == []
        check_settled(library.table)
    assert after > 5


def test_upkeep_sends_the_event_of_an_unfinished_erasure_again(library: ErasureLibrary) -> None:
    begun = library.begin(library.person(library.made_up_faces()[ZOE]).person_id)
    assert list(resume_erasures(UpkeepDue(begun.asked_at), table=library.table)) == []
    late = UpkeepDue(begun.asked_at + RESUME_AFTER)
    assert list(resume_erasures(late, table=library.table)) == [ErasureBegun(begun.erasure_id)]
    library.follow(begun)
    assert list(resume_erasures(late, table=library.table)) == []


# -- Meanwhile


def test_a_face_that_comes_while_the_erasure_begins_is_erased_too(library: ErasureLibrary) -> None:
    """The job that found it did not see the opt-out yet."""
    zoe, came = library.person(library.made_up_faces()[ZOE]).person_id, list[Face]()
    begun = library.begin(zoe, table=Meddled(library.table, lambda: came.extend(library.photo(ZOE))))
    library.erase(begun)
    assert len(came) == 1
    assert find_face(came[0].face_id, table=library.table) is None


def test_a_person_merged_into_an_erased_one_meanwhile_does_not_bring_them_back(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()
    zoe, yan = (library.person(faces[who]).person_id for who in (ZOE, YAN))
    begun = library.begin(zoe)
    merge_persons(zoe, yan, who=BOB, at=library.now(), table=library.table)
    library.follow(library.erase(begun))
    library.settle_all()
    assert library.traces(zoe, yan) == []


def test_a_crop_that_is_stored_again_during_the_erasure_is_deleted(library: ErasureLibrary) -> None:
    faces = library.made_up_faces()[ZOE]
    zoe, crops = library.person(faces).person_id, [blob_keys.face_thumb(face.face_id) for face in faces]

    def cut_anew() -> None:
        for key in crops:
            if find_face(key.removeprefix(blob_keys.FACE_THUMBS).removesuffix(".jpg"), table=library.table) is not None:
                library.blobs.put(key, [b"late"])

    library.erase(library.begin(zoe), table=Meddled(library.table, *[cut_anew] * 100))
    assert {blob.key for blob in library.blobs.list().blobs}.isdisjoint(crops)


def test_a_person_who_is_recognized_in_the_same_photo_meanwhile_stays_on_its_row() -> None:
    after, met = 0, True
    while met:
        library = ErasureLibrary(MemoryTable())
        faces = library.photos(ZOE, times=2)
        library.regroup()
        zoe = library.person(faces).person_id
        yan = library.face(library.photo_of(faces[0]), YAN, 1)
        founding = Meddled(library.table, *[_nothing] * after, partial(found_person, yan, at=NOON, table=library.table))
        library.erase(library.begin(zoe), table=founding)
        after, met = after + 1, library.person_of(yan) is not None
        assert library.photo_of(yan).persons == ((library.person_of(yan),) if met else ())
    assert after > 5


def test_two_concurrent_erasures_keep_the_boxes_of_both() -> None:
    for after in range(6):
        library = ErasureLibrary(MemoryTable())
        faces = library.made_up_faces()
        zoe, yan = (library.person(faces[who]).person_id for who in (ZOE, YAN))
        meanwhile = Meddled(library.table, *[_nothing] * after, partial(library.erase_person, yan))
        library.erase(library.begin(zoe), table=meanwhile)
        boxes = {box for face in faces[ZOE] for box in library.photo_of(face).forgotten_boxes}
        assert boxes >= {faces[ZOE][-1].box, faces[YAN][-1].box}


def _nothing() -> None:
    pass


def test_a_rebuild_plan_does_not_create_a_person_who_was_erased_since(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apply_plan, "BATCH_SIZE", 2)
    library = ErasureLibrary(MemoryTable())
    yans, zoes = library.photos(YAN, times=6), library.photos(ZOE, times=4)
    mixed = found_person(yans[0], at=library.now(), table=library.table)
    assert mixed is not None
    for face in (*yans[1:], *zoes):
        assign_face(face, mixed.person_id, at=library.now(), table=library.table)
    with suppress(Unavailable):
        library.rebuild(table=PoweredTable(library.table, Power(12)))
    [zoe] = {face.person_id or "" for face in library.faces()} - {mixed.person_id}
    library.wait(minutes=2)

    library.follow(library.erase_person(zoe, Keep.NOTHING))
    library.rebuild()

    assert find_person(zoe, table=library.table) is None
