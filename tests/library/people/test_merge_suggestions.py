"""Merge suggestions: listed while both persons exist and the suggestion is not answered."""

from typing import Any

import pytest

from sparks.library.people.apply_decision import apply_decision
from sparks.library.people.merge_suggestions import find_suggestion, list_suggestions, ordered_pair, replace_suggestions
from sparks.library.people.person_decisions import mark_different, merge_persons, name_person, reject_faces
from sparks.model.person import Person, Suggestion
from sparks.table.port import Table
from tests.factories import ANN, NOON
from tests.library.people.rows import met, photographed, seen


def suggested(one: Person, other: Person, similarity: float = 0.45, **changes: Any) -> Suggestion:
    first, second = ordered_pair(one.person_id, other.person_id)
    fields = {"face_id": "face1", "other_face_id": "face2", **changes}
    return Suggestion(person_id=first, other_person_id=second, similarity=similarity, **fields)


@pytest.fixture
def persons(table: Table) -> list[Person]:
    return [met(table, photographed(table)) for _ in range(4)]


def test_the_likeliest_pair_is_suggested_first(table: Table, persons: list[Person]) -> None:
    one, two, three, _ = persons
    unlikely, likely = suggested(one, two, 0.43), suggested(three, one, 0.48)
    replace_suggestions([unlikely, likely], about=None, table=table)
    assert list_suggestions(table=table) == [likely, unlikely]


def test_a_suggestion_id_finds_its_pair_in_either_order(table: Table, persons: list[Person]) -> None:
    one, two, *_ = persons
    replace_suggestions([suggested(two, one)], about=None, table=table)
    suggestion_id = f"{one.person_id}~{two.person_id}"
    assert find_suggestion(suggestion_id, table=table) == suggested(one, two)


@pytest.mark.parametrize("text", ["", "person1", "~", "person1~", "~person1", "a#b~person1"])
def test_an_invalid_suggestion_id_finds_nothing(table: Table, text: str) -> None:
    assert find_suggestion(text, table=table) is None


def test_a_rebuild_of_some_persons_keeps_the_suggestions_about_others(table: Table, persons: list[Person]) -> None:
    one, two, three, four = persons
    replace_suggestions([suggested(one, two), suggested(two, three), suggested(three, four)], about=None, table=table)
    replace_suggestions([suggested(one, three)], about={each.person_id for each in (one, two, three)}, table=table)
    fields = {suggestion.suggestion_id for suggestion in list_suggestions(table=table)}
    assert fields == {suggested(one, three).suggestion_id, suggested(three, four).suggestion_id}


def test_a_full_rebuild_replaces_all_of_them(table: Table, persons: list[Person]) -> None:
    one, two, three, _ = persons
    replace_suggestions([suggested(one, two)], about=None, table=table)
    replace_suggestions([suggested(one, three)], about=None, table=table)
    assert list_suggestions(table=table) == [suggested(one, three)]


def test_persons_marked_as_different_are_not_suggested(table: Table, persons: list[Person]) -> None:
    one, two, *_ = persons
    replace_suggestions([suggested(one, two)], about=None, table=table)
    mark_different(two.person_id, one.person_id, who=ANN, at=NOON, table=table)
    assert list_suggestions(table=table) == []
    assert find_suggestion(suggested(one, two).suggestion_id, table=table) is None


def test_two_named_persons_are_not_suggested(table: Table, persons: list[Person]) -> None:
    one, two, *_ = persons
    name_person(one.person_id, "Ann", who=ANN, at=NOON, table=table)
    replace_suggestions([suggested(one, two)], about=None, table=table)
    assert list_suggestions(table=table) == [suggested(one, two)]
    name_person(two.person_id, "Bob", who=ANN, at=NOON, table=table)
    assert list_suggestions(table=table) == []


def test_a_merged_person_is_not_suggested(table: Table, persons: list[Person]) -> None:
    one, two, three, _ = persons
    replace_suggestions([suggested(one, two), suggested(two, three)], about=None, table=table)
    merge_persons(one.person_id, two.person_id, who=ANN, at=NOON, table=table)
    assert list_suggestions(table=table) == []


def test_a_deleted_person_is_not_suggested(table: Table) -> None:
    photo = photographed(table)
    one, two = met(table, photo), met(table, photographed(table))
    replace_suggestions([suggested(one, two)], about=None, table=table)
    name_person(two.person_id, "Bob", who=ANN, at=NOON, table=table)
    apply_decision(reject_faces(one.person_id, [seen(table, photo)], who=ANN, at=NOON, table=table), table=table)
    assert list_suggestions(table=table) == []
