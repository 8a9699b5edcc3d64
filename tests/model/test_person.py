"""Persons: named, or with a number only."""

from tests.factories import a_person


def test_a_person_is_named_once_the_name_is_not_the_id() -> None:
    assert not a_person(7).is_named
    assert a_person(7, display_name="Ann").is_named
