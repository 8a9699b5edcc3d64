"""The way from the persons that are to those that should be."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from sparks.people.groups.grouping import Group
from sparks.people.plan import Found, Leave, Move, Step, persons_then, plan_steps

Persons = Mapping[str, str | None]


def plan(now: Persons, then: Persons) -> tuple[Step, ...]:
    return plan_steps(now, then, persons={person for person in now.values() if person})


def test_nothing_to_do_is_no_step() -> None:
    assert plan({"a": "person1"}, {"a": "person1"}) == ()


def test_a_person_begins_before_a_face_comes() -> None:
    assert plan({"a": None}, {"a": "person1"}) == (Found("person1"), Move("a", None, "person1"))


def test_a_person_without_a_face_goes_last() -> None:
    assert plan({"a": "person1", "b": "person2"}, {"a": "person2"}) == (
        Move("a", "person1", "person2"),
        Leave("person1"),
    )


def test_faces_that_are_not_named_keep_a_person_alive() -> None:
    assert Leave("person1") not in plan({"a": "person1", "b": "person1"}, {"a": None})


def test_a_person_who_keeps_nothing_gets_the_new_faces_first() -> None:
    now = {"a": "person1", "b": "person2", "c": "person2"}
    assert plan(now, {"a": "person2", "c": "person1"})[0] == Move("c", "person2", "person1")


def test_a_person_that_is_there_without_a_face_does_not_begin_again() -> None:
    assert plan_steps({"a": None}, {"a": "person1"}, persons={"person1"}) == (Move("a", None, "person1"),)


def test_each_group_without_a_person_takes_the_next_new_id() -> None:
    groups = [Group(("a", "b")), Group(("c",), "person1"), Group(("d",))]
    then = persons_then(groups, ["e"], ["person8", "person9"])
    assert then == {"a": "person8", "b": "person8", "c": "person1", "d": "person9", "e": None}


STATES = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([None, "person1", "person2", "person10"]))


@given(now=STATES, then=STATES)
def test_after_all_steps_everything_is_as_it_should_be(now: Persons, then: Persons) -> None:
    faces, persons = dict(now), {person for person in now.values() if person}
    for step in plan(now, then):
        match step:
            case Found(person_id):
                assert person_id not in persons
                persons.add(person_id)
            case Leave(person_id):
                assert person_id not in faces.values()
                persons.remove(person_id)
            case Move(face_id, before, after):
                assert faces.get(face_id) == before
                assert after is None or after in persons
                faces[face_id] = after
    assert {face: person for face, person in faces.items() if person} == {
        face: person for face, person in {**now, **then}.items() if person
    }
    assert persons == {person for person in faces.values() if person}


@given(now=STATES, then=STATES, stop=st.integers(0, 12))
def test_a_plan_made_after_a_stop_goes_on_where_it_was(now: Persons, then: Persons, stop: int) -> None:
    faces = dict(now)
    for step in plan(now, then)[:stop]:
        if isinstance(step, Move):
            faces[step.face_id] = step.after
    rest = {step for step in plan(faces, then) if isinstance(step, Move)}
    assert rest == {step for step in plan(now, then)[stop:] if isinstance(step, Move)}
