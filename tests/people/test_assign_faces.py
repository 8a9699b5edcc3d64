"""Assignment of new faces to persons whom they clearly match."""

from dataclasses import replace

import pytest

from sparks.library.people.person_decisions import merge_persons, reject_faces, undo_decision
from sparks.library.photos.photo_rows import find_photo
from sparks.model.errors import Unavailable
from sparks.model.events import FacesFound, PeopleDue
from sparks.model.face import Face
from sparks.model.photo import PhotoState
from sparks.model.pipeline_settings import PipelineSettings
from sparks.people.assign_faces import place_faces
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.account_makers import interrupted, keep
from tests.factories import BOB, a_photo
from tests.library.people.rows import check_settled
from tests.people.face_library import FaceLibrary


def placed(library: FaceLibrary, face: Face) -> PeopleDue | None:
    event = FacesFound(face.image_id, face.owner)
    library.index.catch_up(at=library.now())
    return place_faces(event, table=library.table, index=library.index, pipeline=library.pipeline)


@pytest.fixture
def known(library: FaceLibrary) -> list[Face]:
    """Four photos each of two persons."""
    faces = [*library.photos(0, times=4), *library.photos(1, times=4)]
    library.regroup()
    return faces


def test_a_face_that_clearly_matches_a_person_is_assigned_and_counted_at_once(
    library: FaceLibrary, known: list[Face]
) -> None:
    [face] = library.photo(0)
    assert placed(library, face) == PeopleDue()
    assert library.person([*known[:4], face]).member_count == 5
    check_settled(library.table)


def test_a_face_that_matches_no_person_stays_unassigned(library: FaceLibrary, known: list[Face]) -> None:
    [face] = library.photo(2)
    assert placed(library, face) == PeopleDue()
    assert library.person_of(face) is None


def test_assigning_twice_changes_nothing(library: FaceLibrary, known: list[Face]) -> None:
    [face] = library.photo(0)
    placed(library, face)
    before = library.whose()
    placed(library, face)
    assert library.whose() == before
    check_settled(library.table)


def test_after_an_interruption_anywhere_the_next_run_counts_the_assigned_face() -> None:
    after, cut = 0, True
    while cut:
        library = FaceLibrary(MemoryTable())
        known = library.photos(0, times=4)
        library.regroup()
        [face] = library.photo(0)
        library.index.catch_up(at=library.now())
        event = FacesFound(face.image_id, face.owner)
        try:
            place_faces(
                event, table=interrupted(library.table, after=after), index=library.index, pipeline=library.pipeline
            )
            cut = False
        except Unavailable:
            after += 1
        placed(library, face)
        assert library.person([*known, face]).member_count == 5
        check_settled(library.table)
    assert after > 1


def test_two_faces_of_a_photo_that_match_the_same_person_stay_unassigned(
    library: FaceLibrary, known: list[Face]
) -> None:
    faces = library.photo(0, 0)
    placed(library, faces[0])
    assert library.persons_of(faces) == {None}


def test_a_person_who_is_in_the_photo_is_not_assigned_a_second_face(library: FaceLibrary, known: list[Face]) -> None:
    [first] = library.photo(0)
    placed(library, first)
    photo = find_photo(first.image_id, table=library.table)
    assert photo is not None
    second = library.face(photo, 0, 1)
    placed(library, second)
    assert library.person_of(second) is None


def test_a_face_is_not_assigned_to_a_person_from_whom_it_was_rejected(library: FaceLibrary, known: list[Face]) -> None:
    ann = library.person(known[:4]).person_id
    library.settle(reject_faces(ann, known[:1], who=BOB, at=library.now(), table=library.table))
    placed(library, known[0])
    assert library.person_of(known[0]) is None


def test_a_face_like_one_of_two_merged_persons_returns_to_that_one_when_the_merge_is_undone(
    library: FaceLibrary, known: list[Face]
) -> None:
    ann, bob = library.person(known[:4]).person_id, library.person(known[4:]).person_id
    merging = library.settle(merge_persons(ann, bob, who=BOB, at=library.now(), table=library.table))
    [face] = library.photo(1)
    placed(library, face)
    assert library.person_of(face) == ann
    library.settle(undo_decision(merging.decision_id, who=BOB, at=library.now(), table=library.table))
    assert library.person_of(face) == bob
    check_settled(library.table)


def test_no_event_follows_for_a_photo_without_faces(library: FaceLibrary) -> None:
    photo = a_photo()
    keep(library.table, photo)
    event = FacesFound(photo.image_id, photo.owner)
    assert place_faces(event, table=library.table, index=library.index, pipeline=library.pipeline) is None


def test_no_event_follows_for_a_photo_that_is_being_deleted(library: FaceLibrary, known: list[Face]) -> None:
    [face] = library.photo(0)
    photo = find_photo(face.image_id, table=library.table)
    assert photo is not None
    keep(library.table, replace(photo, state=PhotoState.DELETING))
    assert placed(library, face) is None


def test_no_event_follows_where_faces_are_off(table: Table, library: FaceLibrary) -> None:
    [face] = library.photo(0)
    event = FacesFound(face.image_id, face.owner)
    assert place_faces(event, table=table, index=library.index, pipeline=PipelineSettings()) is None
    assert place_faces(event, table=table, index=None, pipeline=library.pipeline) is None
