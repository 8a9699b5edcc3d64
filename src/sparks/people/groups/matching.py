"""Groups found anew and persons who are there: who keeps which id."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparks.people.groups.grouping import Group


def match_persons(
    groups: Sequence[Group],
    person_of: Mapping[str, str],
    *,
    rejected: Mapping[str, frozenset[str]] | None = None,
    taken: frozenset[str] = frozenset(),
) -> tuple[Group, ...]:
    """The groups with the persons they are: those that a human named, else by most faces in common, each person once.

    Of equals the person that is there longer wins, then the group with the first face. A group without a person is a
    new one. Nobody gets back a face that was rejected, by the way of an id, nor one of the persons in `taken`.
    """
    said = {group.person_id for group in groups if group.person_id is not None} | taken
    ranked = sorted(_overlaps(groups, person_of, rejected or {}))
    kept: dict[int, str] = {}
    for _, _, person, at in ranked:
        if groups[at].person_id is None and at not in kept and person not in said:
            kept[at] = person
            said.add(person)
    return tuple(replace(group, person_id=group.person_id or kept.get(at)) for at, group in enumerate(groups))


def _overlaps(
    groups: Sequence[Group], person_of: Mapping[str, str], rejected: Mapping[str, frozenset[str]]
) -> list[tuple[int, int, str, int]]:
    """(faces in common turned round, length of the person's id, person, group); person9 was there before person10."""
    return [
        (-count, len(person), person, at)
        for at, group in enumerate(groups)
        for person, count in Counter(person_of[face] for face in group.faces if face in person_of).items()
        if not any(person in rejected.get(face, ()) for face in group.faces)
    ]
