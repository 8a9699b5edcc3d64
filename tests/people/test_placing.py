"""A face that clearly is somebody's is theirs at once; any doubt waits."""

from dataclasses import replace

import pytest

from sparks.library.people import merge_persons, reject_faces, undo_decision
from sparks.library.photos import find_photo
from sparks.model.errors import Unavailable
from sparks.model.events import FacesFound, PeopleDue
from sparks.model.face import Face
from sparks.model.photo import PhotoState
from sparks.model.terms import Terms
from sparks.people.placing import place_faces
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.accounts import interrupted, keep
from tests.factories import BOB, a_photo
from tests.library.people.rows import check_settled
from tests.people.town import Town


def placed(town: Town, face: Face) -> PeopleDue | None:
    event = FacesFound(face.image_id, face.owner)
    town.index.catch_up(at=town.now())
    return place_faces(event, table=town.table, index=town.index, terms=town.terms)


@pytest.fixture
def known(town: Town) -> list[Face]:
    """Four photos each of two persons."""
    faces = [*town.photos(0, times=4), *town.photos(1, times=4)]
    town.regroup()
    return faces


def test_a_face_that_clearly_is_somebodys_is_theirs_at_once_and_counted(town: Town, known: list[Face]) -> None:
    [face] = town.photo(0)
    assert placed(town, face) == PeopleDue()
    assert town.person([*known[:4], face]).member_count == 5
    check_settled(town.table)


def test_a_face_of_a_stranger_waits(town: Town, known: list[Face]) -> None:
    [face] = town.photo(2)
    assert placed(town, face) == PeopleDue()
    assert town.person_of(face) is None


def test_placing_twice_changes_nothing(town: Town, known: list[Face]) -> None:
    [face] = town.photo(0)
    placed(town, face)
    before = town.whose()
    placed(town, face)
    assert town.whose() == before
    check_settled(town.table)


def test_wherever_placing_is_interrupted_the_next_run_counts_what_was_placed() -> None:
    after, cut = 0, True
    while cut:
        town = Town(MemoryTable())
        known = town.photos(0, times=4)
        town.regroup()
        [face] = town.photo(0)
        town.index.catch_up(at=town.now())
        event = FacesFound(face.image_id, face.owner)
        try:
            place_faces(event, table=interrupted(town.table, after=after), index=town.index, terms=town.terms)
            cut = False
        except Unavailable:
            after += 1
        placed(town, face)
        assert town.person([*known, face]).member_count == 5
        check_settled(town.table)
    assert after > 1


def test_two_faces_of_a_photo_that_seem_to_be_one_person_are_a_doubt(town: Town, known: list[Face]) -> None:
    faces = town.photo(0, 0)
    placed(town, faces[0])
    assert town.persons_of(faces) == {None}


def test_nobody_is_twice_in_a_photo(town: Town, known: list[Face]) -> None:
    [first] = town.photo(0)
    placed(town, first)
    photo = find_photo(first.image_id, table=town.table)
    assert photo is not None
    second = town.face(photo, 0, 1)
    placed(town, second)
    assert town.person_of(second) is None


def test_a_face_is_not_placed_with_one_whom_people_said_it_is_not(town: Town, known: list[Face]) -> None:
    ann = town.person(known[:4]).person_id
    town.settle(reject_faces(ann, known[:1], who=BOB, at=town.now(), table=town.table))
    placed(town, known[0])
    assert town.person_of(known[0]) is None


def test_who_is_like_one_of_two_that_were_merged_is_theirs_until_that_is_undone(town: Town, known: list[Face]) -> None:
    ann, bob = town.person(known[:4]).person_id, town.person(known[4:]).person_id
    merging = town.settle(merge_persons(ann, bob, who=BOB, at=town.now(), table=town.table))
    [face] = town.photo(1)
    placed(town, face)
    assert town.person_of(face) == ann
    town.settle(undo_decision(merging.decision_id, who=BOB, at=town.now(), table=town.table))
    assert town.person_of(face) == bob
    check_settled(town.table)


def test_nothing_follows_where_there_is_no_face(town: Town) -> None:
    photo = a_photo()
    keep(town.table, photo)
    event = FacesFound(photo.image_id, photo.owner)
    assert place_faces(event, table=town.table, index=town.index, terms=town.terms) is None


def test_nothing_follows_where_the_photo_is_on_its_way_out(town: Town, known: list[Face]) -> None:
    [face] = town.photo(0)
    photo = find_photo(face.image_id, table=town.table)
    assert photo is not None
    keep(town.table, replace(photo, state=PhotoState.DELETING))
    assert placed(town, face) is None


def test_nothing_follows_where_faces_are_off(table: Table, town: Town) -> None:
    [face] = town.photo(0)
    event = FacesFound(face.image_id, face.owner)
    assert place_faces(event, table=table, index=town.index, terms=Terms()) is None
    assert place_faces(event, table=table, index=None, terms=town.terms) is None
