"""The jobs after a decision: late, repeated, and after an interrupted request."""

from dataclasses import replace

from sparks.library import blob_keys
from sparks.library.people.apply_decision import apply_decision
from sparks.library.people.face_assignment import assign_face, found_person
from sparks.library.people.face_rows import store_face
from sparks.library.people.person_decisions import (
    add_manual_face,
    assign_faces,
    merge_persons,
    name_person,
    reject_faces,
    split_person,
    undo_decision,
)
from sparks.library.people.photo_faces import find_face, find_person
from sparks.library.people.reconcile import reconcile_people
from sparks.library.people.redirects import get_person
from sparks.model.errors import Unavailable
from sparks.model.events import DecisionMade, DecisionRecheckDue, PeopleDue
from sparks.model.face import Face
from sparks.model.person import Decision, Person
from sparks.model.photo import Photo
from sparks.model.pipeline_settings import PipelineSettings
from sparks.people.decision_followup import follow_decision, follow_decision_again
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.account_makers import interrupted, lasting
from tests.factories import ANN, BOB, NOON, a_face
from tests.library.people.rows import FEW, a_box, also_in, check_settled, met, photographed
from tests.library.photos.photo_makers import LATER
from tests.people.face_library import FaceLibrary


def follow(library: FaceLibrary, decision: Decision | str, *, table: Table | None = None) -> PeopleDue | None:
    event = DecisionMade(decision if isinstance(decision, str) else decision.decision_id)
    return follow_decision(
        event, table=table or library.table, blobs=library.blobs, index=library.index, pipeline=library.pipeline
    )


def follow_again(library: FaceLibrary, *person_ids: str) -> PeopleDue | None:
    event = DecisionRecheckDue(person_ids, LATER)
    return follow_decision_again(
        event, table=library.table, blobs=library.blobs, index=library.index, pipeline=library.pipeline
    )


def whose(library: FaceLibrary, face: Face) -> str | None:
    found = find_face(face.face_id, table=library.table)
    assert found is not None
    return found.person_id


def grown(library: FaceLibrary, first: Face, *others: Face) -> Person:
    """The person of these faces."""
    person = found_person(first, at=NOON, table=library.table)
    assert person is not None
    for face in others:
        assign_face(face, person.person_id, at=NOON, table=library.table)
    for face in (first, *others):
        reconcile_people(face.image_id, face.owner, min_photos=FEW, table=library.table)
    return get_person(person.person_id, table=library.table)


# -- Following


def test_a_decision_is_applied_by_its_job_and_a_repeat_changes_nothing(library: FaceLibrary) -> None:
    one, other = met(library.table, photographed(library.table)), met(library.table, photographed(library.table))
    merging = merge_persons(one.person_id, other.person_id, who=ANN, at=LATER, table=library.table)
    assert merging is not None
    assert follow(library, merging) == PeopleDue()
    assert get_person(one.person_id, table=library.table).photo_count == 2
    before = lasting(library.table)
    follow(library, merging)
    assert lasting(library.table) == before
    check_settled(library.table)


def test_nothing_happens_for_an_unknown_decision(library: FaceLibrary) -> None:
    assert follow(library, "x.person1") is None
    assert follow_again(library, "person1") is None


def test_a_decision_made_before_a_crash_is_found_by_its_person_and_time(library: FaceLibrary) -> None:
    person = met(library.table, photographed(library.table))
    [face] = also_in(library.table, person, photographed(library.table))
    reject_faces(person.person_id, [face], who=ANN, at=LATER, table=library.table)
    name_person(person.person_id, "Eve", who=ANN, at=NOON, table=library.table)
    assert whose(library, face) == person.person_id
    assert follow_again(library, person.person_id) == PeopleDue()
    assert whose(library, face) is None


def test_an_undo_made_before_a_crash_is_found_too(library: FaceLibrary) -> None:
    one, other = met(library.table, photographed(library.table)), met(library.table, photographed(library.table))
    merging = merge_persons(one.person_id, other.person_id, who=ANN, at=NOON, table=library.table)
    assert merging is not None
    follow(library, merging)
    undo_decision(merging.decision_id, who=BOB, at=LATER, table=library.table)
    assert follow_again(library, one.person_id) == PeopleDue()
    assert [get_person(each.person_id, table=library.table).photo_count for each in (one, other)] == [1, 1]
    check_settled(library.table)


def drawn(library: FaceLibrary, photo: Photo) -> Face:
    """A manual face for which the engine has computed an embedding."""
    face = a_face(photo, a_box(7), engine="hand")
    key = blob_keys.face_thumb(face.face_id)
    library.blobs.put(key, [b"a crop"])
    return replace(face, engine=library.engine, thumb_key=key, embedding=b"vector")


def test_undoing_a_manual_face_deletes_its_crop(library: FaceLibrary) -> None:
    photo = photographed(library.table)
    person, face = met(library.table, photo), drawn(library, photo)
    drawing = add_manual_face(person.person_id, face, who=ANN, at=LATER, table=library.table)
    follow(library, drawing)
    assert (whose(library, face), len(library.blobs.list().blobs)) == (person.person_id, 1)
    undo_decision(drawing.decision_id, who=BOB, at=LATER, table=library.table)
    follow(library, drawing)
    assert find_face(face.face_id, table=library.table) is None
    assert not library.blobs.list().blobs
    check_settled(library.table)


