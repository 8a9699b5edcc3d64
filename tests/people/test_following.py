"""What follows a decision, by its jobs: late, twice, and where whoever decided was interrupted."""

from dataclasses import replace

from sparks.library import objects
from sparks.library.people import (
    assign_face,
    assign_faces,
    draw_face,
    find_face,
    find_person,
    found_person,
    get_person,
    keep_face,
    merge_persons,
    name_person,
    reject_faces,
    settle_decision,
    settle_people,
    split_person,
    undo_decision,
)
from sparks.model.errors import Unavailable
from sparks.model.events import Decided, DecidedLately, PeopleDue
from sparks.model.face import Face
from sparks.model.person import Decision, Person
from sparks.model.photo import Photo
from sparks.model.terms import Terms
from sparks.people.following import follow_decision, follow_decision_again
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.accounts import interrupted, lasting
from tests.factories import ANN, BOB, NOON, a_face
from tests.library.people.rows import FEW, a_box, also_in, check_settled, met, photographed
from tests.library.photos.making import LATER
from tests.people.town import Town


def follow(town: Town, decision: Decision | str, *, table: Table | None = None) -> PeopleDue | None:
    event = Decided(decision if isinstance(decision, str) else decision.decision_id)
    return follow_decision(event, table=table or town.table, blobs=town.blobs, index=town.index, terms=town.terms)


def follow_again(town: Town, *person_ids: str) -> PeopleDue | None:
    event = DecidedLately(person_ids, LATER)
    return follow_decision_again(event, table=town.table, blobs=town.blobs, index=town.index, terms=town.terms)


def whose(town: Town, face: Face) -> str | None:
    found = find_face(face.face_id, table=town.table)
    assert found is not None
    return found.person_id


def grown(town: Town, first: Face, *others: Face) -> Person:
    """The person of these faces."""
    person = found_person(first, at=NOON, table=town.table)
    assert person is not None
    for face in others:
        assign_face(face, person.person_id, at=NOON, table=town.table)
    for face in (first, *others):
        settle_people(face.image_id, face.owner, enough=FEW, table=town.table)
    return get_person(person.person_id, table=town.table)


# -- Following


def test_what_was_decided_is_done_by_its_job_and_a_repeat_changes_nothing(town: Town) -> None:
    one, other = met(town.table, photographed(town.table)), met(town.table, photographed(town.table))
    merging = merge_persons(one.person_id, other.person_id, who=ANN, at=LATER, table=town.table)
    assert merging is not None
    assert follow(town, merging) == PeopleDue()
    assert get_person(one.person_id, table=town.table).photo_count == 2
    before = lasting(town.table)
    follow(town, merging)
    assert lasting(town.table) == before
    check_settled(town.table)


def test_of_a_decision_that_is_not_there_nothing_follows(town: Town) -> None:
    assert follow(town, "x.person1") is None
    assert follow_again(town, "person1") is None


def test_what_was_decided_while_sparks_was_killed_is_found_by_its_person_and_time(town: Town) -> None:
    person = met(town.table, photographed(town.table))
    [face] = also_in(town.table, person, photographed(town.table))
    reject_faces(person.person_id, [face], who=ANN, at=LATER, table=town.table)
    name_person(person.person_id, "Eve", who=ANN, at=NOON, table=town.table)
    assert whose(town, face) == person.person_id
    assert follow_again(town, person.person_id) == PeopleDue()
    assert whose(town, face) is None


def test_what_was_undone_while_sparks_was_killed_is_found_too(town: Town) -> None:
    one, other = met(town.table, photographed(town.table)), met(town.table, photographed(town.table))
    merging = merge_persons(one.person_id, other.person_id, who=ANN, at=NOON, table=town.table)
    assert merging is not None
    follow(town, merging)
    undo_decision(merging.decision_id, who=BOB, at=LATER, table=town.table)
    assert follow_again(town, one.person_id) == PeopleDue()
    assert [get_person(each.person_id, table=town.table).photo_count for each in (one, other)] == [1, 1]
    check_settled(town.table)


def drawn(town: Town, photo: Photo) -> Face:
    """One that an engine saw when it was told where to look."""
    face = a_face(photo, a_box(7), engine="hand")
    key = objects.face_thumb(face.face_id)
    town.blobs.put(key, [b"a crop"])
    return replace(face, engine=town.engine, thumb_key=key, embedding=b"vector")


def test_what_was_drawn_goes_with_its_crop_when_that_is_undone(town: Town) -> None:
    photo = photographed(town.table)
    person, face = met(town.table, photo), drawn(town, photo)
    drawing = draw_face(person.person_id, face, who=ANN, at=LATER, table=town.table)
    follow(town, drawing)
    assert (whose(town, face), len(town.blobs.list().blobs)) == (person.person_id, 1)
    undo_decision(drawing.decision_id, who=BOB, at=LATER, table=town.table)
    follow(town, drawing)
    assert find_face(face.face_id, table=town.table) is None
    assert not town.blobs.list().blobs
    check_settled(town.table)


