"""Suggested merges: pairs of persons who may be one, for a human to confirm.

A suggestion is valid while both persons exist and it is not answered. A merge, or a decision that they differ, deletes
it; suggestions with deleted persons are skipped.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.people.photo_faces import find_persons
from sparks.library.records import from_item, key_of, to_item
from sparks.model.person import Suggestion
from sparks.table.port import Delete, Key, Put, Table, every

_BETWEEN: Final = "~"


def replace_suggestions(suggestions: Iterable[Suggestion], *, about: Collection[str] | None, table: Table) -> None:
    """Replaces all suggestions whose persons are both among `about`; None is all persons. Pairs in which both have
    names are left out. A repeat is harmless.
    """
    fresh = {key_of(suggestion): suggestion for suggestion in _in_doubt(suggestions, table)}
    known = {key_of(suggestion): suggestion for suggestion in _all(table)}
    for key, suggestion in known.items():
        if key not in fresh and _is_about(suggestion, about):
            table.write(Delete(key))
    for key, suggestion in fresh.items():
        if known.get(key) != suggestion:
            table.write(Put(to_item(suggestion)))


def list_suggestions(*, table: Table) -> list[Suggestion]:
    """The valid ones, the likeliest first. From an index, which may be a moment behind."""
    good = _in_doubt(_all(table), table)
    return sorted(good, key=lambda suggestion: (-suggestion.similarity, suggestion.suggestion_id))


def find_suggestion(suggestion_id: str, *, table: Table) -> Suggestion | None:
    """None where there is none, or this is no id."""
    key = _key(suggestion_id)
    item = None if key is None else table.get(key)
    return None if item is None else from_item(Suggestion, item)


def delete_suggestion(person_id: str, other_person_id: str) -> Delete:
    """The change by which a decision about the two deletes it."""
    return Delete(keys.suggestion(*ordered_pair(person_id, other_person_id)))


def ordered_pair(person_id: str, other_person_id: str) -> tuple[str, str]:
    """By number: person9 before person10."""
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
    """Those whose persons both exist, and are not both named."""
    listed = list(suggestions)
    persons = find_persons((person for suggestion in listed for person in _persons(suggestion)), table=table)
    there = {person_id for person_id, person in persons.items() if person.canonical_person_id is None}
    named = {person_id for person_id, person in persons.items() if person.is_named}
    pairs = [(suggestion, set(_persons(suggestion))) for suggestion in listed]
    return [suggestion for suggestion, both in pairs if both <= there and not both <= named]


def _key(suggestion_id: str) -> Key | None:
    person_id, _, other_person_id = suggestion_id.partition(_BETWEEN)
    if not person_id or not other_person_id or "#" in suggestion_id:
        return None
    return keys.suggestion(person_id, other_person_id)
