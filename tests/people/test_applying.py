"""Steps of a plan: each holds only while its face is still whose the plan says, and a repeat is harmless."""

from collections.abc import Sequence

import pytest

from sparks.library.people import (
    assign_faces,
    find_face,
    find_person,
    merge_persons,
    next_person_ids,
    remove_face,
    undo_decision,
)
from sparks.model.errors import Unavailable
from sparks.model.face import Face
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.people.applying import AT_ONCE, Applied, apply_steps
from sparks.people.plan import Found, Leave, Move, Step
from sparks.table.memory import MemoryTable
from tests.accounts import interrupted
from tests.factories import ANN, BOB
from tests.library.people.rows import FEW, check_settled
from tests.people.town import Town

SEEN = {COMMUNITY, scope_of_owner(ANN)}  # of Ann's photos


def apply(town: Town, *steps: Step) -> Applied:
    return apply_steps(steps, at=town.now(), enough=FEW, table=town.table)


@pytest.fixture
def town() -> Town:
    return Town(MemoryTable())


@pytest.fixture
def faces(town: Town) -> list[Face]:
    """Three photos of one person."""
    faces = town.photos(0, times=3)
    town.regroup()
    return faces


@pytest.fixture
def ann(town: Town, faces: list[Face]) -> str:
    return town.person(faces).person_id


@pytest.fixture
def new(town: Town) -> str:
    [person_id] = next_person_ids(1, table=town.table)
    return person_id


def test_a_person_begins_with_the_first_face_that_comes(town: Town, faces: list[Face], ann: str, new: str) -> None:
    applied = apply(town, Found(new), *(Move(face.face_id, ann, new) for face in faces[:2]))
    assert applied == Applied({new}, {ann}, SEEN)
    assert town.person(faces[:2]).member_count == 2
    assert town.person(faces[2:]).person_id == ann
    check_settled(town.table)


def test_who_lost_the_last_face_is_gone(town: Town, faces: list[Face], ann: str, new: str) -> None:
    apply(town, Found(new), *(Move(face.face_id, ann, new) for face in faces), Leave(ann))
    assert find_person(ann, table=town.table) is None
    check_settled(town.table)


def test_a_face_that_is_somebody_elses_by_now_stays_there(town: Town, faces: list[Face], ann: str, new: str) -> None:
    [other] = town.photo(1)
    town.regroup()
    bob = town.person([other]).person_id
    applied = apply(town, Found(new), Move(other.face_id, ann, new), Move(other.face_id, None, new))
    assert applied == Applied()
    assert town.person_of(other) == bob
    assert find_person(new, table=town.table) is None


def test_a_face_that_people_gave_to_somebody_stays_there(town: Town, faces: list[Face], ann: str, new: str) -> None:
    assign_faces(ann, faces[:1], who=BOB, at=town.now(), table=town.table)
    apply(town, Found(new), Move(faces[0].face_id, ann, new), Move(faces[0].face_id, ann, None))
    assert town.person_of(faces[0]) == ann
    check_settled(town.table)


def test_a_face_that_is_gone_is_passed_over(town: Town, faces: list[Face], ann: str, new: str) -> None:
    gone = faces[0]
    remove_face(gone.image_id, gone.owner, gone.face_id, at=town.now(), table=town.table)
    applied = apply(town, Found(new), *(Move(face.face_id, ann, new) for face in faces[:2]))
    assert applied.created == {new}
    assert town.person_of(faces[1]) == new


def test_a_face_becomes_nobodys_and_waits(town: Town, faces: list[Face], ann: str) -> None:
    assert apply(town, Move(faces[0].face_id, ann, None)) == Applied(set(), {ann}, SEEN)
    assert town.person_of(faces[0]) is None
    check_settled(town.table)


def test_a_move_between_two_who_were_merged_leaves_all_as_it_was(town: Town, faces: list[Face], ann: str) -> None:
    [other] = town.photo(1)
    town.regroup()
    bob = town.person([other]).person_id
    merging = town.settle(merge_persons(ann, bob, who=BOB, at=town.now(), table=town.table))
    assert apply(town, Move(other.face_id, bob, ann)) == Applied()
    town.settle(undo_decision(merging.decision_id, who=BOB, at=town.now(), table=town.table))
    assert town.person_of(other) == bob


def test_each_few_steps_are_noted_before_they_are_taken(town: Town) -> None:
    faces = town.photos(0, times=AT_ONCE + 2)
    town.regroup()
    ann = town.person(faces).person_id
    noted: list[tuple[int, int, int]] = []

    def note(position: int, face_ids: Sequence[str]) -> None:
        noted.append((position, len(face_ids), len(town.whose())))

    steps = [Move(face.face_id, ann, None) for face in faces]
    apply_steps(steps, at=town.now(), enough=FEW, table=town.table, note=note)
    assert noted == [(0, AT_ONCE, len(faces)), (AT_ONCE, 2, 2), (len(faces), 0, 0)]


def test_killed_at_any_write_the_same_steps_lead_to_the_same_end() -> None:
    writes = 0
    while True:
        town = Town(MemoryTable())
        faces = town.photos(0, times=3)
        town.regroup()
        ann = town.person(faces).person_id
        [new] = next_person_ids(1, table=town.table)
        moves = [Move(face.face_id, ann, after) for face, after in zip(faces, (new, new, None), strict=True)]
        steps: list[Step] = [Found(new), *moves, Leave(ann)]
        table = interrupted(town.table, after=writes)
        try:
            apply_steps(steps, at=town.now(), enough=FEW, table=table)
        except Unavailable:
            writes += 1
        else:
            break
        apply(town, *steps)
        assert [town.person_of(face) for face in faces] == [new, new, None]
        assert find_person(ann, table=town.table) is None
        check_settled(town.table)
    assert writes > 10


def test_a_face_moves_to_the_home_it_is_like(town: Town, faces: list[Face], ann: str) -> None:
    [other], [late] = town.photo(1), town.photo(2)
    town.regroup()
    bob, eve = town.person([other]).person_id, town.person([late]).person_id
    town.settle(merge_persons(ann, bob, who=BOB, at=town.now(), table=town.table))
    apply(town, Move(late.face_id, eve, bob))
    moved = find_face(late.face_id, table=town.table)
    assert moved is not None
    assert (moved.person_id, moved.home) == (ann, bob)
