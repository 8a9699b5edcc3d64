"""Faces that came are thought over with those near to them: once, by one at a time, from where the last run stopped."""

from dataclasses import replace

import pytest

from sparks.library import keys
from sparks.library.job_states import INCREMENTAL, hold, job_state
from sparks.library.people import (
    draw_face,
    find_person,
    hide_person,
    list_suggestions,
    merge_persons,
    name_person,
    reject_faces,
    remove_face,
    settle_people,
    split_person,
    tell_apart,
)
from sparks.model.errors import BadInput, Busy, Unavailable
from sparks.model.events import PeopleDue
from sparks.model.terms import Terms
from sparks.model.times import now
from sparks.people.incremental import regroup_faces, regroup_people
from sparks.table.port import Delete, Table
from tests.accounts import everything, interrupted, keep
from tests.factories import BOB, a_face, a_photo
from tests.library.people.rows import a_box, check_settled
from tests.people.makers import POOR
from tests.people.town import Town


def test_faces_that_came_found_persons_called_by_their_ids(town: Town) -> None:
    anns, bobs = town.photos(0, times=3), town.photos(1, times=2)
    rebuilt = town.regroup()
    assert (rebuilt.processed_faces, rebuilt.created_persons, rebuilt.more) == (5, 2, False)
    ann, bob = town.person(anns), town.person(bobs)
    assert (ann.display_name, ann.member_count, ann.photo_count) == (ann.person_id, 3, 3)
    assert bob.person_id != ann.person_id
    check_settled(town.table)


def test_what_was_thought_over_is_not_thought_over_again(town: Town) -> None:
    town.photos(0, 1, times=3)
    first = town.regroup()
    before = town.whose()
    again = town.regroup()
    assert (again.processed_faces, again.created_persons, again.updated_persons) == (0, 0, 0)
    assert town.whose() == before
    assert first.checkpoint is not None
    assert again.checkpoint is not None
    assert again.checkpoint > first.checkpoint


def test_faces_become_persons_on_dynamodb(dynamodb: Table) -> None:
    dynamodb.write(Delete(keys.job_state(INCREMENTAL)))
    town = Town(dynamodb, engine="incremental-1")
    anns, bobs = town.photos(0, times=2), town.photos(1, times=2)
    assert town.regroup().created_persons == 2
    late = town.photos(0, times=1)
    town.place(late)
    assert town.regroup().created_persons == 0
    assert town.person([*anns, *late]).member_count == 3
    assert town.person(bobs).member_count == 2


def test_faces_that_come_later_join_who_is_there(town: Town) -> None:
    early = town.photos(0, times=3)
    town.regroup()
    ann = town.person(early).person_id
    late = town.photos(0, 1, times=2)
    rebuilt = town.regroup()
    assert (rebuilt.processed_faces, rebuilt.created_persons, rebuilt.updated_persons) == (4, 1, 1)
    assert town.person([*early, *late[:2]]).person_id == ann


def test_what_new_faces_add_may_bring_two_together_and_the_older_one_stays(town: Town) -> None:
    """Two lone faces that are not enough alike, and several that are like both."""
    ones = [face for _ in range(2) for face in town.photo(0, likeness=0.45)]
    town.regroup()
    assert len(town.groups()) == 2
    first = min(town.persons())
    town.photos(0, times=6)
    town.regroup()
    assert len(town.groups()) == 1
    assert town.person(ones).person_id == first
    assert set(town.persons()) == {first}
    check_settled(town.table)


def test_a_poor_face_waits_for_somebody_and_founds_nobody(town: Town) -> None:
    [poor] = town.photo(0, quality=POOR)
    assert town.regroup().created_persons == 0
    assert town.person_of(poor) is None
    good = town.photos(0, times=3)
    town.regroup()
    assert town.person([poor, *good]).member_count == 4


def test_two_faces_of_a_photo_are_two_persons(town: Town) -> None:
    faces = town.photo(0, 0)
    town.regroup()
    assert len(town.persons_of(faces)) == 2


def test_an_entry_that_appears_late_is_heard(town: Town) -> None:
    clock = town.clock
    town.wait(minutes=5)
    town.regroup()
    after = town.clock
    town.clock = clock
    [late] = town.photo(0)
    town.clock = after
    rebuilt = town.regroup()
    assert rebuilt.created_persons == 1
    assert town.person([late]).member_count == 1


def test_so_many_faces_at_most_are_thought_over_the_oldest_first(town: Town) -> None:
    faces = town.photos(0, 1, times=3)
    told = [
        regroup_faces(table=town.table, index=town.index, terms=town.terms, at=town.now(), max_faces=2)
        for _ in range(3)
    ]
    assert [each.processed_faces for each in told] == [2, 2, 2]
    assert [each.more for each in told] == [True, True, False]
    assert town.person(faces[:3]).person_id != town.person(faces[3:]).person_id


