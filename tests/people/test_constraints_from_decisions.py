"""Constraints made of decisions: whose a face certainly is, and whose it is not."""

from collections.abc import Iterable

import pytest

from sparks.library.people.decision_log import all_decisions
from sparks.library.people.person_decisions import (
    assign_faces,
    hide_person,
    mark_different,
    merge_persons,
    name_person,
    reject_faces,
    split_person,
    undo_decision,
)
from sparks.library.people.redirects import Redirects
from sparks.model.face import Face
from sparks.people.clustering.constraints import Constraints
from sparks.people.constraints_from_decisions import MAX_CERTAIN_FACES, constraints_for
from sparks.people.face_arrays import columns_of, engine_person_of, thresholds_of
from sparks.table.memory import MemoryTable
from tests.factories import BOB
from tests.people.face_library import FaceLibrary
from tests.people.makers import POOR


def constraints_in(library: FaceLibrary) -> Constraints:
    pipeline = library.pipeline.faces
    assert pipeline is not None
    rows = {face.face_id: face for face in library.faces()}
    return constraints_for(
        rows,
        columns_of(rows.values(), pipeline),
        persons=library.persons(),
        decisions=all_decisions(table=library.table),
        resolve=Redirects(library.table),
        thresholds=thresholds_of(pipeline),
    )


def ids(faces: Iterable[Face]) -> frozenset[str]:
    return frozenset(face.face_id for face in faces)


@pytest.fixture
def library() -> FaceLibrary:
    return FaceLibrary(MemoryTable())


@pytest.fixture
def anns(library: FaceLibrary) -> list[Face]:
    faces = library.photos(0, times=10)
    library.regroup()
    return faces


@pytest.fixture
def ann(library: FaceLibrary, anns: list[Face]) -> str:
    return library.person(anns).person_id


def test_without_decisions_there_are_no_constraints(library: FaceLibrary, anns: list[Face]) -> None:
    assert constraints_in(library) == Constraints()


def test_a_named_person_is_anchored_by_a_few_good_faces(library: FaceLibrary, anns: list[Face], ann: str) -> None:
    library.photos(0, times=1)
    poor = library.photo(0, quality=POOR)
    library.regroup()
    library.settle(name_person(ann, "Ann", who=BOB, at=library.now(), table=library.table))
    constraints = constraints_in(library)
    assert constraints.persons.keys() == {ann}
    assert len(constraints.persons[ann]) == MAX_CERTAIN_FACES
    assert not constraints.persons[ann] & ids(poor)


def test_a_person_with_only_poor_faces_is_anchored_by_those(library: FaceLibrary) -> None:
    [good] = library.photo(0)
    [poor] = library.photo(0, quality=POOR)
    library.regroup()
    ann = library.person([good, poor]).person_id
    library.settle(name_person(ann, "Ann", who=BOB, at=library.now(), table=library.table))
    library.settle(reject_faces(ann, [good], who=BOB, at=library.now(), table=library.table))
    assert constraints_in(library).persons == {ann: ids([poor])}


def test_an_undone_decision_makes_no_constraint(library: FaceLibrary, anns: list[Face], ann: str) -> None:
    hidden = library.settle(hide_person(ann, hidden=True, who=BOB, at=library.now(), table=library.table))
    assert constraints_in(library).persons.keys() == {ann}
    library.settle(undo_decision(hidden.decision_id, who=BOB, at=library.now(), table=library.table))
    assert constraints_in(library) == Constraints()


def test_each_of_two_merged_persons_is_anchored_by_their_own_faces(
    library: FaceLibrary, anns: list[Face], ann: str
) -> None:
    bobs = library.photos(1, times=3)
    library.regroup()
    bob = library.person(bobs).person_id
    library.settle(merge_persons(ann, bob, who=BOB, at=library.now(), table=library.table))
    constraints = constraints_in(library)
    assert constraints.persons[bob] == ids(bobs)
    assert constraints.persons[ann] < ids(anns)


def test_a_face_that_people_assigned_is_certain_and_others_of_its_photo_are_not(
    library: FaceLibrary, anns: list[Face], ann: str
) -> None:
    given, other = library.photo(5, 6)
    library.settle(assign_faces(ann, [given], who=BOB, at=library.now(), table=library.table))
    constraints = constraints_in(library)
    assert given.face_id in constraints.persons[ann]
    assert other.face_id not in constraints.persons[ann]


def test_a_decision_that_has_yet_to_reach_the_face_counts(library: FaceLibrary, anns: list[Face], ann: str) -> None:
    [given] = library.photo(5)
    assign_faces(ann, [given], who=BOB, at=library.now(), table=library.table)
    assert given.face_id in constraints_in(library).persons[ann]


def test_a_face_rejected_from_a_merged_person_is_rejected_from_all_their_engine_persons(
    library: FaceLibrary, anns: list[Face], ann: str
) -> None:
    bobs = library.photos(1, times=3)
    library.regroup()
    bob = library.person(bobs).person_id
    library.settle(merge_persons(ann, bob, who=BOB, at=library.now(), table=library.table))
    library.settle(reject_faces(ann, bobs[:1], who=BOB, at=library.now(), table=library.table))
    constraints = constraints_in(library)
    assert constraints.rejected == {bobs[0].face_id: {ann, bob}}
    assert constraints.persons[bob] == ids(bobs[1:])


def test_a_near_duplicate_of_a_rejected_face_is_not_certain(library: FaceLibrary) -> None:
    twins = [*library.photo(0, moment=50), *library.photo(0, moment=50)]
    others = library.photos(0, times=3)
    library.regroup()
    ann = library.person([*twins, *others]).person_id
    library.settle(reject_faces(ann, twins[:1], who=BOB, at=library.now(), table=library.table))
    assert constraints_in(library).persons[ann] == ids(others)


def test_faces_that_were_split_off_are_certain_for_the_new_person(
    library: FaceLibrary, anns: list[Face], ann: str
) -> None:
    split = library.settle(split_person(ann, anns[:2], who=BOB, at=library.now(), table=library.table))
    constraints = constraints_in(library)
    assert split.other_person_id is not None
    assert constraints.persons[split.other_person_id] == ids(anns[:2])
    assert constraints.persons[ann] == ids(anns[2:])
    assert {face_id: {ann} for face_id in ids(anns[:2])} == constraints.rejected


def test_two_persons_marked_as_different_are_both_anchored(library: FaceLibrary, anns: list[Face], ann: str) -> None:
    bobs = library.photos(1, times=2)
    library.regroup()
    bob = library.person(bobs).person_id
    library.settle(mark_different(ann, bob, who=BOB, at=library.now(), table=library.table))
    constraints = constraints_in(library)
    assert constraints.persons.keys() == {ann, bob}
    [(one, other)] = constraints.apart
    assert (one in ids(anns), other in ids(bobs)) == (True, True)


def test_the_engine_person_is_the_one_before_the_merge_unless_people_assigned_the_face(
    library: FaceLibrary, anns: list[Face], ann: str
) -> None:
    bobs = library.photos(1, times=2)
    library.regroup()
    bob = library.person(bobs).person_id
    library.settle(merge_persons(ann, bob, who=BOB, at=library.now(), table=library.table))
    library.settle(reject_faces(ann, anns[:1], who=BOB, at=library.now(), table=library.table))
    library.settle(assign_faces(ann, bobs[:1], who=BOB, at=library.now(), table=library.table))
    rows = {face.face_id: face for face in library.faces()}
    homes = [engine_person_of(rows[face.face_id]) for face in (anns[0], anns[1], bobs[0], bobs[1])]
    assert homes == [None, ann, ann, bob]
