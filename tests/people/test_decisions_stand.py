"""What people decided stands after a full rebuild, which finds the same groups anew; and what they undid is undone."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from sparks.library.people import (
    assign_faces,
    choose_picture,
    draw_face,
    find_person,
    found_person,
    hide_person,
    merge_persons,
    name_person,
    reject_faces,
    split_person,
    tell_apart,
    undo_decision,
)
from sparks.library.photos import find_photo
from sparks.model import ids
from sparks.model.face import Face
from sparks.model.person import Decision, Person
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from tests.factories import BOB, a_face
from tests.library.people.rows import a_box, check_settled
from tests.people.town import ENGINE, Town


class Scene(NamedTuple):
    """Two who are in four photos each, and what they are called at first."""

    town: Town
    anns: list[Face]
    bobs: list[Face]
    ann: Person
    bob: Person

    @property
    def told(self) -> dict[str, Any]:
        return {"who": BOB, "at": self.town.now(), "table": self.town.table}


def a_scene(table: Table, engine: str = ENGINE) -> Scene:
    town = Town(table, engine=engine)
    anns, bobs = town.photos(0, times=4), town.photos(1, times=4)
    town.rebuild()
    return Scene(town, anns, bobs, town.person(anns), town.person(bobs))


Decide = Callable[[Scene], Decision | None]
Stands = Callable[[Scene, Decision], None]


def assign(scene: Scene) -> Decision:
    return assign_faces(scene.ann.person_id, scene.bobs[:1], **scene.told)


def is_assigned(scene: Scene, _: Decision) -> None:
    assert scene.town.person([*scene.anns, scene.bobs[0]]).person_id == scene.ann.person_id
    assert scene.town.person(scene.bobs[1:]).person_id == scene.bob.person_id


def draw(scene: Scene) -> Decision:
    photo = find_photo(scene.bobs[0].image_id, table=scene.town.table)
    assert photo is not None
    drawn = a_face(photo, a_box(5), engine="drawn", indexed_at=None)
    return draw_face(scene.ann.person_id, drawn, **scene.told)


def is_drawn(scene: Scene, decision: Decision) -> None:
    ann = scene.town.person(scene.anns)
    assert ann.person_id == scene.ann.person_id
    assert ann.member_count == len(scene.anns) + 1
    assert decision.faces[0].face_id in scene.town.whose()


def is_named(scene: Scene, _: Decision) -> None:
    ann = scene.town.person(scene.anns)
    assert (ann.person_id, ann.display_name) == (scene.ann.person_id, "Ann")


def is_hidden(scene: Scene, _: Decision) -> None:
    assert scene.town.person(scene.anns).hidden


def is_merged(scene: Scene, _: Decision) -> None:
    assert scene.town.person([*scene.anns, *scene.bobs]).person_id == scene.ann.person_id


def is_shown_by_it(scene: Scene, _: Decision) -> None:
    assert scene.town.person(scene.anns).rep_face_id == scene.anns[2].face_id


def is_rejected(scene: Scene, _: Decision) -> None:
    assert scene.town.person_of(scene.anns[0]) != scene.ann.person_id
    assert scene.town.person(scene.anns[1:]).person_id == scene.ann.person_id


def is_split(scene: Scene, decision: Decision) -> None:
    assert scene.town.person(scene.anns[:2]).person_id == decision.other_person_id
    assert scene.town.person(scene.anns[2:]).person_id == scene.ann.person_id


DECISIONS: Final[dict[str, tuple[Decide, Stands]]] = {
    "assign": (assign, is_assigned),
    "draw": (draw, is_drawn),
    "name": (lambda scene: name_person(scene.ann.person_id, "Ann", **scene.told), is_named),
    "hide": (lambda scene: hide_person(scene.ann.person_id, hidden=True, **scene.told), is_hidden),
    "merge": (lambda scene: merge_persons(scene.ann.person_id, scene.bob.person_id, **scene.told), is_merged),
    "picture": (lambda scene: choose_picture(scene.ann.person_id, scene.anns[2], **scene.told), is_shown_by_it),
    "reject": (lambda scene: reject_faces(scene.ann.person_id, scene.anns[:1], **scene.told), is_rejected),
    "split": (lambda scene: split_person(scene.ann.person_id, scene.anns[:2], **scene.told), is_split),
}


def check_stands(scene: Scene, kind: str) -> Decision:
    decide, stands = DECISIONS[kind]
    decision = scene.town.settle(decide(scene))
    stands(scene, decision)
    for _ in range(2):
        scene.town.rebuild()
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
def test_what_was_undone_is_undone_after_a_full_rebuild(kind: str, rebuilt_before: bool) -> None:
    scene = a_scene(MemoryTable())
    before = scene.town.groups(), scene.town.names()
    decision = check_stands(scene, kind) if rebuilt_before else scene.town.settle(DECISIONS[kind][0](scene))
    scene.town.settle(undo_decision(decision.decision_id, **scene.told))
    scene.town.rebuild()
    assert (scene.town.groups(), scene.town.names()) == before
    assert scene.town.person(scene.anns).person_id == scene.ann.person_id
    assert scene.town.person(scene.bobs).person_id == scene.bob.person_id
    check_settled(scene.town.table)


def test_the_near_twin_of_a_rejected_face_is_not_them_either(town: Town) -> None:
    faces = town.photos(0, times=4)
    twin, again = town.photo(0, moment=99), town.photo(0, moment=99)
    town.rebuild()
    ann = town.person([*faces, *twin, *again]).person_id
    town.settle(reject_faces(ann, twin, who=BOB, at=town.now(), table=town.table))
    town.rebuild()
    assert ann not in town.persons_of([*twin, *again])
    assert town.person(faces).person_id == ann


def test_two_who_were_told_apart_stay_apart(town: Town) -> None:
    one, other = town.photos(0, times=3), town.photos(0, times=3)
    persons = [found_person(faces[0], at=town.now(), table=town.table) for faces in (one, other)]
    town.settle_all()
    first, second = (person.person_id for person in persons if person is not None)
    town.settle(tell_apart(first, second, who=BOB, at=town.now(), table=town.table))
    town.rebuild()
    assert town.person_of(one[0]) == first
    assert town.person_of(other[0]) == second


def test_a_named_person_keeps_the_name_when_all_faces_are_gone(town: Town) -> None:
    [face] = town.photo(0, quality=0.9)
    town.rebuild()
    ann = town.person([face])
    town.settle(name_person(ann.person_id, "Ann", who=BOB, at=town.now(), table=town.table))
    town.settle(reject_faces(ann.person_id, [face], who=BOB, at=town.now(), table=town.table))
    town.rebuild()
    kept = find_person(ann.person_id, table=town.table)
    assert kept is not None
    assert (kept.display_name, kept.member_count) == ("Ann", 0)


def test_who_was_merged_by_mistake_can_be_told_apart_by_undoing_all(table: Table) -> None:
    """Merged twice: one into the other, and both into a third."""
    scene = a_scene(table)
    town = scene.town
    eves = town.photos(2, times=3)
    town.rebuild()
    eve = town.person(eves)
    first = town.settle(merge_persons(scene.ann.person_id, scene.bob.person_id, **scene.told))
    second = town.settle(merge_persons(eve.person_id, scene.ann.person_id, **scene.told))
    town.rebuild()
    assert town.person([*eves, *scene.anns, *scene.bobs]).person_id == eve.person_id
    town.settle(undo_decision(second.decision_id, **scene.told))
    town.rebuild()
    assert town.person([*scene.anns, *scene.bobs]).person_id == scene.ann.person_id
    town.settle(undo_decision(first.decision_id, **scene.told))
    town.rebuild()
    assert [town.person(faces).person_id for faces in (eves, scene.anns, scene.bobs)] == [
        eve.person_id,
        scene.ann.person_id,
        scene.bob.person_id,
    ]
    check_settled(table)


def test_ids_are_not_used_up_by_rebuilds_that_change_nothing(town: Town) -> None:
    town.photos(0, 1, 2, times=3)
    town.rebuild()
    before = town.whose()
    again = town.rebuild()
    assert town.whose() == before
    assert (again.created_persons, again.updated_persons) == (0, 0)
    [face] = town.photo(7)
    town.rebuild()
    assert town.person([face]).person_id == ids.person_id(4)
