"""Recognition of a face that is not stored."""

from dataclasses import replace

import pytest

from sparks.library.people.face_assignment import assign_face, found_person
from sparks.library.people.person_decisions import merge_persons
from sparks.model.face import Face
from sparks.people.recognize import RecognitionResult, recognize
from tests.factories import ANN
from tests.people.face_library import ENGINE, FaceLibrary, embedded, pipeline_settings_of

SELFIE = 9999
FACES = pipeline_settings_of(ENGINE)


def seen(library: FaceLibrary, who: int, *, likeness: float = 0.7, quality: float = 0.9) -> RecognitionResult:
    """The result for a new face of a person."""
    library.index.catch_up(at=library.now())
    face = embedded(who, SELFIE, likeness)
    return recognize(face, quality, index=library.index, pipeline=FACES, table=library.table)


def founded(library: FaceLibrary, faces: list[Face]) -> str:
    """The person whom the first of the faces founds, and whose the others are too."""
    person = found_person(faces[0], at=library.now(), table=library.table)
    assert person is not None
    for face in faces[1:]:
        assign_face(face, person.person_id, at=library.now(), table=library.table)
    return person.person_id


@pytest.fixture
def people(library: FaceLibrary) -> list[str]:
    """Two of them, in four photos each."""
    faces = [library.photos(who, times=4) for who in (1, 2)]
    library.regroup()
    return [library.person(some).person_id for some in faces]


def test_a_face_resembles_its_person_only(library: FaceLibrary, people: list[str]) -> None:
    found = seen(library, 2)
    assert [one.person_id for one in found.alike] == [people[1]]
    assert found.alike[0].score >= FACES.strong
    assert (found.certain, found.clear) == (frozenset({people[1]}), people[1])


def test_an_unknown_face_resembles_no_person(library: FaceLibrary, people: list[str]) -> None:
    assert people
    assert seen(library, 3) == RecognitionResult()


def test_a_weak_resemblance_is_reported_but_is_not_certain(library: FaceLibrary, people: list[str]) -> None:
    found = seen(library, 1, likeness=0.21)
    assert [one.person_id for one in found.alike] == [people[0]]
    assert FACES.candidate <= found.alike[0].score < FACES.strong
    assert (found.certain, found.clear) == (frozenset(), None)


def test_a_face_of_poor_quality_is_never_certain(library: FaceLibrary, people: list[str]) -> None:
    found = seen(library, 1, quality=FACES.founding - 0.01)
    assert [one.person_id for one in found.alike] == [people[0]]
    assert (found.certain, found.clear) == (frozenset(), None)


def test_two_similar_persons_are_both_certain_and_none_is_clear(library: FaceLibrary) -> None:
    """Two persons as similar as one person who was split in two."""
    halves = {founded(library, library.photos(1, times=3)) for _ in range(2)}
    found = seen(library, 1)
    assert found.certain == halves
    assert found.clear is None


def test_a_merged_person_has_the_score_of_their_most_similar_engine_person(
    library: FaceLibrary, people: list[str]
) -> None:
    alone = seen(library, 2).alike[0].score
    library.settle(merge_persons(people[0], people[1], who=ANN, at=library.now(), table=library.table))
    found = seen(library, 2)
    assert (found.clear, round(found.alike[0].score, 6)) == (people[0], round(alone, 6))


def test_unassigned_faces_resemble_no_person(library: FaceLibrary) -> None:
    library.photo(1)
    assert seen(library, 1) == RecognitionResult()


def test_faces_of_poor_quality_do_not_count_beside_better_ones(library: FaceLibrary, people: list[str]) -> None:
    alone = seen(library, 1).alike[0].score
    for poor in library.photo(1, likeness=0.3, quality=0.1):
        assign_face(poor, people[0], at=library.now(), table=library.table)
    assert seen(library, 1).alike[0].score == alone


def test_an_embedding_of_another_engine_resembles_no_person(library: FaceLibrary, people: list[str]) -> None:
    assert people
    other = replace(FACES, dimensions=FACES.dimensions * 2)
    nothing = recognize(embedded(1, SELFIE), 0.9, index=library.index, pipeline=other, table=library.table)
    assert nothing == RecognitionResult()