def test_without_a_number_of_faces_nothing_can_be_asked_for(town: Town) -> None:
    with pytest.raises(BadInput):
        regroup_faces(table=town.table, index=town.index, terms=town.terms, at=town.now(), max_faces=0)


def test_faces_that_went_meanwhile_are_passed_over(town: Town) -> None:
    faces = town.photos(0, times=3)
    gone = faces.pop()
    remove_face(gone.image_id, gone.owner, gone.face_id, at=town.now(), table=town.table)
    rebuilt = town.regroup()
    assert rebuilt.processed_faces == 2
    assert town.person(faces).member_count == 2
    check_settled(town.table)


# -- What people said


def test_a_face_that_was_rejected_becomes_somebody_else_and_does_not_come_back(town: Town) -> None:
    faces = town.photos(0, times=4)
    town.regroup()
    ann = town.person(faces).person_id
    town.settle(reject_faces(ann, faces[:1], who=BOB, at=town.now(), table=town.table))
    town.clock = now()
    for _ in range(2):
        town.regroup()
        assert town.person_of(faces[0]) not in {ann, None}
        town.photos(0, times=2)
    assert town.person(faces[1:]).person_id == ann
    check_settled(town.table)


def test_the_near_twin_of_a_rejected_face_is_not_taken_for_them_when_it_comes(town: Town) -> None:
    faces = town.photos(0, times=4)
    [wrong] = town.photo(0, moment=77)
    town.regroup()
    ann = town.person([*faces, wrong]).person_id
    town.settle(reject_faces(ann, [wrong], who=BOB, at=town.now(), table=town.table))
    [twin] = town.photo(0, moment=77)
    town.regroup()
    assert town.person_of(twin) not in {ann, None}
    assert town.person(faces).person_id == ann


def test_what_was_split_stays_split_when_more_faces_come(town: Town) -> None:
    faces = town.photos(0, times=6)
    town.regroup()
    ann = town.person(faces).person_id
    split = town.settle(split_person(ann, faces[:2], who=BOB, at=town.now(), table=town.table))
    town.photos(0, times=3)
    town.regroup()
    assert town.person(faces[:2]).person_id == split.other_person_id
    assert town.person_of(faces[-1]) in {ann, split.other_person_id}
    assert len(town.groups()) == 2
    check_settled(town.table)


def test_merged_persons_who_look_nothing_alike_stay_one_and_grow(town: Town) -> None:
    child, adult = town.photos(0, times=12), town.photos(1, times=12)
    town.regroup()
    one, other = town.person(child).person_id, town.person(adult).person_id
    town.settle(merge_persons(one, other, who=BOB, at=town.now(), table=town.table))
    later = town.photos(0, 1, times=2)
    rebuilt = town.regroup()
    assert rebuilt.created_persons == 0
    assert town.person([*child, *adult, *later]).person_id == one
    check_settled(town.table)


def test_a_name_stays_with_the_faces_when_persons_are_brought_together(town: Town) -> None:
    ones = [face for _ in range(2) for face in town.photo(0, likeness=0.45)]
    town.regroup()
    younger = town.person(ones[1:]).person_id
    town.settle(name_person(younger, "Ann", who=BOB, at=town.now(), table=town.table))
    town.photos(0, times=6)
    town.regroup()
    assert town.person(ones).display_name == "Ann"
    assert town.person(ones).person_id == younger
    assert len(town.persons()) == 1


def test_two_who_may_be_one_are_asked_about_until_more_faces_tell(town: Town) -> None:
    ones = [face for _ in range(2) for face in town.photo(0, likeness=0.45)]
    town.regroup()
    [asked] = list_suggestions(table=town.table)
    assert {asked.person_id, asked.other_person_id} == town.persons_of(ones)
    assert {asked.face_id, asked.other_face_id} == {face.face_id for face in ones}
    assert 0.42 <= asked.similarity < 0.49
    town.photos(0, times=6)
    town.regroup()
    assert list_suggestions(table=town.table) == []


def test_two_of_whom_people_spoke_are_asked_about_unless_they_were_told_apart(town: Town) -> None:
    ones = [face for _ in range(2) for face in town.photo(0, likeness=0.45)]
    town.regroup()
    one, other = (town.person([face]).person_id for face in ones)
    for person in (one, other):
        town.settle(hide_person(person, hidden=False, who=BOB, at=town.now(), table=town.table))
    town.photos(0, times=6)
    town.regroup()
    [asked] = list_suggestions(table=town.table)
    assert {asked.person_id, asked.other_person_id} == {one, other}
    town.settle(tell_apart(one, other, who=BOB, at=town.now(), table=town.table))
    town.photos(0, times=1)
    town.regroup()
    assert list_suggestions(table=town.table) == []


