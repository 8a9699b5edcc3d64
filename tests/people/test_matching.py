"""Who keeps which id when the groups are found anew."""

from sparks.people.groups.grouping import Group
from sparks.people.groups.matching import match_persons


def groups(*words: str) -> list[Group]:
    return [Group(tuple(word)) for word in words]


def ids(matched: tuple[Group, ...]) -> list[str | None]:
    return [group.person_id for group in matched]


def test_a_group_keeps_the_person_with_most_faces_in_common() -> None:
    person_of = dict.fromkeys("abc", "person1") | dict.fromkeys("de", "person2")
    assert ids(match_persons(groups("ad", "bce"), person_of)) == ["person2", "person1"]


def test_a_person_is_given_once() -> None:
    assert ids(match_persons(groups("abc", "d"), dict.fromkeys("abcd", "person1"))) == ["person1", None]


def test_of_two_persons_that_become_one_the_larger_remains() -> None:
    person_of = {"a": "person1", "b": "person2", "c": "person2"}
    assert ids(match_persons(groups("abc"), person_of)) == ["person2"]


def test_of_equals_the_one_that_is_there_longer_remains() -> None:
    assert ids(match_persons(groups("ab"), {"a": "person10", "b": "person9"})) == ["person9"]


def test_faces_of_nobody_are_a_new_person() -> None:
    assert ids(match_persons(groups("ab"), {})) == [None]


def test_what_a_human_said_beats_the_overlap() -> None:
    named = [Group(("a",), "person1"), Group(("b", "c"))]
    assert ids(match_persons(named, dict.fromkeys("abc", "person1"))) == ["person1", None]


def test_a_rejected_face_does_not_return_by_the_way_of_an_id() -> None:
    rejected = {"a": frozenset({"person1"})}
    assert ids(match_persons(groups("ab"), {"b": "person1"}, rejected=rejected)) == [None]


def test_a_person_that_is_taken_is_not_given() -> None:
    assert ids(match_persons(groups("a"), {"a": "person1"}, taken=frozenset({"person1"}))) == [None]
