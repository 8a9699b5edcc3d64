"""Redirects of merged persons, followed to their end and shortened."""

from collections.abc import Collection
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.people.photo_faces import NO_PERSON, decisions_about, find_person
from sparks.library.people.replay_decisions import merged_by
from sparks.library.records import read_items
from sparks.model.errors import ConditionFailed, NotFound
from sparks.model.person import Person
from sparks.model.times import iso, now
from sparks.table.port import Check, Conditions, Equals, Present, Set, Table, every

CANONICAL: Final = "canonicalPersonId"


class Redirects:
    """The person to whom an id leads, read once for each id, so that one plan sees one result."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: dict[str, str] = {}

    def __call__(self, person_id: str) -> str:
        if person_id not in self._known:
            self._known[person_id] = resolve_person(person_id, table=self._table)
        return self._known[person_id]


def resolve_person(person_id: str, *, table: Table) -> str:
    """The id at the end of the redirects; the same one where there are none, or no such person.

    A circle of redirects, which only imported rows can have, ends at its first founded person.
    """
    path = [person_id]
    while (following := _next(path[-1], table)) is not None:
        if following in path:
            return min(path[path.index(following) :], key=lambda each: (len(each), each))
        path.append(following)
    for position in range(len(path) - 3, -1, -1):  # from the end, so that each step leads on to it
        _shorten(path[position], path[position + 1], path[-1], table)
    return path[-1]


def get_person(person_id: str, *, table: Table) -> Person:
    """The person to whom the id leads; NotFound where there is none."""
    person = find_person(resolve_person(person_id, table=table), table=table)
    if person is None:
        raise NotFound(NO_PERSON)
    return person


def merged_into(person_id: str, *, table: Table) -> dict[str, str]:
    """All who became this person, also by way of others, each with the one they were merged into, as decided."""
    parents: dict[str, str] = {}
    waiting = [person_id]
    while waiting:
        parent = waiting.pop()
        for child in merged_by(decisions_about(parent, table=table)):
            if child not in parents and child != person_id:
                parents[child] = parent
                waiting.append(child)
    return parents


def leading_to(person_ids: Collection[str], *, table: Table) -> frozenset[str]:
    """The persons, and all whose rows lead to one of them, whether or not that one exists."""
    known = frozenset(person_ids)
    rows = list(read_items(Person, every(table, entity_types.PERSONS)))
    while more := {row.person_id for row in rows if row.canonical_person_id in known} - known:
        known |= more
    return known


def restore_redirects(person_id: str, *, table: Table) -> None:
    """Makes all who became this person lead there again, and not further: it was merged into another one, and is not
    any more.
    """
    for child, parent in merged_into(person_id, table=table).items():
        before = find_person(child, table=table)
        if before is not None and before.canonical_person_id not in {None, parent}:
            as_seen = (Equals(CANONICAL, before.canonical_person_id),)
            try:
                table.write(_redirect(child, parent, when=as_seen))
            except ConditionFailed:
                continue  # there is a newer decision


def _next(person_id: str, table: Table) -> str | None:
    person = find_person(person_id, table=table)
    return None if person is None else person.canonical_person_id


def _shorten(start: str, middle: str, end: str, table: Table) -> None:
    """Only while the person in the middle still leads on."""
    on = Check(keys.person(middle), (Present(), Equals(CANONICAL, end)))
    try:
        table.write(on, _redirect(start, end, when=(Equals(CANONICAL, middle),)))
    except ConditionFailed:
        return


def _redirect(person_id: str, to: str, *, when: Conditions) -> Set:
    return Set(keys.person(person_id), {CANONICAL: to, "updatedAt": iso(now())}, when=when)
