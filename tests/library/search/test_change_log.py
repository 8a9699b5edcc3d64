"""The change log of search: every change that search indexes is logged in the same write, and nothing else."""

from datetime import timedelta
from typing import Final

import pytest

from sparks.library import keys
from sparks.library.people.person_decisions import name_person
from sparks.library.photos.edit_and_trash import edit_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.records import key_of, to_item
from sparks.library.search.change_log import KEEP_FOR, ChangedEntity, SearchLoggingTable, entries_between_times
from sparks.model.errors import ConditionFailed
from sparks.model.keyring import Keyring
from sparks.model.photo import PhotoState
from sparks.model.times import now
from sparks.table.port import MAX_CHANGES, Absent, Delete, Put, Set, Table
from tests.factories import ANN, NOON, a_person, a_photo, a_user, an_album

RING: Final = Keyring("test", {"test": b"t" * 32})


@pytest.fixture
def noted(table: Table) -> SearchLoggingTable:
    return SearchLoggingTable(table, keyring=RING)


def logged(table: Table, ring: Keyring = RING) -> list[ChangedEntity]:
    at = now()
    notes = entries_between_times(at - timedelta(minutes=5), at + timedelta(minutes=5), table=table, keyring=ring)
    return [each for note in notes for each in note.about or ()]


def test_changes_of_a_photo_by_people_and_the_pipeline_are_logged(noted: SearchLoggingTable) -> None:
    photo = a_photo(title="Sea")
    changed = ChangedEntity("photo", photo.image_id, ANN)
    noted.write(Put(to_item(photo)))
    edited = edit_photo(photo, PhotoEdit(title="Sand"), version=1, at=NOON, table=noted)
    trash_photo(edited, at=NOON, table=noted)
    noted.write(Set(key_of(photo), {"persons": ["person1"]}))
    noted.write(Set(key_of(photo), {"albums": ["x"]}))
    noted.write(Delete(key_of(photo)))
    assert logged(noted) == [changed] * 6


def test_changes_that_search_does_not_index_are_not_logged(noted: SearchLoggingTable) -> None:
    photo, person = a_photo(state=PhotoState.RESERVED), a_person()
    noted.write(Put(to_item(photo)))
    noted.write(Set(key_of(photo), {"processingStatus": "processing"}))
    noted.write(Set(keys.person(person.person_id), {"photoCount": 3}))
    noted.write(Set(keys.album("x"), {"photoCount": 3}))
    noted.write(Set(keys.user(ANN), {"sessionEpoch": 3}))
    noted.write(Put({"PK": photo.image_id, "SK": "TAG#sea"}))
    assert logged(noted) == []


@pytest.mark.parametrize("state", [PhotoState.RESERVED, PhotoState.PENDING, PhotoState.FAILED])
def test_a_new_photo_that_is_not_ready_is_not_logged(noted: SearchLoggingTable, state: PhotoState) -> None:
    photo = a_photo(state=state)
    noted.write(Put(to_item(photo), when=(Absent(),)))
    assert logged(noted) == []
    noted.write(Set(key_of(photo), {"entityType": PhotoState.READY.value}))
    assert logged(noted) == [ChangedEntity("photo", photo.image_id, ANN)]


def test_changes_of_names_are_logged(noted: SearchLoggingTable) -> None:
    person, album, user = a_person(), an_album(), a_user()
    noted.write(*(Put(to_item(row)) for row in (person, album, user)))
    name_person(person.person_id, "Anna", who=ANN, at=NOON, table=noted)
    changed = [ChangedEntity("person", "person1"), ChangedEntity("album", album.album_id), ChangedEntity("member", ANN)]
    assert logged(noted) == [*changed, ChangedEntity("person", "person1")]


def test_a_failed_write_is_not_logged_and_reports_the_failing_change(noted: SearchLoggingTable) -> None:
    photo = a_photo()
    noted.write(Put(to_item(photo)))
    with pytest.raises(ConditionFailed) as failed:
        noted.write(Put({"PK": "x", "SK": "y"}), Put(to_item(photo), when=(Absent(),)))
    assert failed.value.position == 1
    assert len(logged(noted)) == 1


def test_a_write_with_a_token_or_a_full_transaction_is_logged_too(noted: SearchLoggingTable) -> None:
    photo = a_photo()
    write = Put(to_item(photo))
    for _ in range(2):
        noted.write(write, token="once")
    noted.write(write, *(Put({"PK": "x", "SK": f"{n}"}) for n in range(MAX_CHANGES - 1)))
    assert logged(noted) == [ChangedEntity("photo", photo.image_id, ANN)] * 3


def test_a_log_entry_hides_the_photo_id_and_expires(noted: SearchLoggingTable) -> None:
    photo = a_photo()
    noted.write(Put(to_item(photo)))
    rows = [row for row in noted.scan().items if row["PK"].startswith("SEARCH_LOG#")]
    assert photo.image_id not in repr(rows)
    assert ANN not in repr(rows)
    assert noted.expire(now() + KEEP_FOR + timedelta(minutes=1)) in (0, 1)


def test_an_entry_of_a_removed_secret_names_no_entity(noted: SearchLoggingTable) -> None:
    noted.write(Put(to_item(a_photo())))
    at, other = now(), Keyring("new", {"new": b"n" * 32})
    (note,) = entries_between_times(at - timedelta(minutes=5), at, table=noted, keyring=other)
    assert note.about is None


def test_a_table_of_many_machines_notes_alike(dynamodb: Table) -> None:
    photo = a_photo()
    SearchLoggingTable(dynamodb, keyring=RING).write(Put(to_item(photo)))
    assert ChangedEntity("photo", photo.image_id, ANN) in logged(dynamodb)
