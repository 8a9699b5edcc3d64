"""Incremental rebuild: new faces are grouped with those near them, one run at a time, from the last checkpoint."""

from dataclasses import replace

import pytest

from sparks.library import keys
from sparks.library.leases import INCREMENTAL, acquire_lease, job_state
from sparks.library.people.face_rows import remove_face
from sparks.library.people.merge_suggestions import list_suggestions
from sparks.library.people.person_decisions import (
    add_manual_face,
    hide_person,
    mark_different,
    merge_persons,
    name_person,
    reject_faces,
    split_person,
)
from sparks.library.people.photo_faces import find_person
from sparks.library.people.reconcile import reconcile_people
from sparks.model.errors import BadInput, Busy, Unavailable
from sparks.model.events import PeopleDue, PersonPicturesDue
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.times import now
from sparks.people.group_new_faces import regroup_faces, regroup_people
from sparks.table.port import Delete, Table
from tests.account_makers import everything, interrupted, keep
from tests.factories import BOB, a_face, a_photo
from tests.library.people.rows import a_box, check_settled
from tests.people.face_library import FaceLibrary
from tests.people.makers import POOR


def test_new_faces_found_persons_named_by_their_ids(library: FaceLibrary) -> None:
    anns, bobs = library.photos(0, times=3), library.photos(1, times=2)
    rebuilt = library.regroup()
    assert (rebuilt.processed_faces, rebuilt.created_persons, rebuilt.more) == (5, 2, False)
    ann, bob = library.person(anns), library.person(bobs)
    assert (ann.display_name, ann.member_count, ann.photo_count) == (ann.person_id, 3, 3)
    assert bob.person_id != ann.person_id
    check_settled(library.table)


def test_faces_that_were_grouped_are_not_grouped_again(library: FaceLibrary) -> None:
    library.photos(0, 1, times=3)
    first = library.regroup()
    before = library.whose()
    again = library.regroup()
    assert (again.processed_faces, again.created_persons, again.updated_persons) == (0, 0, 0)
    assert library.whose() == before
    assert first.checkpoint is not None
    assert again.checkpoint is not None
    assert again.checkpoint > first.checkpoint


def test_faces_become_persons_on_dynamodb(dynamodb: Table) -> None:
    dynamodb.write(Delete(keys.job_state(INCREMENTAL)))
    library = FaceLibrary(dynamodb, engine="incremental-1")
    anns, bobs = library.photos(0, times=2), library.photos(1, times=2)
    assert library.regroup().created_persons == 2
    late = library.photos(0, times=1)
    library.place(late)
    assert library.regroup().created_persons == 0
    assert library.person([*anns, *late]).member_count == 3
    assert library.person(bobs).member_count == 2


def test_later_faces_join_existing_persons(library: FaceLibrary) -> None:
    early = library.photos(0, times=3)
    library.regroup()
    ann = library.person(early).person_id
    late = library.photos(0, 1, times=2)
    rebuilt = library.regroup()
    assert (rebuilt.processed_faces, rebuilt.created_persons, rebuilt.updated_persons) == (4, 1, 1)
    assert library.person([*early, *late[:2]]).person_id == ann


def test_new_faces_may_join_two_persons_and_the_older_one_stays(library: FaceLibrary) -> None:
    """Two lone faces that are not enough alike, and several that are like both."""
    ones = [face for _ in range(2) for face in library.photo(0, likeness=0.45)]
    library.regroup()
    assert len(library.groups()) == 2
    first = min(library.persons())
    library.photos(0, times=6)
    library.regroup()
    assert len(library.groups()) == 1
    assert library.person(ones).person_id == first
    assert set(library.persons()) == {first}
    check_settled(library.table)


def test_a_poor_face_stays_unassigned_until_a_good_one_comes(library: FaceLibrary) -> None:
    [poor] = library.photo(0, quality=POOR)
    assert library.regroup().created_persons == 0
    assert library.person_of(poor) is None
    good = library.photos(0, times=3)
    library.regroup()
    assert library.person([poor, *good]).member_count == 4


def test_two_faces_of_a_photo_are_two_persons(library: FaceLibrary) -> None:
    faces = library.photo(0, 0)
    library.regroup()
    assert len(library.persons_of(faces)) == 2


def test_a_log_entry_that_appears_late_is_read(library: FaceLibrary) -> None:
    clock = library.clock
    library.wait(minutes=5)
    library.regroup()
    after = library.clock
    library.clock = clock
    [late] = library.photo(0)
    library.clock = after
    rebuilt = library.regroup()
    assert rebuilt.created_persons == 1
    assert library.person([late]).member_count == 1


def test_a_run_groups_at_most_the_given_number_of_faces_the_oldest_first(library: FaceLibrary) -> None:
    faces = library.photos(0, 1, times=3)
    told = [
        regroup_faces(
            table=library.table, index=library.index, pipeline=library.pipeline, at=library.now(), max_faces=2
        )
        for _ in range(3)
    ]
    assert [each.processed_faces for each in told] == [2, 2, 2]
    assert [each.more for each in told] == [True, True, False]
    assert library.person(faces[:3]).person_id != library.person(faces[3:]).person_id