def test_a_face_that_the_engine_found_since_stays_when_the_manual_face_is_undone(library: FaceLibrary) -> None:
    photo = photographed(library.table)
    person, face = met(library.table, photo), drawn(library, photo)
    drawing = add_manual_face(person.person_id, face, who=ANN, at=LATER, table=library.table)
    follow(library, drawing)
    store_face(replace(face, box=replace(face.box, left=face.box.left + 0.01)), at=LATER, table=library.table)
    undo_decision(drawing.decision_id, who=BOB, at=LATER, table=library.table)
    follow(library, drawing)
    assert (whose(library, face), len(library.blobs.list().blobs)) == (None, 1)


def test_a_person_created_with_a_manual_face_is_removed_when_it_is_undone(library: FaceLibrary) -> None:
    [face] = library.photo(1)
    founding = assign_faces("person70", [face], founds=True, who=ANN, at=LATER, table=library.table)
    follow(library, founding)
    assert whose(library, face) == "person70"
    check_settled(library.table)
    undo_decision(founding.decision_id, who=ANN, at=LATER, table=library.table)
    follow(library, founding)
    assert whose(library, face) is None
    assert find_person("person70", table=library.table) is None
    check_settled(library.table)


# -- Twins


def test_near_duplicates_of_a_rejected_face_are_unassigned_and_no_other_faces(library: FaceLibrary) -> None:
    [first], [wrong], [near_duplicate], [other] = (library.photo(1, moment=moment) for moment in (1, 2, 2, 3))
    person = grown(library, first, wrong, near_duplicate, other)
    follow(library, reject_faces(person.person_id, [wrong], who=ANN, at=LATER, table=library.table))
    assert [whose(library, face) for face in (first, wrong, near_duplicate, other)] == [
        person.person_id,
        None,
        None,
        person.person_id,
    ]
    check_settled(library.table)


def test_a_near_duplicate_that_people_assigned_stays(library: FaceLibrary) -> None:
    [first], [wrong], [near_duplicate] = (library.photo(1, moment=moment) for moment in (1, 2, 2))
    person = grown(library, first, wrong, near_duplicate)
    saying = assign_faces(person.person_id, [near_duplicate], who=BOB, at=NOON, table=library.table)
    apply_decision(saying, min_photos=FEW, table=library.table)
    follow(library, reject_faces(person.person_id, [wrong], who=ANN, at=LATER, table=library.table))
    assert whose(library, near_duplicate) == person.person_id


def test_near_duplicates_of_split_faces_are_unassigned(library: FaceLibrary) -> None:
    [first], [apart], [near_duplicate] = (library.photo(1, moment=moment) for moment in (1, 2, 2))
    person = grown(library, first, apart, near_duplicate)
    splitting = split_person(person.person_id, [apart], who=ANN, at=LATER, table=library.table)
    follow(library, splitting)
    assert (whose(library, apart), whose(library, near_duplicate)) == (splitting.other_person_id, None)
    check_settled(library.table)


def test_no_face_is_unassigned_if_the_rejection_was_undone_meanwhile(library: FaceLibrary) -> None:
    [first], [wrong], [near_duplicate] = (library.photo(1, moment=moment) for moment in (1, 2, 2))
    person = grown(library, first, wrong, near_duplicate)
    rejecting = reject_faces(person.person_id, [wrong], who=ANN, at=LATER, table=library.table)
    undo_decision(rejecting.decision_id, who=ANN, at=LATER, table=library.table)
    follow(library, rejecting)
    assert [whose(library, face) for face in (wrong, near_duplicate)] == [person.person_id] * 2


def test_without_an_index_only_the_rejected_faces_are_unassigned(library: FaceLibrary) -> None:
    [first], [wrong], [near_duplicate] = (library.photo(1, moment=moment) for moment in (1, 2, 2))
    person = grown(library, first, wrong, near_duplicate)
    rejecting = reject_faces(person.person_id, [wrong], who=ANN, at=LATER, table=library.table)
    follow_decision(
        DecisionMade(rejecting.decision_id),
        table=library.table,
        blobs=library.blobs,
        index=None,
        pipeline=PipelineSettings(faces=None),
    )
    assert [whose(library, face) for face in (wrong, near_duplicate)] == [None, person.person_id]


def test_after_an_interruption_anywhere_the_next_run_counts_unassigned_near_duplicates() -> None:
    after, cut = 0, True
    while cut:
        library = FaceLibrary(MemoryTable())
        faces = [*library.photos(0, times=3), *library.photo(0, moment=77), *library.photo(0, moment=77)]
        person = grown(library, *faces)
        rejection = reject_faces(person.person_id, faces[-1:], who=ANN, at=LATER, table=library.table)
        try:
            follow(library, rejection, table=interrupted(library.table, after=after))
            cut = False
        except Unavailable:
            after += 1
        follow(library, rejection)
        assert [whose(library, face) for face in faces[-2:]] == [None, None]
        check_settled(library.table)
    assert after > 5
