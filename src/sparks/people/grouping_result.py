"""Result of a grouping: the person id of each group, steps to apply, and merge suggestions."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sparks.library.people.face_assignment import next_person_ids
from sparks.library.people.merge_suggestions import ordered_pair
from sparks.model.person import Suggestion
from sparks.people.change_plan import PlanStep, plan_steps, planned_persons
from sparks.people.clustering.constraints import Constraints
from sparks.people.clustering.group_faces import Doubt, Group, Grouping
from sparks.people.constraints_from_decisions import Resolve
from sparks.people.face_arrays import Rows, engine_person_of, engine_persons_of
from sparks.table.port import Table

PlannedPersons = Mapping[str, str | None]
"""The engine person planned for each face; None stands for unassigned."""


@dataclass(frozen=True, slots=True)
class GroupingResult:
    planned: PlannedPersons
    steps: tuple[PlanStep, ...]


def result_of(
    grouping: Grouping, rows: Rows, constraints: Constraints, *, taken: frozenset[str] = frozenset(), table: Table
) -> GroupingResult:
    """`rows` has all faces of all persons in the grouping, also those that cannot be compared. `taken` are engine
    persons that no group may become. New persons get their ids from the counter.
    """
    engine_persons = engine_persons_of(rows)
    groups = match_persons(grouping.groups, engine_persons, rejected=constraints.rejected, taken=taken)
    new = sum(group.person_id is None for group in groups)
    planned = planned_persons(groups, grouping.unassigned, next_person_ids(new, table=table) if new else ())
    now = {face_id: engine_person_of(face) for face_id, face in rows.items()}
    return GroupingResult(planned, plan_steps(now, planned, persons={*engine_persons.values(), *constraints.persons}))


def match_persons(
    groups: Sequence[Group],
    person_of: Mapping[str, str],
    *,
    rejected: Mapping[str, frozenset[str]] | None = None,
    taken: frozenset[str] = frozenset(),
) -> tuple[Group, ...]:
    """The groups with their persons: the one that a human decided, else the one with most faces in common.

    Each person is given once. With equal counts the older person wins, then the group with the first face. A group left
    without a person is a new one. No group gets a person whom one of its faces is not, nor one of `taken`.
    """
    used = {group.person_id for group in groups if group.person_id is not None} | taken
    matched: dict[int, str] = {}
    for _, _, person, at in sorted(_overlaps(groups, person_of, rejected or {})):
        if groups[at].person_id is None and at not in matched and person not in used:
            matched[at] = person
            used.add(person)
    return tuple(replace(group, person_id=group.person_id or matched.get(at)) for at, group in enumerate(groups))


def _overlaps(
    groups: Sequence[Group], person_of: Mapping[str, str], rejected: Mapping[str, frozenset[str]]
) -> list[tuple[int, int, str, int]]:
    """(negated count of common faces, length of the person's id, person, group); person9 is older than person10."""
    return [
        (-count, len(person), person, at)
        for at, group in enumerate(groups)
        for person, count in Counter(person_of[face] for face in group.faces if face in person_of).items()
        if not any(person in rejected.get(face, ()) for face in group.faces)
    ]


def suggestions_from(doubts: Iterable[Doubt], person_of: PlannedPersons, *, resolve: Resolve) -> list[Suggestion]:
    """One suggestion for each pair of different persons, after redirects, from the likeliest doubt about them."""
    suggestions: dict[tuple[str, str], Suggestion] = {}
    for doubt in doubts:
        found = {face_id: person_of.get(face_id) for face_id in (doubt.one, doubt.other)}
        faces = {resolve(person): face_id for face_id, person in found.items() if person is not None}
        if len(faces) == 2:
            first, second = ordered_pair(*faces)
            suggestion = Suggestion(
                person_id=first,
                other_person_id=second,
                face_id=faces[first],
                other_face_id=faces[second],
                similarity=round(doubt.similarity, 4),
            )
            suggestions.setdefault((first, second), suggestion)
    return list(suggestions.values())
