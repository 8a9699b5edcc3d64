"""Clear matches and regrouping of new faces."""

from sparks.people.clustering.constraints import Constraints, GroupingThresholds
from sparks.people.clustering.face_columns import FaceColumns
from sparks.people.clustering.new_faces import clear_match, near_faces, regroup
from tests.people.makers import alike, made_up_faces, nearest_among, together, who

THRESHOLDS = GroupingThresholds(candidate=0.4, strong=0.5)


def matched(
    faces: FaceColumns, known: dict[str, str], *, photo: str = "new", rejected: frozenset[str] = frozenset()
) -> str | None:
    persons = {person: faces.only(set(members)) for person, members in known.items()}
    return clear_match(faces.vectors[faces.row_of["x"]], photo, persons, thresholds=THRESHOLDS, rejected=rejected)


def test_a_face_that_is_clearly_similar_to_one_person_is_matched() -> None:
    assert matched(alike({"x a": 0.6, "x b": 0.55, "a b": 0.6}), {"person1": "ab"}) == "person1"


def test_a_face_between_two_persons_is_not_matched() -> None:
    faces = alike({"x a": 0.6, "x b": 0.57})
    assert matched(faces, {"person1": "a", "person2": "b"}) is None


def test_a_face_below_the_strong_threshold_is_not_matched() -> None:
    assert matched(alike({"x a": 0.49}), {"person1": "a"}) is None


def test_a_person_who_is_in_the_photo_is_not_matched_again() -> None:
    assert matched(alike({"x a": 0.8}), {"person1": "a"}, photo="photo of a") is None


def test_a_face_is_not_matched_with_a_person_from_whom_it_was_rejected() -> None:
    assert matched(alike({"x a": 0.8}), {"person1": "a"}, rejected=frozenset({"person1"})) is None


def test_poor_faces_of_a_person_are_not_compared() -> None:
    assert matched(alike({"x a": 0.8}, poor="a"), {"person1": "a"}) is None


def test_without_persons_there_is_no_match() -> None:
    assert matched(alike({"x a": 0.8}), {}) is None


# -- The faces near to new ones


def test_near_faces_are_earlier_faces_only() -> None:
    faces = alike({"x a": 0.6, "x b": 0.2, "x y": 0.7})
    assert near_faces(faces.only({"x", "y"}), nearest=nearest_among(faces), thresholds=THRESHOLDS) == {"a"}


def test_an_earlier_face_is_found_behind_many_nearer_new_ones() -> None:
    faces = made_up_faces(1, 60)
    new = faces.only(set(faces.ids) - {"p0-0"})
    assert near_faces(new, nearest=nearest_among(faces), thresholds=THRESHOLDS, most=4) == {"p0-0"}


# -- Thought over again


def test_a_new_face_joins_a_person() -> None:
    faces = alike({"a b": 0.6, "a x": 0.6, "b x": 0.6})
    grouping, reached = regroup(faces.only("x"), {"person1": faces.only("ab")}, thresholds=THRESHOLDS)
    assert together(grouping) == ["a b x"]
    assert reached == {"person1"}


def test_a_new_face_may_join_two_persons() -> None:
    faces = alike({"a b": 0.48, "a x": 0.7, "b x": 0.7})
    grouping, reached = regroup(
        faces.only("x"), {"person1": faces.only("a"), "person2": faces.only("b")}, thresholds=THRESHOLDS
    )
    assert together(grouping) == ["a b x"]
    assert reached == {"person1", "person2"}


def test_a_face_that_was_assigned_at_once_may_join_two_persons_too() -> None:
    faces = alike({"a b": 0.48, "a x": 0.7, "b x": 0.7})
    grouping, _ = regroup(
        faces.only("x"), {"person1": faces.only("ax"), "person2": faces.only("b")}, thresholds=THRESHOLDS
    )
    assert together(grouping) == ["a b x"]


def test_persons_out_of_reach_stay_as_they_are() -> None:
    faces = alike({"a x": 0.6, "b x": 0.3})
    grouping, reached = regroup(
        faces.only("x"), {"person1": faces.only("a"), "person2": faces.only("b")}, thresholds=THRESHOLDS
    )
    assert together(grouping) == ["a x"]
    assert reached == {"person1"}


def test_a_large_group_stays_together() -> None:
    faces = alike({"a b": 0.1, "a x": 0.6, "b x": 0.6})
    grouping, _ = regroup(faces.only("x"), {"person1": faces.only("ab")}, thresholds=THRESHOLDS, condense_above=1)
    assert together(grouping) == ["a b x"]


def test_a_rejected_face_leaves_a_large_group_too() -> None:
    faces = alike({"a b": 0.6, "a c": 0.6, "b c": 0.6, "a x": 0.6, "b x": 0.6, "c x": 0.6})
    constraints = Constraints(persons={"person1": frozenset("a")}, rejected={"b": frozenset({"person1"})})
    grouping, _ = regroup(
        faces.only("x"),
        {"person1": faces.only("abc")},
        thresholds=THRESHOLDS,
        condense_above=1,
        constraints=constraints,
    )
    assert who(grouping) == {"a c x": "person1", "b": None}
