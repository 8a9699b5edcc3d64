"""Steps from the present persons of faces to the planned ones."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from sparks.people.change_plan import CreatePerson, MoveFace, PlanStep, RemovePerson, plan_steps, planned_persons
from sparks.people.clustering.group_faces import Group

Persons = Mapping[str, str | None]


def plan(now: Persons, then: Persons) -> tuple[PlanStep, ...]:
    return plan_steps(now, then, persons={person for person in now.values() if person})


def test_there_are_no_steps_where_nothing_changes() -> None:
    assert plan({"a": "person1"}, {"a": "person1"}) == ()


def test_a_person_is_created_before_a_face_moves_to_them() -> None:
    assert plan({"a": None}, {"a": "person1"}) == (CreatePerson("person1"), MoveFace("a", None, "person1"))


def test_a_person_without_a_face_is_removed_last() -> None:
    assert plan({"a": "person1", "b": "person2"}, {"a": "person2"}) == (
        MoveFace("a", "person1", "person2"),
        RemovePerson("person1"),
    )


def test_a_person_whose_other_faces_are_not_in_the_plan_is_not_removed() -> None:
    assert RemovePerson("person1") not in plan({"a": "person1", "b": "person1"}, {"a": None})


def test_a_person_who_keeps_none_of_their_faces_gets_the_new_ones_first() -> None:
    now = {"a": "person1", "b": "person2", "c": "person2"}
    assert plan(now, {"a": "person2", "c": "person1"})[0] == MoveFace("c", "person2", "person1")


def test_an_existing_person_without_faces_is_not_created_again() -> None:
    assert plan_steps({"a": None}, {"a": "person1"}, persons={"person1"}) == (MoveFace("a", None, "person1"),)


def test_each_group_without_a_person_takes_the_next_new_id() -> None:
    groups = [Group(("a", "b")), Group(("c",), "person1"), Group(("d",))]
    then = planned_persons(groups, ["e"], ["person8", "person9"])
    assert then == {"a": "person8", "b": "person8", "c": "person1", "d": "person9", "e": None}


STATES = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([None, "person1", "person2", "person10"]))


@given(now=STATES, then=STATES)
def test_after_all_steps_every_face_has_the_planned_person(now: Persons, then: Persons) -> None:
    faces, persons = dict(now), {person for person in now.values() if person}
    for step in plan(now, then):
        match step:
            case CreatePerson(person_id):
                assert person_id not in persons
                persons.add(person_id)
            case RemovePerson(person_id):
                assert person_id not in faces.values()
                persons.remove(person_id)
            case MoveFace(face_id, before, after):
                assert faces.get(face_id) == before
                assert after is None or after in persons
                faces[face_id] = after
    assert {face: person for face, person in faces.items() if person} == {
        face: person for face, person in {**now, **then}.items() if person
    }
    assert persons == {person for person in faces.values() if person}


@given(now=STATES, then=STATES, stop=st.integers(0, 12))
def test_a_plan_made_after_an_interruption_has_only_the_remaining_moves(now: Persons, then: Persons, stop: int) -> None:
    faces = dict(now)
    for step in plan(now, then)[:stop]:
        if isinstance(step, MoveFace):
            faces[step.face_id] = step.after
    rest = {step for step in plan(faces, then) if isinstance(step, MoveFace)}
    assert rest == {step for step in plan(now, then)[stop:] if isinstance(step, MoveFace)}