def test_a_maximum_of_zero_faces_is_refused(library: FaceLibrary) -> None:
    with pytest.raises(BadInput):
        regroup_faces(
            table=library.table, index=library.index, pipeline=library.pipeline, at=library.now(), max_faces=0
        )


def test_faces_that_were_removed_meanwhile_are_skipped(library: FaceLibrary) -> None:
    faces = library.photos(0, times=3)
    gone = faces.pop()
    remove_face(gone.image_id, gone.owner, gone.face_id, at=library.now(), table=library.table)
    rebuilt = library.regroup()
    assert rebuilt.processed_faces == 2
    assert library.person(faces).member_count == 2
    check_settled(library.table)


# -- Decisions


def test_a_rejected_face_becomes_another_person_and_does_not_come_back(library: FaceLibrary) -> None:
    faces = library.photos(0, times=4)
    library.regroup()
    ann = library.person(faces).person_id
    library.settle(reject_faces(ann, faces[:1], who=BOB, at=library.now(), table=library.table))
    library.clock = now()
    for _ in range(2):
        library.regroup()
        assert library.person_of(faces[0]) not in {ann, None}
        library.photos(0, times=2)
    assert library.person(faces[1:]).person_id == ann
    check_settled(library.table)


def test_a_new_near_duplicate_of_a_rejected_face_is_not_assigned_to_that_person(library: FaceLibrary) -> None:
    faces = library.photos(0, times=4)
    [wrong] = library.photo(0, moment=77)
    library.regroup()
    ann = library.person([*faces, wrong]).person_id
    library.settle(reject_faces(ann, [wrong], who=BOB, at=library.now(), table=library.table))
    [near_duplicate] = library.photo(0, moment=77)
    library.regroup()
    assert library.person_of(near_duplicate) not in {ann, None}
    assert library.person(faces).person_id == ann


def test_a_split_stands_when_more_faces_come(library: FaceLibrary) -> None:
    faces = library.photos(0, times=6)
    library.regroup()
    ann = library.person(faces).person_id
    split = library.settle(split_person(ann, faces[:2], who=BOB, at=library.now(), table=library.table))
    library.photos(0, times=3)
    library.regroup()
    assert library.person(faces[:2]).person_id == split.other_person_id
    assert library.person_of(faces[-1]) in {ann, split.other_person_id}
    assert len(library.groups()) == 2
    check_settled(library.table)


def test_merged_persons_who_look_different_stay_one_and_grow(library: FaceLibrary) -> None:
    child, adult = library.photos(0, times=12), library.photos(1, times=12)
    library.regroup()
    one, other = library.person(child).person_id, library.person(adult).person_id
    library.settle(merge_persons(one, other, who=BOB, at=library.now(), table=library.table))
    later = library.photos(0, 1, times=2)
    rebuilt = library.regroup()
    assert rebuilt.created_persons == 0
    assert library.person([*child, *adult, *later]).person_id == one
    check_settled(library.table)


def test_a_name_stays_when_two_persons_are_joined(library: FaceLibrary) -> None:
    ones = [face for _ in range(2) for face in library.photo(0, likeness=0.45)]
    library.regroup()
    younger = library.person(ones[1:]).person_id
    library.settle(name_person(younger, "Ann", who=BOB, at=library.now(), table=library.table))
    library.photos(0, times=6)
    library.regroup()
    assert library.person(ones).display_name == "Ann"
    assert library.person(ones).person_id == younger
    assert len(library.persons()) == 1


def test_a_merge_is_suggested_until_more_faces_decide_it(library: FaceLibrary) -> None:
    ones = [face for _ in range(2) for face in library.photo(0, likeness=0.45)]
    library.regroup()
    [asked] = list_suggestions(table=library.table)
    assert {asked.person_id, asked.other_person_id} == library.persons_of(ones)
    assert {asked.face_id, asked.other_face_id} == {face.face_id for face in ones}
    assert 0.42 <= asked.similarity < 0.49
    library.photos(0, times=6)
    library.regroup()
    assert list_suggestions(table=library.table) == []


def test_a_merge_of_two_named_persons_is_suggested_unless_they_are_marked_as_different(library: FaceLibrary) -> None:
    ones = [face for _ in range(2) for face in library.photo(0, likeness=0.45)]
    library.regroup()
    one, other = (library.person([face]).person_id for face in ones)
    for person in (one, other):
        library.settle(hide_person(person, hidden=False, who=BOB, at=library.now(), table=library.table))
    library.photos(0, times=6)
    library.regroup()
    [asked] = list_suggestions(table=library.table)
    assert {asked.person_id, asked.other_person_id} == {one, other}
    library.settle(mark_different(one, other, who=BOB, at=library.now(), table=library.table))
    library.photos(0, times=1)
    library.regroup()
    assert list_suggestions(table=library.table) == []


