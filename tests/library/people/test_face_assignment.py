"""Assignment of faces: one transaction a face, and the counters follow."""

from dataclasses import replace

import pytest

from sparks.library import entity_types, keys
from sparks.library.people.face_assignment import assign_face, found_person, unassign_face
from sparks.library.people.face_rows import remove_face, store_face
from sparks.library.people.photo_faces import find_person, read_faces
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import from_item
from sparks.model.errors import NotFound
from sparks.model.face import FaceChange, FaceLogEntry
from sparks.model.person import PersonInScope
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_album, scope_of_owner
from sparks.model.times import day_of
from sparks.table.port import Table, every
from tests.account_makers import everything, keep
from tests.factories import ANN, BOB, NOON, a_face
from tests.library.people.rows import (
    a_box,
    also_in,
    check_counts,
    check_settled,
    face_in,
    met,
    photographed,
    seen,
    settle,
)
from tests.library.photos.photo_makers import LATER


def shown_in(table: Table, person_id: str, scope: Scope) -> PersonInScope | None:
    item = table.get(keys.person_in_scope(person_id, scope))
    return None if item is None else from_item(PersonInScope, item)


def test_a_new_face_is_unassigned_and_in_the_face_log(any_table: Table) -> None:
    photo = photographed(any_table)
    face = seen(any_table, photo)
    told = [from_item(FaceLogEntry, row) for row in every(any_table, keys.face_log(day_of(NOON)))]
    assert (face.face_id, FaceChange.ADDED) in {(entry.face_id, entry.change) for entry in told}
    row = any_table.get(keys.face(photo.image_id, face.face_id))
    assert row is not None
    assert row["entityType"] == entity_types.FACES_UNASSIGNED.value
    assert any_table.get(keys.face_by_id(face.face_id)) is not None


def test_person_numbers_ascend_and_are_never_reused(table: Table) -> None:
    photo = photographed(table)
    persons = [met(table, photo, place) for place in range(3)]
    assert [person.person_id for person in persons] == ["person1", "person2", "person3"]
    found = find_photo(photo.image_id, table=table)
    assert found is not None
    assert (found.persons, found.face_count) == (("person1", "person2", "person3"), 3)
    check_settled(table)


def test_a_person_is_counted_by_faces_and_by_photos(table: Table) -> None:
    one, other = photographed(table), photographed(table)
    person = met(table, one)
    also_in(table, person, one, place=1)
    also_in(table, person, other)
    row = table.get(keys.person(person.person_id))
    assert row is not None
    assert (row["memberCount"], row["photoCount"]) == (3, 2)
    check_settled(table)


def test_a_face_moves_from_one_person_to_another_in_one_write(table: Table) -> None:
    photo = photographed(table)
    one, other = met(table, photo, 0), met(table, photo, 1)
    face = also_in(table, one, photo, place=2)[0]
    assign_face(face, other.person_id, at=LATER, table=table)
    check_counts(everything(table))
    settle(table, photo)
    assert face_in(table, face).person_id == other.person_id
    check_settled(table)


def test_assigning_again_changes_nothing(table: Table) -> None:
    photo = photographed(table)
    person = met(table, photo)
    face = also_in(table, person, photo, place=1)[0]
    before = everything(table)
    assert assign_face(face, person.person_id, at=LATER, table=table) == face
    settle(table, photo)
    assert everything(table) == before


def test_an_assigned_face_founds_no_person(table: Table) -> None:
    photo = photographed(table)
    person = met(table, photo)
    face = also_in(table, person, photo, place=1)[0]
    assert found_person(face, at=LATER, table=table) is None
    check_settled(table)


def test_an_unassigned_face_waits_again_and_its_person_is_deleted(table: Table) -> None:
    photo = photographed(table)
    face = seen(table, photo)
    person = found_person(face, at=NOON, table=table)
    assert person is not None
    settle(table, photo)
    unassign_face(face, at=LATER, table=table)
    settle(table, photo)
    assert table.get(keys.person(person.person_id)) is None
    assert face_in(table, face).indexed_at == LATER
    [entry] = [from_item(FaceLogEntry, row) for row in every(table, keys.face_log(day_of(LATER)))]
    assert (entry.indexed_at, entry.face_id) == (LATER, face.face_id)
    check_settled(table)


