"""Two concurrent actions on a few faces: each with every other, which runs before each write of the first."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.library.people.apply_decision import apply_decision, reconcile_person
from sparks.library.people.face_assignment import assign_face, found_person, unassign_face
from sparks.library.people.face_rows import remove_face, store_face
from sparks.library.people.person_decisions import (
    assign_faces,
    choose_picture,
    hide_person,
    merge_persons,
    name_person,
    reject_faces,
    split_person,
    undo_decision,
)
from sparks.library.people.photo_faces import find_person
from sparks.library.people.redirects import resolve_person
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import changes, from_item
from sparks.model.errors import SparksError
from sparks.model.face import Face
from sparks.model.person import Decision, Person
from sparks.model.photo import Photo, Visibility
from sparks.table.memory import MemoryTable
from sparks.table.port import Item, Put, Table
from tests.account_makers import at_once, everything
from tests.factories import ANN, BOB, NOON
from tests.library.people.rows import FEW, also_in, check_counts, check_settled, met, photographed, seen, settle
from tests.library.photos.photo_makers import LATER
from tests.library.tables import Meddled

MOST_WRITES: Final = 12
BLOBS: Final = MemoryBlobs()


class Scene(NamedTuple):
    """Two photos: one person in both, and in the first also another person and an unassigned face."""

    one: Photo
    other: Photo
    ann: str
    bob: str
    face: Face
    unknown: Face
    merge: Decision


Deed = Callable[[Scene, Table], object]


def a_scene(table: Table) -> Scene:
    one, other = photographed(table), photographed(table, owner=BOB)
    ann, bob = met(table, one, 0), met(table, one, 1)
    [face] = also_in(table, ann, other)
    third = met(table, other, 1)
    merge = merge_persons(bob.person_id, third.person_id, who=ANN, at=NOON, table=table)
    assert merge is not None
    apply_decision(merge, min_photos=FEW, table=table)
    return Scene(one, other, ann.person_id, bob.person_id, face, seen(table, one, 2), merge)


def make_private(scene: Scene, table: Table) -> None:
    photo = find_photo(scene.one.image_id, table=table)
    if photo is not None:
        table.write(changes(photo, replace(photo, visibility=Visibility.PRIVATE, albums=("a",))))


def split(scene: Scene, table: Table) -> None:
    decision = split_person(scene.ann, [scene.face], who=ANN, at=LATER, table=table)
    apply_decision(decision, min_photos=FEW, table=table)


def merge(scene: Scene, table: Table) -> None:
    decision = merge_persons(scene.ann, scene.bob, who=ANN, at=LATER, table=table)
    if decision is not None:
        apply_decision(decision, min_photos=FEW, table=table)


def merge_the_other_way(scene: Scene, table: Table) -> None:
    decision = merge_persons(scene.bob, scene.ann, who=BOB, at=LATER, table=table)
    if decision is not None:
        apply_decision(decision, min_photos=FEW, table=table)


def undo_the_merge(scene: Scene, table: Table) -> None:
    apply_decision(undo_decision(scene.merge.decision_id, who=ANN, at=LATER, table=table), min_photos=FEW, table=table)


def find_again(scene: Scene, table: Table) -> None:
    store_face(replace(scene.face, quality=0.1, embedding=b"again", indexed_at=LATER), at=LATER, table=table)


DEEDS: Final[dict[str, Deed]] = {
    "found": lambda scene, table: found_person(scene.unknown, at=LATER, table=table),
    "assign": lambda scene, table: assign_face(scene.unknown, scene.bob, at=LATER, table=table),
    "move": lambda scene, table: assign_face(scene.face, scene.bob, at=LATER, table=table),
    "unassign": lambda scene, table: unassign_face(scene.face, at=LATER, table=table),
    "remove": lambda scene, table: remove_face(
        scene.face.image_id, scene.face.owner, scene.face.face_id, at=LATER, table=table
    ),
    "find again": find_again,
    "name": lambda scene, table: name_person(scene.bob, "Bob", who=ANN, at=LATER, table=table),
    "hide": lambda scene, table: hide_person(scene.ann, hidden=True, who=ANN, at=LATER, table=table),
    "choose": lambda scene, table: choose_picture(scene.ann, scene.face, who=ANN, at=LATER, table=table),
    "reject": lambda scene, table: reject_faces(scene.ann, [scene.face], who=ANN, at=LATER, table=table),
    "say": lambda scene, table: assign_faces(scene.bob, [scene.face, scene.unknown], who=ANN, at=LATER, table=table),
    "split": split,
    "merge": merge,
    "merge the other way": merge_the_other_way,
    "undo": undo_the_merge,
    "settle": lambda scene, table: settle(table, scene.one, scene.other),
    "make private": make_private,
    "trash": lambda scene, table: trash_photo(scene.one, at=LATER, table=table),
    "erase": lambda scene, table: delete_rows_and_blobs(scene.other, table=table, blobs=BLOBS),
}


def outcome_of(deed: Deed, scene: Scene, table: Table) -> object:
    try:
        return deed(scene, table)
    except SparksError as error:
        return error


def rest(scene: Scene, table: Table) -> None:
    settle(table, scene.one, scene.other)
    persons = [from_item(Person, item) for item in everything(table) if item.get("entityType") == "PERSON"]
    for person in persons:
        reconcile_person(person.person_id, min_photos=FEW, table=table)


def meet(deed: Deed, rival: Deed, *, writes: int, before: tuple[Scene, list[Item]]) -> bool:
    """Whether the rival came: the deed, and what follows it, had so many writes."""
    scene, items = before
    table = MemoryTable()
    for item in items:
        table.write(Put(item))
    came: list[object] = []
    waits: list[Callable[[], object]] = [lambda: None] * writes
    meddled = Meddled(table, *waits, lambda: came.append(outcome_of(rival, scene, table)))
    outcome_of(deed, scene, meddled)
    outcome_of(DEEDS["settle"], scene, meddled)
    check_counts(everything(table))
    rest(scene, table)
    check_settled(table)
    return bool(came)


def meet_everywhere(deed: Deed, rivals: Iterable[str]) -> None:
    table = MemoryTable()
    before = a_scene(table), everything(table)
    for rival in rivals:
        for writes in range(MOST_WRITES):
            if not meet(deed, DEEDS[rival], writes=writes, before=before):
                break


@pytest.mark.parametrize("deed", ["move", "say", "merge", "undo"])
def test_no_face_is_lost_or_miscounted_under_one_concurrent_change(deed: str) -> None:
    meet_everywhere(DEEDS[deed], ["say", "settle", "merge the other way", "make private", "erase"])


@pytest.mark.long
@pytest.mark.parametrize("deed", DEEDS)
def test_no_face_is_lost_or_miscounted_under_any_concurrent_change(deed: str) -> None:
    meet_everywhere(DEEDS[deed], DEEDS)


# -- Many at once


@pytest.fixture(params=["sqlite", "dynamodb"])
def shared(request: pytest.FixtureRequest) -> Table:
    """A table that takes many at once."""
    table: Table = request.getfixturevalue(request.param)
    return table


def counts_of(person_id: str, table: Table) -> tuple[int | None, int]:
    person = find_person(person_id, table=table)
    return (0, 0) if person is None else (person.member_count, person.photo_count)


def test_concurrent_photos_of_one_person_are_all_counted(shared: Table) -> None:
    person = met(shared, photographed(shared))
    photos = [photographed(shared) for _ in range(6)]
    calls = [partial(also_in, shared, person, photo) for photo in photos]
    answers = at_once(*calls)
    assert not [answer for answer in answers if isinstance(answer, SparksError)]
    assert counts_of(person.person_id, shared) == (7, 7)


def test_a_face_assigned_to_two_persons_at_once_has_one_of_them(shared: Table) -> None:
    photo = photographed(shared)
    one, other = met(shared, photo, 0), met(shared, photo, 1)
    face = seen(shared, photo, 2)
    calls = [partial(assign_face, face, person.person_id, at=LATER, table=shared) for person in (one, other)]
    answers = at_once(*calls)
    assert all(isinstance(answer, Face) for answer in answers)
    settle(shared, photo)
    counts = sorted(counts_of(person.person_id, shared) for person in (one, other))
    assert counts == [(1, 1), (2, 1)]


def test_two_who_merge_each_others_person_leave_one(shared: Table) -> None:
    for _ in range(3):
        photo = photographed(shared)
        one, other = met(shared, photo, 0), met(shared, photo, 1)
        answers = at_once(
            partial(merge_persons, one.person_id, other.person_id, who=ANN, at=LATER, table=shared),
            partial(merge_persons, other.person_id, one.person_id, who=BOB, at=LATER, table=shared),
        )
        [decision] = [answer for answer in answers if answer is not None]
        assert isinstance(decision, Decision)
        assert resolve_person(one.person_id, table=shared) == resolve_person(other.person_id, table=shared)
        apply_decision(decision, min_photos=FEW, table=shared)
        assert counts_of(decision.person_id, shared) == (2, 1)


def test_a_person_loses_the_last_face_while_another_is_added(shared: Table) -> None:
    for _ in range(3):
        first, second = photographed(shared), photographed(shared)
        person = met(shared, first)
        face = seen(shared, second)

        def leave(photo: Photo = first) -> None:
            delete_rows_and_blobs(photo, table=shared, blobs=MemoryBlobs())

        answers = at_once(leave, partial(assign_face, face, person.person_id, at=LATER, table=shared))
        settle(shared, second)
        assert answers[0] is None
        kept = isinstance(answers[1], Face)
        assert counts_of(person.person_id, shared) == ((1, 1) if kept else (0, 0))
