"""Open pages are told that persons are others now: whoever can see it, once for each run, and nobody's name or id."""

from typing import Any

import pytest

from sparks.library import keys
from sparks.library.accounts import begin_removal, create_user
from sparks.library.live import PEOPLE
from sparks.library.people import merge_persons, name_person, undo_decision
from sparks.library.photos import Edit, edit_photo, find_photo
from sparks.library.records import from_item, key_of
from sparks.model.account import Role
from sparks.model.events import Decided
from sparks.model.face import Face
from sparks.model.ledger import LiveEvent
from sparks.model.photo import Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.people.following import follow_decision
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, every
from tests.factories import ANN, BOB, a_user
from tests.library.photos.making import LATER
from tests.people.town import Town

MINE, HIS = scope_of_owner(ANN), scope_of_owner(BOB)
PRIVATE: Any = {"visibility": Visibility.PRIVATE}


@pytest.fixture
def town() -> Town:
    town = Town(MemoryTable())
    for email in (ANN, BOB):
        create_user(a_user(email, role=Role.ADMIN), photos=500, bytes=10**9, table=town.table)
    return town


@pytest.fixture
def known(town: Town) -> list[Face]:
    faces = town.photos(0, 1, times=4)
    town.regroup()
    told(town)
    return faces


def told(town: Town) -> list[Scope]:
    """Where something was told of persons since this was asked last, once for each event."""
    found: list[Scope] = []
    for scope in (COMMUNITY, MINE, HIS):
        for row in list(every(town.table, keys.events(scope))):
            event = from_item(LiveEvent, row)
            assert (event.kind, dict(event.body)) == (PEOPLE, {})
            found.append(event.scope)
            town.table.write(Delete(key_of(event)))
    return found


def follow(town: Town, decision_id: str) -> None:
    event = Decided(decision_id)
    follow_decision(event, table=town.table, blobs=town.blobs, index=town.index, terms=town.terms)


def test_a_run_over_many_faces_tells_the_community_once(town: Town) -> None:
    town.photos(0, 1, times=4)
    town.regroup()
    assert told(town) == [COMMUNITY]


def test_a_run_that_moves_nobody_tells_nothing(town: Town, known: list[Face]) -> None:
    town.regroup()
    town.rebuild()
    assert told(town) == []


def test_a_full_rebuild_tells_once_whom_it_founded(town: Town) -> None:
    town.photos(0, 1, times=4)
    town.rebuild()
    assert told(town) == [COMMUNITY]


def test_a_face_that_is_placed_as_it_comes_is_told(town: Town, known: list[Face]) -> None:
    town.place(town.photo(0))
    assert told(town) == [COMMUNITY]
    town.place(town.photo(7))
    assert told(town) == []


def test_of_private_photos_only_their_owners_hear(town: Town, known: list[Face]) -> None:
    town.place(town.photo(0, **PRIVATE))
    assert told(town) == [MINE]
    town.place(town.photo(1, owner=BOB, **PRIVATE))
    assert told(town) == [HIS]


def test_who_is_being_removed_is_told_nothing(town: Town, known: list[Face]) -> None:
    faces = town.photo(0, **PRIVATE)
    begin_removal(ANN, table=town.table)
    town.place(faces)
    assert told(town) == []


def test_a_name_is_told_wherever_the_person_is_seen_and_so_is_its_undoing(town: Town, known: list[Face]) -> None:
    person = town.person(known[:4])
    named = name_person(person.person_id, "Eve", who=ANN, at=LATER, table=town.table)
    follow(town, named.decision_id)
    assert told(town) == [COMMUNITY]
    undo_decision(named.decision_id, who=ANN, at=LATER, table=town.table)
    follow(town, named.decision_id)
    assert told(town) == [COMMUNITY]


def test_a_decision_about_who_is_only_in_private_photos_is_told_to_their_owner(town: Town) -> None:
    faces = [face for _ in range(4) for face in town.photo(0, **PRIVATE)]
    town.regroup()
    assert told(town) == [MINE]
    named = name_person(town.person(faces).person_id, "Eve", who=ANN, at=LATER, table=town.table)
    follow(town, named.decision_id)
    assert told(town) == [MINE]


def test_a_merge_of_many_photos_is_told_once(town: Town, known: list[Face]) -> None:
    one, other = town.person(known[:4]), town.person(known[4:])
    merged = merge_persons(one.person_id, other.person_id, who=ANN, at=LATER, table=town.table)
    assert merged is not None
    follow(town, merged.decision_id)
    assert told(town) == [COMMUNITY]


def test_who_was_left_in_no_photo_of_the_community_is_told_there(town: Town, known: list[Face]) -> None:
    """Also where it is the private photos of their owner that still show them."""
    for face in known[:4]:
        photo = find_photo(face.image_id, table=town.table)
        assert photo is not None
        edit_photo(photo, Edit(visibility=Visibility.PRIVATE), version=1, at=LATER, table=town.table)
        town.place([face])
    assert told(town) == [COMMUNITY] * 4
