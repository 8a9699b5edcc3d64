"""Two who may be one person: asked while both are there, and until somebody has said."""

from typing import Any

import pytest

from sparks.library.people import (
    find_suggestion,
    keep_suggestions,
    list_suggestions,
    merge_persons,
    name_person,
    reject_faces,
    settle_decision,
    tell_apart,
)
from sparks.library.people.suggestions import older_first
from sparks.model.person import Person, Suggestion
from sparks.table.port import Table
from tests.factories import ANN, NOON
from tests.library.people.rows import met, photographed, seen


def asked(one: Person, other: Person, similarity: float = 0.45, **changes: Any) -> Suggestion:
    first, second = older_first(one.person_id, other.person_id)
    told = {"face_id": "face1", "other_face_id": "face2", "made_at": NOON, **changes}
    return Suggestion(person_id=first, other_person_id=second, similarity=similarity, **told)


@pytest.fixture
def persons(table: Table) -> list[Person]:
    return [met(table, photographed(table)) for _ in range(4)]


def test_the_likeliest_pair_is_asked_first(table: Table, persons: list[Person]) -> None:
    one, two, three, _ = persons
    unlikely, likely = asked(one, two, 0.43), asked(three, one, 0.48)
    keep_suggestions([unlikely, likely], about=None, table=table)
    assert list_suggestions(table=table) == [likely, unlikely]


def test_an_id_leads_to_its_pair_whichever_was_told_first(table: Table, persons: list[Person]) -> None:
    one, two, *_ = persons
    keep_suggestions([asked(two, one)], about=None, table=table)
    suggestion_id = f"{one.person_id}~{two.person_id}"
    assert find_suggestion(suggestion_id, table=table) == asked(one, two)


@pytest.mark.parametrize("text", ["", "person1", "~", "person1~", "~person1", "a#b~person1"])
def test_what_is_no_id_leads_to_nothing(table: Table, text: str) -> None:
    assert find_suggestion(text, table=table) is None


def test_a_rebuild_of_some_leaves_what_is_asked_about_others(table: Table, persons: list[Person]) -> None:
    one, two, three, four = persons
    keep_suggestions([asked(one, two), asked(two, three), asked(three, four)], about=None, table=table)
    keep_suggestions([asked(one, three)], about={each.person_id for each in (one, two, three)}, table=table)
    told = {suggestion.suggestion_id for suggestion in list_suggestions(table=table)}
    assert told == {asked(one, three).suggestion_id, asked(three, four).suggestion_id}


def test_a_full_rebuild_replaces_all_of_them(table: Table, persons: list[Person]) -> None:
    one, two, three, _ = persons
    keep_suggestions([asked(one, two)], about=None, table=table)
    keep_suggestions([asked(one, three)], about=None, table=table)
    assert list_suggestions(table=table) == [asked(one, three)]


def test_nobody_is_asked_about_two_who_were_told_apart(table: Table, persons: list[Person]) -> None:
    one, two, *_ = persons
    keep_suggestions([asked(one, two)], about=None, table=table)
    tell_apart(two.person_id, one.person_id, who=ANN, at=NOON, table=table)
    assert list_suggestions(table=table) == []
    assert find_suggestion(asked(one, two).suggestion_id, table=table) is None


def test_nobody_is_asked_about_two_who_have_a_name_each(table: Table, persons: list[Person]) -> None:
    one, two, *_ = persons
    name_person(one.person_id, "Ann", who=ANN, at=NOON, table=table)
    keep_suggestions([asked(one, two)], about=None, table=table)
    assert list_suggestions(table=table) == [asked(one, two)]
    name_person(two.person_id, "Bob", who=ANN, at=NOON, table=table)
    assert list_suggestions(table=table) == []


def test_nobody_is_asked_about_one_who_became_another(table: Table, persons: list[Person]) -> None:
    one, two, three, _ = persons
    keep_suggestions([asked(one, two), asked(two, three)], about=None, table=table)
    merge_persons(one.person_id, two.person_id, who=ANN, at=NOON, table=table)
    assert list_suggestions(table=table) == []


def test_nobody_is_asked_about_one_who_is_gone(table: Table) -> None:
    photo = photographed(table)
    one, two = met(table, photo), met(table, photographed(table))
    keep_suggestions([asked(one, two)], about=None, table=table)
    name_person(two.person_id, "Bob", who=ANN, at=NOON, table=table)
    settle_decision(reject_faces(one.person_id, [seen(table, photo)], who=ANN, at=NOON, table=table), table=table)
    assert list_suggestions(table=table) == []