def test_no_face_is_assigned_to_a_missing_person(table: Table) -> None:
    face = seen(table, photographed(table))
    with pytest.raises(NotFound):
        assign_face(face, "person9", at=NOON, table=table)


def test_no_face_is_stored_for_a_photo_that_is_being_deleted(table: Table) -> None:
    photo = photographed(table, state=PhotoState.DELETING)
    with pytest.raises(NotFound):
        store_face(a_face(photo, a_box()), at=NOON, table=table)


def test_a_face_that_was_removed_with_its_person_is_stored_unassigned(table: Table) -> None:
    """The step that stores it read it before it was removed."""
    photo = photographed(table)
    person = met(table, photo)
    [face] = read_faces(photo.image_id, photo.owner, table=table).faces.values()
    remove_face(photo.image_id, photo.owner, face.face_id, at=LATER, table=table)
    settle(table, photo)
    assert store_face(face, at=LATER, table=table).person_id is None
    assert find_person(person.person_id, table=table) is None


def test_a_face_that_is_found_again_keeps_its_person(table: Table) -> None:
    photo = photographed(table)
    person = met(table, photo)
    face = also_in(table, person, photo, place=1)[0]
    better = replace(a_face(photo, face.box), embedding=b"another", quality=0.9, engine="test-2", face_id=face.face_id)
    again = store_face(better, at=LATER, table=table)
    assert (again.person_id, again.embedding, again.engine) == (person.person_id, b"another", "test-2")
    check_counts(everything(table))


def test_the_log_entry_of_a_removed_face_names_no_photo(table: Table) -> None:
    photo = photographed(table)
    face = seen(table, photo)
    found_person(face, at=NOON, table=table)
    settle(table, photo)
    assert remove_face(photo.image_id, ANN, face.face_id, at=LATER, table=table) is not None
    settle(table, photo)
    [entry] = [from_item(FaceLogEntry, row) for row in every(table, keys.face_log(day_of(NOON)))]
    assert (entry.change, entry.image_id, entry.owner) == (FaceChange.REMOVED, None, None)
    assert remove_face(photo.image_id, ANN, face.face_id, at=LATER, table=table) is None
    check_settled(table)


# -- Who may see it


def test_a_person_of_private_photos_is_seen_by_their_owner_alone(table: Table) -> None:
    person = met(table, photographed(table, visibility=Visibility.PRIVATE))
    assert shown_in(table, person.person_id, COMMUNITY) is None
    mine = shown_in(table, person.person_id, scope_of_owner(ANN))
    assert mine is not None
    assert mine.count == 1
    check_settled(table)


def test_a_photo_that_is_made_private_leaves_the_community_and_its_picture(table: Table) -> None:
    best, other = photographed(table), photographed(table, owner=BOB)
    person = met(table, best, quality=0.9)
    also_in(table, person, other, quality=0.5)
    before = shown_in(table, person.person_id, COMMUNITY)
    assert before is not None
    assert before.rep_image_id == best.image_id
    keep(table, replace(_now(table, best.image_id), visibility=Visibility.PRIVATE))
    settle(table, best)
    after = shown_in(table, person.person_id, COMMUNITY)
    assert after is not None
    assert (after.count, after.rep_image_id, after.listed) == (1, other.image_id, False)
    check_settled(table)


def test_a_trashed_photo_counts_for_no_person_and_keeps_its_faces(table: Table) -> None:
    photo = photographed(table)
    person = met(table, photo)
    trash_photo(_now(table, photo.image_id), at=LATER, table=table)
    settle(table, photo)
    assert shown_in(table, person.person_id, scope_of_owner(ANN)) is None
    assert table.get(keys.person(person.person_id)) is not None
    check_settled(table)


def test_the_members_of_an_album_see_who_is_in_it(table: Table) -> None:
    photo = photographed(table, visibility=Visibility.PRIVATE, albums=("summer", "autumn"))
    person = met(table, photo)
    assert shown_in(table, person.person_id, scope_of_album("summer")) is not None
    assert table.query(entity_types.album_person("summer", person.person_id)).items
    keep(table, replace(_now(table, photo.image_id), albums=("autumn",)))
    settle(table, photo)
    assert shown_in(table, person.person_id, scope_of_album("summer")) is None
    check_settled(table)


def _now(table: Table, image_id: str) -> Photo:
    photo = find_photo(image_id, table=table)
    assert photo is not None
    return photo