def test_two_who_were_told_apart_are_not_asked_about_where_somebody_drew_a_face_of_one(town: Town) -> None:
    ones = [face for _ in range(2) for face in town.photo(0, likeness=0.45)]
    town.regroup()
    one, other = (town.person([face]).person_id for face in ones)
    town.settle(tell_apart(one, other, who=BOB, at=town.now(), table=town.table))
    photo = a_photo()
    keep(town.table, photo)
    drawn = replace(a_face(photo, a_box(0)), face_id="!first", engine=None, embedding=None, quality=None)
    town.settle(draw_face(one, drawn, who=BOB, at=town.now(), table=town.table))
    town.photos(0, times=6)
    town.regroup()
    assert list_suggestions(table=town.table) == []


# -- One at a time, and whatever happens


def test_one_run_at_a_time(town: Town) -> None:
    town.photos(0, times=2)
    hold(INCREMENTAL, "another", at=town.now(), seconds=60, table=town.table)
    with pytest.raises(Busy):
        town.regroup()
    town.wait(minutes=2)
    assert town.regroup().created_persons == 1


def test_killed_at_any_write_a_run_goes_on_after_a_restart(town: Town) -> None:
    """The lease of the one who was killed is waited for; its photos are settled, and its faces thought over again."""
    ones = [*town.photos(0, times=3), *(face for _ in range(2) for face in town.photo(1, likeness=0.45))]
    town.regroup()
    late = [*town.photos(1, times=6), *town.photos(0, times=1), *town.photos(2, times=2)]
    writes = 0
    while True:
        try:
            table = interrupted(town.table, after=writes)
            regroup_faces(table=table, index=town.index, terms=town.terms, at=town.now())
            break
        except Unavailable:
            writes += 1
        town.wait(minutes=2)
        assert len(town.whose()) == len({face.face_id for face in town.faces() if face.person_id is not None})
    assert writes > 10
    town.regroup()
    assert {len(group) for group in town.groups()} == {4, 8, 2}
    assert len(town.whose()) == len(ones) + len(late)
    check_settled(town.table)


def test_what_a_run_came_to_is_noted(town: Town) -> None:
    town.photos(0, times=2)
    rebuilt = town.regroup()
    state = job_state(INCREMENTAL, table=town.table)
    assert state.lease is None
    assert (state.last_processed_at, state.last_run_at) == (rebuilt.checkpoint, rebuilt.checkpoint)
    assert state.stats == {"processedFaces": 2, "createdPersons": 1, "updatedPersons": 0}


# -- The step


def step(town: Town, terms: Terms | None = None) -> PeopleDue | None:
    """By the town's clock: whether faces still come depends on seconds, and a machine may be slow."""
    told = terms or town.terms
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparks.people.incremental.now", town.now)
        return regroup_people(PeopleDue(), table=town.table, index=town.index, terms=told)


def test_the_step_thinks_over_what_came_and_is_done(table: Table) -> None:
    town = Town(table)
    faces = town.photos(0, times=2)
    assert step(town) is None
    assert town.person(faces).member_count == 2


def test_while_faces_keep_coming_the_step_comes_again_later(table: Table) -> None:
    town = Town(table)
    town.photos(0, times=2)
    assert step(town) is None
    town.wait(seconds=20)
    [face] = town.photo(0)
    assert step(town) == PeopleDue()
    assert town.person_of(face) is None
    town.wait(seconds=3)
    assert step(town) is None
    assert town.person_of(face) is not None


def test_the_step_comes_again_later_where_another_run_is_under_way(town: Town) -> None:
    hold(INCREMENTAL, "another", at=town.now(), seconds=60, table=town.table)
    assert step(town) == PeopleDue()


def test_nothing_happens_where_faces_are_off(town: Town) -> None:
    town.photos(0, times=2)
    before = everything(town.table)
    assert step(town, Terms()) is None
    assert everything(town.table) == before
    with pytest.raises(BadInput):
        regroup_faces(table=town.table, index=town.index, terms=Terms(), at=town.now())


def test_a_person_without_a_face_left_is_gone_and_one_with_a_name_is_not(town: Town) -> None:
    named, other = town.photo(0), town.photo(1)
    town.regroup()
    ann, bob = town.person(named).person_id, town.person(other).person_id
    town.settle(name_person(ann, "Ann", who=BOB, at=town.now(), table=town.table))
    for face in (*named, *other):
        remove_face(face.image_id, face.owner, face.face_id, at=town.now(), table=town.table)
        settle_people(face.image_id, face.owner, table=town.table)
    town.regroup()
    assert find_person(bob, table=town.table) is None
    assert find_person(ann, table=town.table) is not None
