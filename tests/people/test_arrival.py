"""Faces that come one after the other end up where a full rebuild would put them."""

from sparks.people.groups.arrival import clear_match, near_faces, regroup
from sparks.people.groups.constraints import Constraints
from sparks.people.groups.faces import Faces
from sparks.people.groups.rule import Rule
from tests.people.makers import alike, crowd, nearest_among, together, who

RULE = Rule(candidate=0.4, strong=0.5)


def matched(
    faces: Faces, known: dict[str, str], *, photo: str = "new", rejected: frozenset[str] = frozenset()
) -> str | None:
    persons = {person: faces.only(set(members)) for person, members in known.items()}
    return clear_match(faces.vectors[faces.row_of["x"]], photo, persons, rule=RULE, rejected=rejected)


def test_a_face_that_clearly_is_somebody_is_matched() -> None:
    assert matched(alike({"x a": 0.6, "x b": 0.55, "a b": 0.6}), {"person1": "ab"}) == "person1"


def test_a_face_between_two_persons_is_not() -> None:
    faces = alike({"x a": 0.6, "x b": 0.57})
    assert matched(faces, {"person1": "a", "person2": "b"}) is None


def test_a_face_below_the_strong_threshold_is_not() -> None:
    assert matched(alike({"x a": 0.49}), {"person1": "a"}) is None


def test_nobody_is_matched_twice_in_a_photo() -> None:
    assert matched(alike({"x a": 0.8}), {"person1": "a"}, photo="photo of a") is None


def test_a_face_is_not_matched_to_whom_a_human_said_it_is_not() -> None:
    assert matched(alike({"x a": 0.8}), {"person1": "a"}, rejected=frozenset({"person1"})) is None


def test_poor_faces_do_not_speak_for_a_person() -> None:
    assert matched(alike({"x a": 0.8}, poor="a"), {"person1": "a"}) is None


def test_with_nobody_there_nobody_is_matched() -> None:
    assert matched(alike({"x a": 0.8}), {}) is None


# -- The faces near to new ones


def test_near_faces_are_those_that_were_there() -> None:
    faces = alike({"x a": 0.6, "x b": 0.2, "x y": 0.7})
    assert near_faces(faces.only({"x", "y"}), nearest=nearest_among(faces), rule=RULE) == {"a"}


def test_somebody_from_before_is_found_behind_a_crowd_of_new_ones() -> None:
    faces = crowd(1, 60)
    new = faces.only(set(faces.ids) - {"p0-0"})
    assert near_faces(new, nearest=nearest_among(faces), rule=RULE, most=4) == {"p0-0"}


# -- Thought over again


def test_a_new_face_joins_a_person() -> None:
    faces = alike({"a b": 0.6, "a x": 0.6, "b x": 0.6})
    grouping, reached = regroup(faces.only("x"), {"person1": faces.only("ab")}, rule=RULE)
    assert together(grouping) == ["a b x"]
    assert reached == {"person1"}


def test_a_new_face_may_bring_two_persons_together() -> None:
    faces = alike({"a b": 0.48, "a x": 0.7, "b x": 0.7})
    grouping, reached = regroup(faces.only("x"), {"person1": faces.only("a"), "person2": faces.only("b")}, rule=RULE)
    assert together(grouping) == ["a b x"]
    assert reached == {"person1", "person2"}


def test_so_may_one_that_was_assigned_at_once() -> None:
    faces = alike({"a b": 0.48, "a x": 0.7, "b x": 0.7})
    grouping, _ = regroup(faces.only("x"), {"person1": faces.only("ax"), "person2": faces.only("b")}, rule=RULE)
    assert together(grouping) == ["a b x"]


def test_persons_out_of_reach_stay_as_they_are() -> None:
    faces = alike({"a x": 0.6, "b x": 0.3})
    grouping, reached = regroup(faces.only("x"), {"person1": faces.only("a"), "person2": faces.only("b")}, rule=RULE)
    assert together(grouping) == ["a x"]
    assert reached == {"person1"}


def test_a_large_group_stays_together() -> None:
    faces = alike({"a b": 0.1, "a x": 0.6, "b x": 0.6})
    grouping, _ = regroup(faces.only("x"), {"person1": faces.only("ab")}, rule=RULE, settled=1)
    assert together(grouping) == ["a b x"]


def test_a_rejected_face_leaves_a_large_group_too() -> None:
    faces = alike({"a b": 0.6, "a c": 0.6, "b c": 0.6, "a x": 0.6, "b x": 0.6, "c x": 0.6})
    said = Constraints(persons={"person1": frozenset("a")}, rejected={"b": frozenset({"person1"})})
    grouping, _ = regroup(faces.only("x"), {"person1": faces.only("abc")}, rule=RULE, settled=1, constraints=said)
    assert who(grouping) == {"a c x": "person1", "b": None}
