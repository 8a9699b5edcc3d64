"""The erasure job: finds every trace, finishes interrupted erasures, and is safe beside concurrent changes."""

from contextlib import suppress
from functools import partial

import pytest

from sparks.library import blob_keys, keys
from sparks.library.people.face_assignment import assign_face, found_person
from sparks.library.people.person_decisions import (
    assign_faces,
    merge_persons,
    name_person,
)
from sparks.library.people.photo_faces import find_face, find_person
from sparks.model.biometric_erasure import Keep, TraceCounts
from sparks.model.errors import Unavailable
from sparks.model.events import ErasureBegun, UpkeepDue
from sparks.model.face import Face
from sparks.people import apply_plan
from sparks.people.biometric_erasure.erase import RESUME_AFTER, resume_erasures
from sparks.table.memory import MemoryTable
from sparks.table.port import Set
from tests.account_makers import an_account, interrupted
from tests.factories import ANN, BOB, NOON
from tests.library.people.rows import check_settled
from tests.library.tables import Meddled
from tests.people.biometric_erasure.erasure_library import YAN, ZOE, ErasureLibrary
from tests.people.power_failure import Power, PoweredTable


@pytest.fixture
def library() -> ErasureLibrary:
    return ErasureLibrary(MemoryTable())


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
