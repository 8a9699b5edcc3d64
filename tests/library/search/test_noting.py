"""The log that search hears of changes by: whatever changes it is noted in the same write, and nothing else is."""

from datetime import timedelta
from typing import Final

import pytest

from sparks.library import keys
from sparks.library.people import name_person
from sparks.library.photos import Edit, edit_photo, trash_photo
from sparks.library.records import key_of, to_item
from sparks.library.search.noting import KEPT, Changed, NotedTable, notes_between
from sparks.model.errors import ConditionFailed
from sparks.model.keyring import Keyring
from sparks.model.photo import PhotoState
from sparks.model.times import now
from sparks.table.port import MOST_CHANGES, Absent, Delete, Put, Set, Table
from tests.factories import ANN, NOON, a_person, a_photo, a_user, an_album

RING: Final = Keyring("test", {"test": b"t" * 32})


@pytest.fixture
def noted(table: Table) -> NotedTable:
    return NotedTable(table, keyring=RING)


def heard(table: Table, ring: Keyring = RING) -> list[Changed]:
    at = now()
    notes = notes_between(at - timedelta(minutes=5), at + timedelta(minutes=5), table=table, keyring=ring)
    return [each for note in notes for each in note.about or ()]


def test_what_people_and_the_pipeline_do_to_a_photo_is_noted(noted: NotedTable) -> None:
    photo = a_photo(title="Sea")
    told = Changed("photo", photo.image_id, ANN)
    noted.write(Put(to_item(photo)))
    edited = edit_photo(photo, Edit(title="Sand"), version=1, at=NOON, table=noted)
    trash_photo(edited, at=NOON, table=noted)
    noted.write(Set(key_of(photo), {"persons": ["person1"]}))
    noted.write(Set(key_of(photo), {"albums": ["x"]}))
    noted.write(Delete(key_of(photo)))
    assert heard(noted) == [told] * 6


def test_what_search_knows_nothing_of_is_not_noted(noted: NotedTable) -> None:
    photo, person = a_photo(state=PhotoState.RESERVED), a_person()
    noted.write(Put(to_item(photo)))
    noted.write(Set(key_of(photo), {"processingStatus": "processing"}))
    noted.write(Set(keys.person(person.person_id), {"photoCount": 3}))
    noted.write(Set(keys.album("x"), {"photoCount": 3}))
    noted.write(Set(keys.user(ANN), {"sessionEpoch": 3}))
    noted.write(Put({"PK": photo.image_id, "SK": "TAG#sea"}))
    assert heard(noted) == []


def test_names_are_noted(noted: NotedTable) -> None:
    person, album, user = a_person(), an_album(), a_user()
    noted.write(*(Put(to_item(row)) for row in (person, album, user)))
    name_person(person.person_id, "Anna", who=ANN, at=NOON, table=noted)
    told = [Changed("person", "person1"), Changed("album", album.album_id), Changed("member", ANN)]
    assert heard(noted) == [*told, Changed("person", "person1")]


def test_a_write_that_fails_is_not_noted_and_tells_which_change_failed(noted: NotedTable) -> None:
    photo = a_photo()
    noted.write(Put(to_item(photo)))
    with pytest.raises(ConditionFailed) as failed:
        noted.write(Put({"PK": "x", "SK": "y"}), Put(to_item(photo), when=(Absent(),)))
    assert failed.value.position == 1
    assert len(heard(noted)) == 1


def test_what_has_a_token_or_fills_a_transaction_is_noted_too(noted: NotedTable) -> None:
    photo = a_photo()
    write = Put(to_item(photo))
    for _ in range(2):
        noted.write(write, token="once")
    noted.write(write, *(Put({"PK": "x", "SK": f"{n}"}) for n in range(MOST_CHANGES - 1)))
    assert heard(noted) == [Changed("photo", photo.image_id, ANN)] * 3


def test_a_note_tells_nobody_which_photo_it_is_about_and_goes_by_itself(noted: NotedTable) -> None:
    photo = a_photo()
    noted.write(Put(to_item(photo)))
    rows = [row for row in noted.scan().items if row["PK"].startswith("SEARCH_LOG#")]
    assert photo.image_id not in repr(rows)
    assert ANN not in repr(rows)
    assert noted.expire(now() + KEPT + timedelta(minutes=1)) in (0, 1)


def test_what_was_sealed_with_a_secret_that_is_gone_says_so(noted: NotedTable) -> None:
    noted.write(Put(to_item(a_photo())))
    at, other = now(), Keyring("new", {"new": b"n" * 32})
    (note,) = notes_between(at - timedelta(minutes=5), at, table=noted, keyring=other)
    assert note.about is None


def test_a_table_of_many_machines_notes_alike(dynamodb: Table) -> None:
    photo = a_photo()
    NotedTable(dynamodb, keyring=RING).write(Put(to_item(photo)))
    assert Changed("photo", photo.image_id, ANN) in heard(dynamodb)
