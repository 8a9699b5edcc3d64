"""Matching of new groups with existing persons."""

from sparks.people.clustering.group_faces import Group
from sparks.people.grouping_result import match_persons


def groups(*words: str) -> list[Group]:
    return [Group(tuple(word)) for word in words]


def ids(matched: tuple[Group, ...]) -> list[str | None]:
    return [group.person_id for group in matched]


def test_a_group_keeps_the_person_with_most_faces_in_common() -> None:
    person_of = dict.fromkeys("abc", "person1") | dict.fromkeys("de", "person2")
    assert ids(match_persons(groups("ad", "bce"), person_of)) == ["person2", "person1"]


def test_a_person_is_matched_with_one_group_only() -> None:
    assert ids(match_persons(groups("abc", "d"), dict.fromkeys("abcd", "person1"))) == ["person1", None]


def test_of_two_persons_in_one_group_the_one_with_more_faces_remains() -> None:
    person_of = {"a": "person1", "b": "person2", "c": "person2"}
    assert ids(match_persons(groups("abc"), person_of)) == ["person2"]


def test_of_two_persons_with_as_many_faces_the_older_one_remains() -> None:
    assert ids(match_persons(groups("ab"), {"a": "person10", "b": "person9"})) == ["person9"]


def test_a_group_of_unassigned_faces_is_a_new_person() -> None:
    assert ids(match_persons(groups("ab"), {})) == [None]


def test_a_human_decision_beats_the_overlap() -> None:
    named = [Group(("a",), "person1"), Group(("b", "c"))]
    assert ids(match_persons(named, dict.fromkeys("abc", "person1"))) == ["person1", None]


def test_a_group_does_not_get_the_person_from_whom_one_of_its_faces_was_rejected() -> None:
    rejected = {"a": frozenset({"person1"})}
    assert ids(match_persons(groups("ab"), {"b": "person1"}, rejected=rejected)) == [None]


def test_a_person_that_is_taken_is_not_matched() -> None:
    assert ids(match_persons(groups("a"), {"a": "person1"}, taken=frozenset({"person1"}))) == [None]
