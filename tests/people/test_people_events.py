"""Live events about changed persons: to all who see them, once for each run, without names or ids."""

from typing import Any

import pytest

from sparks.library import keys
from sparks.library.accounts.lifecycle import begin_removal, create_user
from sparks.library.live_events import PEOPLE
from sparks.library.people.person_decisions import merge_persons, name_person, undo_decision
from sparks.library.photos.edit_and_trash import edit_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import from_item, key_of
from sparks.model.account import Role
from sparks.model.events import DecisionMade
from sparks.model.face import Face
from sparks.model.photo import Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner
from sparks.model.system_records import LiveEvent
from sparks.people.decision_followup import follow_decision
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, every
from tests.factories import ANN, BOB, a_user
from tests.library.photos.photo_makers import LATER
from tests.people.face_library import FaceLibrary

MINE, HIS = scope_of_owner(ANN), scope_of_owner(BOB)
PRIVATE: Any = {"visibility": Visibility.PRIVATE}


@pytest.fixture
def library() -> FaceLibrary:
    library = FaceLibrary(MemoryTable())
    for email in (ANN, BOB):
        create_user(a_user(email, role=Role.ADMIN), photos=500, bytes=10**9, table=library.table)
    return library


@pytest.fixture
def known(library: FaceLibrary) -> list[Face]:
    faces = library.photos(0, 1, times=4)
    library.regroup()
    announced_scopes(library)
    return faces


def announced_scopes(library: FaceLibrary) -> list[Scope]:
    """The scopes of the events about persons since the last call, once for each event."""
    found: list[Scope] = []
    for scope in (COMMUNITY, MINE, HIS):
        for row in list(every(library.table, keys.events(scope))):
            event = from_item(LiveEvent, row)
            assert (event.kind, dict(event.body)) == (PEOPLE, {})
            found.append(event.scope)
            library.table.write(Delete(key_of(event)))
    return found


def follow(library: FaceLibrary, decision_id: str) -> None:
    event = DecisionMade(decision_id)
    follow_decision(event, table=library.table, blobs=library.blobs, index=library.index, pipeline=library.pipeline)


def test_a_run_over_many_faces_sends_the_community_one_event(library: FaceLibrary) -> None:
    library.photos(0, 1, times=4)
    library.regroup()
    assert announced_scopes(library) == [COMMUNITY]


def test_a_run_that_moves_no_face_sends_no_event(library: FaceLibrary, known: list[Face]) -> None:
    library.regroup()
    library.rebuild()
    assert announced_scopes(library) == []


def test_a_full_rebuild_that_creates_persons_sends_one_event(library: FaceLibrary) -> None:
    library.photos(0, 1, times=4)
    library.rebuild()
    assert announced_scopes(library) == [COMMUNITY]


def test_an_event_is_sent_for_a_face_that_is_assigned_at_once(library: FaceLibrary, known: list[Face]) -> None:
    library.place(library.photo(0))
    assert announced_scopes(library) == [COMMUNITY]
    library.place(library.photo(7))
    assert announced_scopes(library) == []


def test_events_about_private_photos_go_to_their_owners_only(library: FaceLibrary, known: list[Face]) -> None:
    library.place(library.photo(0, **PRIVATE))
    assert announced_scopes(library) == [MINE]
    library.place(library.photo(1, owner=BOB, **PRIVATE))
    assert announced_scopes(library) == [HIS]


def test_an_account_that_is_being_removed_gets_no_events(library: FaceLibrary, known: list[Face]) -> None:
    faces = library.photo(0, **PRIVATE)
    begin_removal(ANN, table=library.table)
    library.place(faces)
    assert announced_scopes(library) == []


def test_naming_a_person_and_undoing_it_sends_events_to_all_their_scopes(
    library: FaceLibrary, known: list[Face]
) -> None:
    person = library.person(known[:4])
    named = name_person(person.person_id, "Eve", who=ANN, at=LATER, table=library.table)
    follow(library, named.decision_id)
    assert announced_scopes(library) == [COMMUNITY]
    undo_decision(named.decision_id, who=ANN, at=LATER, table=library.table)
    follow(library, named.decision_id)
    assert announced_scopes(library) == [COMMUNITY]


def test_a_decision_about_a_person_of_private_photos_sends_an_event_to_the_owner(library: FaceLibrary) -> None:
    faces = [face for _ in range(4) for face in library.photo(0, **PRIVATE)]
    library.regroup()
    assert announced_scopes(library) == [MINE]
    named = name_person(library.person(faces).person_id, "Eve", who=ANN, at=LATER, table=library.table)
    follow(library, named.decision_id)
    assert announced_scopes(library) == [MINE]


def test_a_merge_over_many_photos_sends_one_event(library: FaceLibrary, known: list[Face]) -> None:
    one, other = library.person(known[:4]), library.person(known[4:])
    merged = merge_persons(one.person_id, other.person_id, who=ANN, at=LATER, table=library.table)
    assert merged is not None
    follow(library, merged.decision_id)
    assert announced_scopes(library) == [COMMUNITY]


def test_the_community_gets_an_event_when_a_person_leaves_its_last_photo(
    library: FaceLibrary, known: list[Face]
) -> None:
    """Also where it is the private photos of their owner that still show them."""
    for face in known[:4]:
        photo = find_photo(face.image_id, table=library.table)
        assert photo is not None
        edit_photo(photo, PhotoEdit(visibility=Visibility.PRIVATE), version=1, at=LATER, table=library.table)
        library.place([face])
    assert announced_scopes(library) == [COMMUNITY] * 4
