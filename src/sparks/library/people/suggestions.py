"""Pairs of persons who may be one: what a rebuild was not sure of, and a human is asked.

A suggestion is good while both are there, and nobody has said yes or no. Whoever merges them or tells them apart drops
it; what is left of those who went meanwhile is passed over.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.people.reading import find_persons
from sparks.library.records import from_item, key_of, to_item
from sparks.model.person import Suggestion
from sparks.table.port import Delete, Key, Put, Table, every

_BETWEEN: Final = "~"


def keep_suggestions(suggestions: Iterable[Suggestion], *, about: Collection[str] | None, table: Table) -> None:
    """These in place of all that were there of which both persons are among `about`; None are all persons. Who has a
    name each is not in doubt: nobody is asked whether Ann is Bob. A repeat is harmless.
    """
    fresh = {key_of(suggestion): suggestion for suggestion in _in_doubt(suggestions, table)}
    known = {key_of(suggestion): suggestion for suggestion in _all(table)}
    for key, suggestion in known.items():
        if key not in fresh and _is_about(suggestion, about):
            table.write(Delete(key))
    for key, suggestion in fresh.items():
        if key not in known or replace(known[key], made_at=suggestion.made_at) != suggestion:
            table.write(Put(to_item(suggestion)))


def list_suggestions(*, table: Table) -> list[Suggestion]:
    """Those that are still good, the likeliest first. From an index, which may be a moment behind."""
    good = _in_doubt(_all(table), table)
    return sorted(good, key=lambda suggestion: (-suggestion.similarity, suggestion.suggestion_id))


def find_suggestion(suggestion_id: str, *, table: Table) -> Suggestion | None:
    """None where there is none, or this is no id."""
    key = _key(suggestion_id)
    item = None if key is None else table.get(key)
    return None if item is None else from_item(Suggestion, item)


def dropped(person_id: str, other_person_id: str) -> Delete:
    """What a decision about the two takes along."""
    return Delete(keys.suggestion(*older_first(person_id, other_person_id)))


def older_first(person_id: str, other_person_id: str) -> tuple[str, str]:
    """person9 was there before person10."""
    first, second = sorted((person_id, other_person_id), key=lambda each: (len(each), each))
    return first, second


def _all(table: Table) -> Iterator[Suggestion]:
    for item in every(table, entity_types.SUGGESTIONS):
        yield from_item(Suggestion, item)


def _persons(suggestion: Suggestion) -> tuple[str, str]:
    return suggestion.person_id, suggestion.other_person_id


def _is_about(suggestion: Suggestion, about: Collection[str] | None) -> bool:
    return about is None or all(person in about for person in _persons(suggestion))


def _in_doubt(suggestions: Iterable[Suggestion], table: Table) -> list[Suggestion]:
    """Those of whom both are there, and not both have a name."""
    told = list(suggestions)
    persons = find_persons((person for suggestion in told for person in _persons(suggestion)), table=table)
    there = {person_id for person_id, person in persons.items() if person.canonical_person_id is None}
    named = {person_id for person_id, person in persons.items() if person.is_named}
    pairs = [(suggestion, set(_persons(suggestion))) for suggestion in told]
    return [suggestion for suggestion, both in pairs if both <= there and not both <= named]


def _key(suggestion_id: str) -> Key | None:
    person_id, _, other_person_id = suggestion_id.partition(_BETWEEN)
    if not person_id or not other_person_id or "#" in suggestion_id:
        return None
    return keys.suggestion(person_id, other_person_id)
