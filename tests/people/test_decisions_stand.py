"""Decisions stand, and undone ones stay undone, after a full rebuild."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from sparks.library.people.face_assignment import found_person
from sparks.library.people.person_decisions import (
    add_manual_face,
    assign_faces,
    choose_picture,
    hide_person,
    mark_different,
    merge_persons,
    name_person,
    reject_faces,
    split_person,
    undo_decision,
)
from sparks.library.people.photo_faces import find_person
from sparks.library.photos.photo_rows import find_photo
from sparks.model import ids
from sparks.model.face import Face
from sparks.model.person import Decision, Person
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.factories import BOB, a_face
from tests.library.people.rows import a_box, check_settled
from tests.people.face_library import ENGINE, FaceLibrary


class Scene(NamedTuple):
    """Two who are in four photos each, and what they are called at first."""

    library: FaceLibrary
    anns: list[Face]
    bobs: list[Face]
    ann: Person
    bob: Person

    @property
    def decided_by(self) -> dict[str, Any]:
        return {"who": BOB, "at": self.library.now(), "table": self.library.table}


def a_scene(table: Table, engine: str = ENGINE) -> Scene:
    library = FaceLibrary(table, engine=engine)
    anns, bobs = library.photos(0, times=4), library.photos(1, times=4)
    library.rebuild()
    return Scene(library, anns, bobs, library.person(anns), library.person(bobs))


Decide = Callable[[Scene], Decision | None]
Stands = Callable[[Scene, Decision], None]


def assign(scene: Scene) -> Decision:
    return assign_faces(scene.ann.person_id, scene.bobs[:1], **scene.decided_by)


def is_assigned(scene: Scene, _: Decision) -> None:
    assert scene.library.person([*scene.anns, scene.bobs[0]]).person_id == scene.ann.person_id
    assert scene.library.person(scene.bobs[1:]).person_id == scene.bob.person_id


def draw(scene: Scene) -> Decision:
    photo = find_photo(scene.bobs[0].image_id, table=scene.library.table)
    assert photo is not None
    drawn = a_face(photo, a_box(5), engine="drawn", indexed_at=None)
    return add_manual_face(scene.ann.person_id, drawn, **scene.decided_by)


def is_drawn(scene: Scene, decision: Decision) -> None:
    ann = scene.library.person(scene.anns)
    assert ann.person_id == scene.ann.person_id
    assert ann.member_count == len(scene.anns) + 1
    assert decision.faces[0].face_id in scene.library.whose()


def is_named(scene: Scene, _: Decision) -> None:
    ann = scene.library.person(scene.anns)
    assert (ann.person_id, ann.display_name) == (scene.ann.person_id, "Ann")


def is_hidden(scene: Scene, _: Decision) -> None:
    assert scene.library.person(scene.anns).hidden


def is_merged(scene: Scene, _: Decision) -> None:
    assert scene.library.person([*scene.anns, *scene.bobs]).person_id == scene.ann.person_id


def is_shown_by_it(scene: Scene, _: Decision) -> None:
    assert scene.library.person(scene.anns).rep_face_id == scene.anns[2].face_id


def is_rejected(scene: Scene, _: Decision) -> None:
    assert scene.library.person_of(scene.anns[0]) != scene.ann.person_id
    assert scene.library.person(scene.anns[1:]).person_id == scene.ann.person_id


def is_split(scene: Scene, decision: Decision) -> None:
    assert scene.library.person(scene.anns[:2]).person_id == decision.other_person_id
    assert scene.library.person(scene.anns[2:]).person_id == scene.ann.person_id


DECISIONS: Final[dict[str, tuple[Decide, Stands]]] = {
    "assign": (assign, is_assigned),
    "draw": (draw, is_drawn),
    "name": (lambda scene: name_person(scene.ann.person_id, "Ann", **scene.decided_by), is_named),
    "hide": (lambda scene: hide_person(scene.ann.person_id, hidden=True, **scene.decided_by), is_hidden),
    "merge": (lambda scene: merge_persons(scene.ann.person_id, scene.bob.person_id, **scene.decided_by), is_merged),
    "picture": (lambda scene: choose_picture(scene.ann.person_id, scene.anns[2], **scene.decided_by), is_shown_by_it),
    "reject": (lambda scene: reject_faces(scene.ann.person_id, scene.anns[:1], **scene.decided_by), is_rejected),
    "split": (lambda scene: split_person(scene.ann.person_id, scene.anns[:2], **scene.decided_by), is_split),
}


def check_stands(scene: Scene, kind: str) -> Decision:
    decide, stands = DECISIONS[kind]
    decision = scene.library.settle(decide(scene))
    stands(scene, decision)
    for _ in range(2):
        scene.library.rebuild()
        stands(scene, decision)
    return decision


@pytest.mark.parametrize("kind", DECISIONS)
def test_a_decision_stands_after_a_full_rebuild(table: Table, kind: str) -> None:
    check_stands(a_scene(table), kind)
    check_settled(table)


def test_a_merge_stands_after_a_full_rebuild_on_dynamodb(dynamodb: Table) -> None:
    check_stands(a_scene(dynamodb, engine="stands-1"), "merge")


@pytest.mark.parametrize("kind", DECISIONS)
@pytest.mark.parametrize("rebuilt_before", [False, True])
def test_an_undone_decision_stays_undone_after_a_full_rebuild(kind: str, rebuilt_before: bool) -> None:
    scene = a_scene(MemoryTable())
    before = scene.library.groups(), scene.library.names()
    decision = check_stands(scene, kind) if rebuilt_before else scene.library.settle(DECISIONS[kind][0](scene))
    scene.library.settle(undo_decision(decision.decision_id, **scene.decided_by))
    scene.library.rebuild()
    assert (scene.library.groups(), scene.library.names()) == before
    assert scene.library.person(scene.anns).person_id == scene.ann.person_id
    assert scene.library.person(scene.bobs).person_id == scene.bob.person_id
    check_settled(scene.library.table)


def test_a_near_duplicate_of_a_rejected_face_is_not_assigned_to_that_person_either(library: FaceLibrary) -> None:
    faces = library.photos(0, times=4)
    near_duplicate, again = library.photo(0, moment=99), library.photo(0, moment=99)
    library.rebuild()
    ann = library.person([*faces, *near_duplicate, *again]).person_id
    library.settle(reject_faces(ann, near_duplicate, who=BOB, at=library.now(), table=library.table))
    library.rebuild()
    assert ann not in library.persons_of([*near_duplicate, *again])
    assert library.person(faces).person_id == ann


def test_two_persons_marked_as_different_stay_apart(library: FaceLibrary) -> None:
    one, other = library.photos(0, times=3), library.photos(0, times=3)
    persons = [found_person(faces[0], at=library.now(), table=library.table) for faces in (one, other)]
    library.settle_all()
    first, second = (person.person_id for person in persons if person is not None)
    library.settle(mark_different(first, second, who=BOB, at=library.now(), table=library.table))
    library.rebuild()
    assert library.person_of(one[0]) == first
    assert library.person_of(other[0]) == second


def test_a_named_person_keeps_the_name_when_all_faces_are_gone(library: FaceLibrary) -> None:
    [face] = library.photo(0, quality=0.9)
    library.rebuild()
    ann = library.person([face])
    library.settle(name_person(ann.person_id, "Ann", who=BOB, at=library.now(), table=library.table))
    library.settle(reject_faces(ann.person_id, [face], who=BOB, at=library.now(), table=library.table))
    library.rebuild()
    kept = find_person(ann.person_id, table=library.table)
    assert kept is not None
    assert (kept.display_name, kept.member_count) == ("Ann", 0)


def test_undoing_all_merges_restores_all_merged_persons(table: Table) -> None:
    """Merged twice: one into the other, and both into a third."""
    scene = a_scene(table)
    library = scene.library
    eves = library.photos(2, times=3)
    library.rebuild()
    eve = library.person(eves)
    first = library.settle(merge_persons(scene.ann.person_id, scene.bob.person_id, **scene.decided_by))
    second = library.settle(merge_persons(eve.person_id, scene.ann.person_id, **scene.decided_by))
    library.rebuild()
    assert library.person([*eves, *scene.anns, *scene.bobs]).person_id == eve.person_id
    library.settle(undo_decision(second.decision_id, **scene.decided_by))
    library.rebuild()
    assert library.person([*scene.anns, *scene.bobs]).person_id == scene.ann.person_id
    library.settle(undo_decision(first.decision_id, **scene.decided_by))
    library.rebuild()
    assert [library.person(faces).person_id for faces in (eves, scene.anns, scene.bobs)] == [
        eve.person_id,
        scene.ann.person_id,
        scene.bob.person_id,
    ]
    check_settled(table)


def test_rebuilds_that_change_nothing_use_up_no_person_ids(library: FaceLibrary) -> None:
    library.photos(0, 1, 2, times=3)
    library.rebuild()
    before = library.whose()
    again = library.rebuild()
    assert library.whose() == before
    assert (again.created_persons, again.updated_persons) == (0, 0)
    [face] = library.photo(7)
    library.rebuild()
    assert library.person([face]).person_id == ids.person_id(4)
