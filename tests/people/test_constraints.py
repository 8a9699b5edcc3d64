"""Constraints hold, whatever the faces look like."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from sparks.people.clustering.constraints import Constraints, GroupingThresholds, with_near_duplicates
from sparks.people.clustering.group_faces import Grouping, group_faces
from tests.people.makers import alike, made_up_faces, nearest_among, pairs_within, together, who

THRESHOLDS = GroupingThresholds(candidate=0.4, strong=0.5)
ALL = {"a b": 0.8, "a c": 0.8, "b c": 0.8}


def grouped(similar: dict[str, float], constraints: Constraints, **more: object) -> Grouping:
    return group_faces(alike(similar, **more), thresholds=THRESHOLDS, constraints=constraints)  # type: ignore[arg-type]


def test_faces_that_must_be_together_stay_together() -> None:
    assert together(grouped({"a b": 0.0}, Constraints(together=(frozenset("ab"),)))) == ["a b"]


def test_two_faces_of_a_photo_are_one_person_when_a_human_says_so() -> None:
    mirror = {"a": "mirror", "b": "mirror"}
    assert together(grouped({"a b": 0.8}, Constraints(together=(frozenset("ab"),)), photos=mirror)) == ["a b"]


def test_faces_that_must_be_apart_stay_apart() -> None:
    apart = Constraints(apart=frozenset({("a", "b")}))
    assert ("a", "b") not in pairs_within(group.faces for group in grouped(ALL, apart).groups)


def test_faces_that_people_assigned_to_two_persons_never_join() -> None:
    constraints = Constraints(persons={"person1": frozenset("a"), "person2": frozenset("b")})
    grouping = grouped({"a b": 0.9}, constraints)
    assert who(grouping) == {"a": "person1", "b": "person2"}


def test_two_similar_persons_are_a_doubt_unless_people_marked_them_as_different() -> None:
    constraints = Constraints(persons={"person1": frozenset("a"), "person2": frozenset("b")})
    assert [(doubt.one, doubt.other) for doubt in grouped({"a b": 0.9}, constraints).doubts] == [("a", "b")]
    assert grouped({"a b": 0.9}, replace(constraints, apart=frozenset({("a", "b")}))).doubts == ()


def test_a_group_is_the_person_whose_face_is_in_it() -> None:
    assert who(grouped(ALL, Constraints(persons={"person7": frozenset("b")}))) == {"a b c": "person7"}


def test_a_rejected_face_does_not_come_back() -> None:
    constraints = Constraints(persons={"person7": frozenset("b")}, rejected={"a": frozenset({"person7"})})
    assert ("a", "b") not in pairs_within(group.faces for group in grouped(ALL, constraints).groups)


def test_a_rejected_face_does_not_come_back_in_a_group_with_another() -> None:
    constraints = Constraints(persons={"person7": frozenset("b")}, rejected={"a": frozenset({"person7"})})
    near_the_rejected = {"a c": 0.9, "b c": 0.6, "a b": 0.6}
    assert who(grouped(near_the_rejected, constraints)) == {"a c": None, "b": "person7"}


def test_faces_that_must_be_together_stay_so_even_if_two_of_them_must_be_apart() -> None:
    constraints = Constraints(together=(frozenset("ab"),), apart=frozenset({("a", "b")}))
    assert together(grouped({"a b": 0.8}, constraints)) == ["a b"]


def test_certain_faces_of_two_persons_are_not_joined_by_a_together_constraint() -> None:
    constraints = Constraints(
        persons={"person1": frozenset("a"), "person2": frozenset("b")}, together=(frozenset("ab"),)
    )
    assert who(grouped({"a b": 0.9}, constraints)) == {"a": "person1", "b": "person2"}


def test_a_poor_face_that_a_human_assigned_makes_a_person() -> None:
    constraints = Constraints(persons={"person1": frozenset("a")})
    assert who(grouped({"a b": 0.1}, constraints, poor="a"))["a"] == "person1"


def test_a_face_that_may_not_found_stays_unassigned() -> None:
    assert grouped({"a b": 0.1}, Constraints(may_not_found=frozenset("a"))).unassigned == ("a",)


def test_constraints_on_unknown_faces_are_ignored() -> None:
    gone = frozenset({"gone", "lost"})
    constraints = Constraints(
        together=(gone,),
        apart=frozenset({("gone", "a")}),
        persons={"person1": gone},
        rejected={"gone": frozenset({"person1"})},
        may_not_found=gone,
    )
    assert together(grouped({"a b": 0.8}, constraints)) == ["a b"]


def test_near_duplicates_of_a_rejected_face_are_rejected_too() -> None:
    faces = alike({"a b": 0.95, "a c": 0.6, "b c": 0.6})
    constraints = Constraints(rejected={"a": frozenset({"person7"})})
    wider = with_near_duplicates(constraints, faces, nearest=nearest_among(faces), thresholds=THRESHOLDS)
    assert wider.rejected == {"a": frozenset({"person7"}), "b": frozenset({"person7"})}


def test_a_near_duplicate_that_people_assigned_is_not_rejected() -> None:
    faces = alike({"a b": 0.95})
    constraints = Constraints(rejected={"a": frozenset({"person7"})}, persons={"person7": frozenset("b")})
    assert (
        with_near_duplicates(constraints, faces, nearest=nearest_among(faces), thresholds=THRESHOLDS).rejected
        == constraints.rejected
    )


FACES = made_up_faces(4, 4, likeness=0.55, seed=3)
A_FACE = st.sampled_from(FACES.ids)
SOME = st.frozensets(A_FACE, min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(
    apart=st.frozensets(st.tuples(A_FACE, A_FACE).filter(lambda pair: pair[0] != pair[1]), max_size=6),
    first=SOME,
    second=SOME,
    rejected=st.dictionaries(A_FACE, st.sampled_from([frozenset({"person1"}), frozenset({"person2"})]), max_size=5),
)
def test_all_constraints_hold_whatever_they_are(
    apart: frozenset[tuple[str, str]],
    first: frozenset[str],
    second: frozenset[str],
    rejected: dict[str, frozenset[str]],
) -> None:
    persons = {"person1": first, "person2": second - first}
    constraints = Constraints(apart=apart, persons=persons, rejected=rejected)
    grouping = group_faces(FACES, thresholds=GroupingThresholds(), constraints=constraints)
    person_of = {face: group.person_id for group in grouping.groups for face in group.faces}
    told = pairs_within(map(sorted, persons.values()))

    assert sorted([*person_of, *grouping.unassigned]) == sorted(FACES.ids)
    assert all(person_of[face] == person for person, faces in persons.items() for face in faces)
    assert not {tuple(sorted(pair)) for pair in apart} & pairs_within(g.faces for g in grouping.groups) - told
    assert all(person_of[face] not in refused for face, refused in rejected.items() if face not in first | second)
