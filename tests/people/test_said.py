"""What people said, as grouping is told of it: whom a face certainly is, and whom it is not."""

from collections.abc import Iterable

import pytest

from sparks.library.people import (
    all_decisions,
    assign_faces,
    hide_person,
    merge_persons,
    name_person,
    reject_faces,
    split_person,
    tell_apart,
    undo_decision,
)
from sparks.library.people.redirects import Redirects
from sparks.model.face import Face
from sparks.people.groups.constraints import Constraints
from sparks.people.known import columns_of, home_of, rule_of
from sparks.people.said import CERTAIN, constraints_for
from sparks.table.memory import MemoryTable
from tests.factories import BOB
from tests.people.makers import POOR
from tests.people.town import Town


def said_in(town: Town) -> Constraints:
    terms = town.terms.faces
    assert terms is not None
    rows = {face.face_id: face for face in town.faces()}
    return constraints_for(
        rows,
        columns_of(rows.values(), terms),
        persons=town.persons(),
        decisions=all_decisions(table=town.table),
        resolve=Redirects(town.table),
        rule=rule_of(terms),
    )


def ids(faces: Iterable[Face]) -> frozenset[str]:
    return frozenset(face.face_id for face in faces)


@pytest.fixture
def town() -> Town:
    return Town(MemoryTable())


@pytest.fixture
def anns(town: Town) -> list[Face]:
    faces = town.photos(0, times=10)
    town.regroup()
    return faces


@pytest.fixture
def ann(town: Town, anns: list[Face]) -> str:
    return town.person(anns).person_id


def test_of_whom_nobody_spoke_nothing_is_certain(town: Town, anns: list[Face]) -> None:
    assert said_in(town) == Constraints()


def test_one_who_has_a_name_is_who_they_are_by_a_few_good_faces(town: Town, anns: list[Face], ann: str) -> None:
    town.photos(0, times=1)
    poor = town.photo(0, quality=POOR)
    town.regroup()
    town.settle(name_person(ann, "Ann", who=BOB, at=town.now(), table=town.table))
    said = said_in(town)
    assert said.persons.keys() == {ann}
    assert len(said.persons[ann]) == CERTAIN
    assert not said.persons[ann] & ids(poor)


def test_one_who_has_only_poor_faces_is_known_by_those(town: Town) -> None:
    [good] = town.photo(0)
    [poor] = town.photo(0, quality=POOR)
    town.regroup()
    ann = town.person([good, poor]).person_id
    town.settle(name_person(ann, "Ann", who=BOB, at=town.now(), table=town.table))
    town.settle(reject_faces(ann, [good], who=BOB, at=town.now(), table=town.table))
    assert said_in(town).persons == {ann: ids([poor])}


def test_what_was_undone_was_never_said(town: Town, anns: list[Face], ann: str) -> None:
    hidden = town.settle(hide_person(ann, hidden=True, who=BOB, at=town.now(), table=town.table))
    assert said_in(town).persons.keys() == {ann}
    town.settle(undo_decision(hidden.decision_id, who=BOB, at=town.now(), table=town.table))
    assert said_in(town) == Constraints()


def test_each_of_two_who_were_merged_is_known_by_faces_of_their_own(town: Town, anns: list[Face], ann: str) -> None:
    bobs = town.photos(1, times=3)
    town.regroup()
    bob = town.person(bobs).person_id
    town.settle(merge_persons(ann, bob, who=BOB, at=town.now(), table=town.table))
    said = said_in(town)
    assert said.persons[bob] == ids(bobs)
    assert said.persons[ann] < ids(anns)


def test_a_face_that_people_gave_is_certain_and_others_of_its_photo_are_not(
    town: Town, anns: list[Face], ann: str
) -> None:
    given, other = town.photo(5, 6)
    town.settle(assign_faces(ann, [given], who=BOB, at=town.now(), table=town.table))
    said = said_in(town)
    assert given.face_id in said.persons[ann]
    assert other.face_id not in said.persons[ann]


def test_a_decision_that_has_yet_to_reach_the_face_counts(town: Town, anns: list[Face], ann: str) -> None:
    [given] = town.photo(5)
    assign_faces(ann, [given], who=BOB, at=town.now(), table=town.table)
    assert given.face_id in said_in(town).persons[ann]


def test_a_rejected_face_is_none_of_those_who_became_the_person(town: Town, anns: list[Face], ann: str) -> None:
    bobs = town.photos(1, times=3)
    town.regroup()
    bob = town.person(bobs).person_id
    town.settle(merge_persons(ann, bob, who=BOB, at=town.now(), table=town.table))
    town.settle(reject_faces(ann, bobs[:1], who=BOB, at=town.now(), table=town.table))
    said = said_in(town)
    assert said.rejected == {bobs[0].face_id: {ann, bob}}
    assert said.persons[bob] == ids(bobs[1:])


def test_the_near_twin_of_a_rejected_face_is_no_witness(town: Town) -> None:
    twins = [*town.photo(0, moment=50), *town.photo(0, moment=50)]
    others = town.photos(0, times=3)
    town.regroup()
    ann = town.person([*twins, *others]).person_id
    town.settle(reject_faces(ann, twins[:1], who=BOB, at=town.now(), table=town.table))
    assert said_in(town).persons[ann] == ids(others)


def test_faces_that_were_split_off_are_the_other_ones(town: Town, anns: list[Face], ann: str) -> None:
    split = town.settle(split_person(ann, anns[:2], who=BOB, at=town.now(), table=town.table))
    said = said_in(town)
    assert split.other_person_id is not None
    assert said.persons[split.other_person_id] == ids(anns[:2])
    assert said.persons[ann] == ids(anns[2:])
    assert {face_id: {ann} for face_id in ids(anns[:2])} == said.rejected


def test_two_who_were_told_apart_are_both_known(town: Town, anns: list[Face], ann: str) -> None:
    bobs = town.photos(1, times=2)
    town.regroup()
    bob = town.person(bobs).person_id
    town.settle(tell_apart(ann, bob, who=BOB, at=town.now(), table=town.table))
    said = said_in(town)
    assert said.persons.keys() == {ann, bob}
    [(one, other)] = said.apart
    assert (one in ids(anns), other in ids(bobs)) == (True, True)


def test_a_face_is_at_home_with_whom_the_engine_took_it_for(town: Town, anns: list[Face], ann: str) -> None:
    bobs = town.photos(1, times=2)
    town.regroup()
    bob = town.person(bobs).person_id
    town.settle(merge_persons(ann, bob, who=BOB, at=town.now(), table=town.table))
    town.settle(reject_faces(ann, anns[:1], who=BOB, at=town.now(), table=town.table))
    town.settle(assign_faces(ann, bobs[:1], who=BOB, at=town.now(), table=town.table))
    rows = {face.face_id: face for face in town.faces()}
    homes = [home_of(rows[face.face_id]) for face in (anns[0], anns[1], bobs[0], bobs[1])]
    assert homes == [None, ann, ann, bob]
