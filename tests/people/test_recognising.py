"""A face that nobody has kept is recognised by those that speak for a person."""

from dataclasses import replace

import pytest

from sparks.library.people import assign_face, found_person, merge_persons
from sparks.model.face import Face
from sparks.people.recognising import Recognised, recognise
from tests.factories import ANN
from tests.people.town import ENGINE, Town, embedded, terms_of

SELFIE = 9999
FACES = terms_of(ENGINE)


def seen(town: Town, who: int, *, likeness: float = 0.7, quality: float = 0.9) -> Recognised:
    """What is made of a face of theirs that was not there before."""
    town.index.catch_up(at=town.now())
    face = embedded(who, SELFIE, likeness)
    return recognise(face, quality, index=town.index, terms=FACES, table=town.table)


def founded(town: Town, faces: list[Face]) -> str:
    """The person whom the first of the faces founds, and whose the others are too."""
    person = found_person(faces[0], at=town.now(), table=town.table)
    assert person is not None
    for face in faces[1:]:
        assign_face(face, person.person_id, at=town.now(), table=town.table)
    return person.person_id


@pytest.fixture
def people(town: Town) -> list[str]:
    """Two of them, in four photos each."""
    faces = [town.photos(who, times=4) for who in (1, 2)]
    town.regroup()
    return [town.person(some).person_id for some in faces]


def test_a_face_is_like_its_person_and_nobody_else(town: Town, people: list[str]) -> None:
    found = seen(town, 2)
    assert [one.person_id for one in found.alike] == [people[1]]
    assert found.alike[0].score >= FACES.strong
    assert (found.certain, found.clear) == (frozenset({people[1]}), people[1])


def test_a_stranger_is_like_nobody(town: Town, people: list[str]) -> None:
    assert people
    assert seen(town, 3) == Recognised()


def test_a_doubt_is_told_and_proves_nothing(town: Town, people: list[str]) -> None:
    found = seen(town, 1, likeness=0.21)
    assert [one.person_id for one in found.alike] == [people[0]]
    assert FACES.candidate <= found.alike[0].score < FACES.strong
    assert (found.certain, found.clear) == (frozenset(), None)


def test_a_face_that_could_found_nobody_proves_nothing(town: Town, people: list[str]) -> None:
    found = seen(town, 1, quality=FACES.founding - 0.01)
    assert [one.person_id for one in found.alike] == [people[0]]
    assert (found.certain, found.clear) == (frozenset(), None)


def test_two_who_are_alike_are_both_certain_and_none_of_them_clear(town: Town) -> None:
    """As one person is whose photos nobody has brought together."""
    halves = {founded(town, town.photos(1, times=3)) for _ in range(2)}
    found = seen(town, 1)
    assert found.certain == halves
    assert found.clear is None


def test_whoever_was_merged_is_known_by_the_nearest_of_what_they_were(town: Town, people: list[str]) -> None:
    alone = seen(town, 2).alike[0].score
    town.settle(merge_persons(people[0], people[1], who=ANN, at=town.now(), table=town.table))
    found = seen(town, 2)
    assert (found.clear, round(found.alike[0].score, 6)) == (people[0], round(alone, 6))


def test_faces_that_wait_are_nobody(town: Town) -> None:
    town.photo(1)
    assert seen(town, 1) == Recognised()


def test_faces_of_poor_quality_do_not_count_beside_better_ones(town: Town, people: list[str]) -> None:
    alone = seen(town, 1).alike[0].score
    for poor in town.photo(1, likeness=0.3, quality=0.1):
        assign_face(poor, people[0], at=town.now(), table=town.table)
    assert seen(town, 1).alike[0].score == alone


def test_of_another_engine_nothing_can_be_said(town: Town, people: list[str]) -> None:
    assert people
    other = replace(FACES, dimensions=FACES.dimensions * 2)
    nothing = recognise(embedded(1, SELFIE), 0.9, index=town.index, terms=other, table=town.table)
    assert nothing == Recognised()