def test_a_face_that_the_engine_found_since_stays_when_the_drawing_is_undone(town: Town) -> None:
    photo = photographed(town.table)
    person, face = met(town.table, photo), drawn(town, photo)
    drawing = draw_face(person.person_id, face, who=ANN, at=LATER, table=town.table)
    follow(town, drawing)
    keep_face(replace(face, box=replace(face.box, left=face.box.left + 0.01)), at=LATER, table=town.table)
    undo_decision(drawing.decision_id, who=BOB, at=LATER, table=town.table)
    follow(town, drawing)
    assert (whose(town, face), len(town.blobs.list().blobs)) == (None, 1)


def test_a_person_who_came_with_a_face_by_hand_goes_with_its_undoing(town: Town) -> None:
    [face] = town.photo(1)
    founding = assign_faces("person70", [face], founds=True, who=ANN, at=LATER, table=town.table)
    follow(town, founding)
    assert whose(town, face) == "person70"
    check_settled(town.table)
    undo_decision(founding.decision_id, who=ANN, at=LATER, table=town.table)
    follow(town, founding)
    assert whose(town, face) is None
    assert find_person("person70", table=town.table) is None
    check_settled(town.table)


# -- Twins


def test_near_twins_of_a_rejected_face_leave_too_and_nobody_else(town: Town) -> None:
    [first], [wrong], [twin], [other] = (town.photo(1, moment=moment) for moment in (1, 2, 2, 3))
    person = grown(town, first, wrong, twin, other)
    follow(town, reject_faces(person.person_id, [wrong], who=ANN, at=LATER, table=town.table))
    assert [whose(town, face) for face in (first, wrong, twin, other)] == [
        person.person_id,
        None,
        None,
        person.person_id,
    ]
    check_settled(town.table)


def test_a_twin_that_somebody_said_is_theirs_stays(town: Town) -> None:
    [first], [wrong], [twin] = (town.photo(1, moment=moment) for moment in (1, 2, 2))
    person = grown(town, first, wrong, twin)
    saying = assign_faces(person.person_id, [twin], who=BOB, at=NOON, table=town.table)
    settle_decision(saying, enough=FEW, table=town.table)
    follow(town, reject_faces(person.person_id, [wrong], who=ANN, at=LATER, table=town.table))
    assert whose(town, twin) == person.person_id


def test_twins_of_what_was_split_off_wait_to_be_grouped_anew(town: Town) -> None:
    [first], [apart], [twin] = (town.photo(1, moment=moment) for moment in (1, 2, 2))
    person = grown(town, first, apart, twin)
    splitting = split_person(person.person_id, [apart], who=ANN, at=LATER, table=town.table)
    follow(town, splitting)
    assert (whose(town, apart), whose(town, twin)) == (splitting.other_person_id, None)
    check_settled(town.table)


def test_where_a_rejection_was_undone_meanwhile_nobody_leaves(town: Town) -> None:
    [first], [wrong], [twin] = (town.photo(1, moment=moment) for moment in (1, 2, 2))
    person = grown(town, first, wrong, twin)
    rejecting = reject_faces(person.person_id, [wrong], who=ANN, at=LATER, table=town.table)
    undo_decision(rejecting.decision_id, who=ANN, at=LATER, table=town.table)
    follow(town, rejecting)
    assert [whose(town, face) for face in (wrong, twin)] == [person.person_id] * 2


def test_without_an_index_the_faces_that_were_named_leave_alone(town: Town) -> None:
    [first], [wrong], [twin] = (town.photo(1, moment=moment) for moment in (1, 2, 2))
    person = grown(town, first, wrong, twin)
    rejecting = reject_faces(person.person_id, [wrong], who=ANN, at=LATER, table=town.table)
    follow_decision(
        Decided(rejecting.decision_id), table=town.table, blobs=town.blobs, index=None, terms=Terms(faces=None)
    )
    assert [whose(town, face) for face in (wrong, twin)] == [None, person.person_id]


def test_wherever_parting_from_twins_is_interrupted_the_next_run_counts_it() -> None:
    after, cut = 0, True
    while cut:
        town = Town(MemoryTable())
        faces = [*town.photos(0, times=3), *town.photo(0, moment=77), *town.photo(0, moment=77)]
        person = grown(town, *faces)
        rejection = reject_faces(person.person_id, faces[-1:], who=ANN, at=LATER, table=town.table)
        try:
            follow(town, rejection, table=interrupted(town.table, after=after))
            cut = False
        except Unavailable:
            after += 1
        follow(town, rejection)
        assert [whose(town, face) for face in faces[-2:]] == [None, None]
        check_settled(town.table)
    assert after > 5
