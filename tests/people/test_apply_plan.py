"""Application of a plan: a step applies only while its face has the planned person, and a repeat is harmless."""

from collections.abc import Sequence

import pytest

from sparks.library.people.face_assignment import next_person_ids
from sparks.library.people.face_rows import remove_face
from sparks.library.people.person_decisions import assign_faces, merge_persons, undo_decision
from sparks.library.people.photo_faces import find_face, find_person
from sparks.model.errors import Unavailable
from sparks.model.face import Face
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.people.apply_plan import BATCH_SIZE, AppliedChanges, apply_steps
from sparks.people.change_plan import CreatePerson, MoveFace, PlanStep, RemovePerson
from sparks.table.memory import MemoryTable
from tests.account_makers import interrupted
from tests.factories import ANN, BOB
from tests.library.people.rows import FEW, check_settled
from tests.people.face_library import FaceLibrary

SEEN = {COMMUNITY, scope_of_owner(ANN)}  # of Ann's photos


def apply(library: FaceLibrary, *steps: PlanStep) -> AppliedChanges:
    return apply_steps(steps, at=library.now(), min_photos=FEW, table=library.table)


@pytest.fixture
def library() -> FaceLibrary:
    return FaceLibrary(MemoryTable())


@pytest.fixture
def faces(library: FaceLibrary) -> list[Face]:
    """Three photos of one person."""
    faces = library.photos(0, times=3)
    library.regroup()
    return faces


@pytest.fixture
def ann(library: FaceLibrary, faces: list[Face]) -> str:
    return library.person(faces).person_id


@pytest.fixture
def new(library: FaceLibrary) -> str:
    [person_id] = next_person_ids(1, table=library.table)
    return person_id


def test_a_person_is_created_with_the_first_face_that_moves(
    library: FaceLibrary, faces: list[Face], ann: str, new: str
) -> None:
    applied = apply(library, CreatePerson(new), *(MoveFace(face.face_id, ann, new) for face in faces[:2]))
    assert applied == AppliedChanges({new}, {ann}, SEEN)
    assert library.person(faces[:2]).member_count == 2
    assert library.person(faces[2:]).person_id == ann
    check_settled(library.table)


def test_a_person_who_loses_the_last_face_is_removed(
    library: FaceLibrary, faces: list[Face], ann: str, new: str
) -> None:
    apply(library, CreatePerson(new), *(MoveFace(face.face_id, ann, new) for face in faces), RemovePerson(ann))
    assert find_person(ann, table=library.table) is None
    check_settled(library.table)


def test_a_face_that_has_moved_to_another_person_meanwhile_stays(
    library: FaceLibrary, faces: list[Face], ann: str, new: str
) -> None:
    [other] = library.photo(1)
    library.regroup()
    bob = library.person([other]).person_id
    applied = apply(library, CreatePerson(new), MoveFace(other.face_id, ann, new), MoveFace(other.face_id, None, new))
    assert applied == AppliedChanges()
    assert library.person_of(other) == bob
    assert find_person(new, table=library.table) is None


def test_a_face_that_people_assigned_stays(library: FaceLibrary, faces: list[Face], ann: str, new: str) -> None:
    assign_faces(ann, faces[:1], who=BOB, at=library.now(), table=library.table)
    apply(library, CreatePerson(new), MoveFace(faces[0].face_id, ann, new), MoveFace(faces[0].face_id, ann, None))
    assert library.person_of(faces[0]) == ann
    check_settled(library.table)


def test_a_removed_face_is_skipped(library: FaceLibrary, faces: list[Face], ann: str, new: str) -> None:
    gone = faces[0]
    remove_face(gone.image_id, gone.owner, gone.face_id, at=library.now(), table=library.table)
    applied = apply(library, CreatePerson(new), *(MoveFace(face.face_id, ann, new) for face in faces[:2]))
    assert applied.created == {new}
    assert library.person_of(faces[1]) == new


def test_a_move_to_no_person_leaves_the_face_unassigned(library: FaceLibrary, faces: list[Face], ann: str) -> None:
    assert apply(library, MoveFace(faces[0].face_id, ann, None)) == AppliedChanges(set(), {ann}, SEEN)
    assert library.person_of(faces[0]) is None
    check_settled(library.table)


def test_a_move_between_two_merged_persons_changes_nothing(library: FaceLibrary, faces: list[Face], ann: str) -> None:
    [other] = library.photo(1)
    library.regroup()
    bob = library.person([other]).person_id
    merging = library.settle(merge_persons(ann, bob, who=BOB, at=library.now(), table=library.table))
    assert apply(library, MoveFace(other.face_id, bob, ann)) == AppliedChanges()
    library.settle(undo_decision(merging.decision_id, who=BOB, at=library.now(), table=library.table))
    assert library.person_of(other) == bob


def test_each_batch_of_steps_is_noted_before_it_is_applied(library: FaceLibrary) -> None:
    faces = library.photos(0, times=BATCH_SIZE + 2)
    library.regroup()
    ann = library.person(faces).person_id
    noted: list[tuple[int, int, int]] = []

    def note(position: int, face_ids: Sequence[str]) -> None:
        noted.append((position, len(face_ids), len(library.whose())))

    steps = [MoveFace(face.face_id, ann, None) for face in faces]
    apply_steps(steps, at=library.now(), min_photos=FEW, table=library.table, note=note)
    assert noted == [(0, BATCH_SIZE, len(faces)), (BATCH_SIZE, 2, 2), (len(faces), 0, 0)]


def test_steps_that_are_repeated_after_an_interruption_at_any_write_end_the_same() -> None:
    writes = 0
    while True:
        library = FaceLibrary(MemoryTable())
        faces = library.photos(0, times=3)
        library.regroup()
        ann = library.person(faces).person_id
        [new] = next_person_ids(1, table=library.table)
        moves = [MoveFace(face.face_id, ann, after) for face, after in zip(faces, (new, new, None), strict=True)]
        steps: list[PlanStep] = [CreatePerson(new), *moves, RemovePerson(ann)]
        table = interrupted(library.table, after=writes)
        try:
            apply_steps(steps, at=library.now(), min_photos=FEW, table=table)
        except Unavailable:
            writes += 1
        else:
            break
        apply(library, *steps)
        assert [library.person_of(face) for face in faces] == [new, new, None]
        assert find_person(ann, table=library.table) is None
        check_settled(library.table)
    assert writes > 10


def test_a_face_moves_to_the_engine_person_that_the_plan_names(
    library: FaceLibrary, faces: list[Face], ann: str
) -> None:
    [other], [late] = library.photo(1), library.photo(2)
    library.regroup()
    bob, eve = library.person([other]).person_id, library.person([late]).person_id
    library.settle(merge_persons(ann, bob, who=BOB, at=library.now(), table=library.table))
    apply(library, MoveFace(late.face_id, eve, bob))
    moved = find_face(late.face_id, table=library.table)
    assert moved is not None
    assert (moved.person_id, moved.engine_person_id) == (ann, bob)