def test_no_merge_is_suggested_for_two_different_persons_one_of_whom_has_a_manual_face(library: FaceLibrary) -> None:
    ones = [face for _ in range(2) for face in library.photo(0, likeness=0.45)]
    library.regroup()
    one, other = (library.person([face]).person_id for face in ones)
    library.settle(mark_different(one, other, who=BOB, at=library.now(), table=library.table))
    photo = a_photo()
    keep(library.table, photo)
    drawn = replace(a_face(photo, a_box(0)), face_id="!first", engine=None, embedding=None, quality=None)
    library.settle(add_manual_face(one, drawn, who=BOB, at=library.now(), table=library.table))
    library.photos(0, times=6)
    library.regroup()
    assert list_suggestions(table=library.table) == []


# -- One at a time, and whatever happens


def test_one_run_at_a_time(library: FaceLibrary) -> None:
    library.photos(0, times=2)
    acquire_lease(INCREMENTAL, "another", at=library.now(), seconds=60, table=library.table)
    with pytest.raises(Busy):
        library.regroup()
    library.wait(minutes=2)
    assert library.regroup().created_persons == 1


def test_a_run_that_is_interrupted_at_any_write_continues_after_a_restart(library: FaceLibrary) -> None:
    """The next run waits for the lease to end, reconciles the photos, and groups the faces again."""
    ones = [*library.photos(0, times=3), *(face for _ in range(2) for face in library.photo(1, likeness=0.45))]
    library.regroup()
    late = [*library.photos(1, times=6), *library.photos(0, times=1), *library.photos(2, times=2)]
    writes = 0
    while True:
        try:
            table = interrupted(library.table, after=writes)
            regroup_faces(table=table, index=library.index, pipeline=library.pipeline, at=library.now())
            break
        except Unavailable:
            writes += 1
        library.wait(minutes=2)
        assert len(library.whose()) == len({face.face_id for face in library.faces() if face.person_id is not None})
    assert writes > 10
    library.regroup()
    assert {len(group) for group in library.groups()} == {4, 8, 2}
    assert len(library.whose()) == len(ones) + len(late)
    check_settled(library.table)


def test_the_result_of_a_run_is_stored(library: FaceLibrary) -> None:
    library.photos(0, times=2)
    rebuilt = library.regroup()
    state = job_state(INCREMENTAL, table=library.table)
    assert state.lease is None
    assert (state.last_processed_at, state.last_run_at) == (rebuilt.checkpoint, rebuilt.checkpoint)
    assert state.stats == {"processedFaces": 2, "createdPersons": 1, "updatedPersons": 0}


# -- The step


def step(library: FaceLibrary, pipeline: PipelineSettings | None = None) -> PeopleDue | PersonPicturesDue | None:
    """Uses the library's clock: the step depends on seconds, and a machine may be slow."""
    told = pipeline or library.pipeline
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparks.people.group_new_faces.now", library.now)
        return regroup_people(PeopleDue(), table=library.table, index=library.index, pipeline=told)


def test_the_step_groups_new_faces_and_is_done(table: Table) -> None:
    library = FaceLibrary(table)
    faces = library.photos(0, times=2)
    assert step(library) == PersonPicturesDue()
    assert library.person(faces).member_count == 2


def test_while_faces_keep_coming_the_step_runs_again_later(table: Table) -> None:
    library = FaceLibrary(table)
    library.photos(0, times=2)
    assert step(library) == PersonPicturesDue()
    library.wait(seconds=20)
    [face] = library.photo(0)
    assert step(library) == PeopleDue()
    assert library.person_of(face) is None
    library.wait(seconds=3)
    assert step(library) == PersonPicturesDue()
    assert library.person_of(face) is not None


def test_the_step_runs_again_later_while_another_run_holds_the_lease(library: FaceLibrary) -> None:
    acquire_lease(INCREMENTAL, "another", at=library.now(), seconds=60, table=library.table)
    assert step(library) == PeopleDue()


def test_nothing_happens_where_faces_are_off(library: FaceLibrary) -> None:
    library.photos(0, times=2)
    before = everything(library.table)
    assert step(library, PipelineSettings()) is None
    assert everything(library.table) == before
    with pytest.raises(BadInput):
        regroup_faces(table=library.table, index=library.index, pipeline=PipelineSettings(), at=library.now())


def test_a_person_without_faces_is_removed_unless_they_have_a_name(library: FaceLibrary) -> None:
    named, other = library.photo(0), library.photo(1)
    library.regroup()
    ann, bob = library.person(named).person_id, library.person(other).person_id
    library.settle(name_person(ann, "Ann", who=BOB, at=library.now(), table=library.table))
    for face in (*named, *other):
        remove_face(face.image_id, face.owner, face.face_id, at=library.now(), table=library.table)
        reconcile_people(face.image_id, face.owner, table=library.table)
    library.regroup()
    assert find_person(bob, table=library.table) is None
    assert find_person(ann, table=library.table) is not None
