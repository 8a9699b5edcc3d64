"""What a grouping comes to: who keeps which id, which faces move, and what a human is to be asked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sparks.library.people import next_person_ids
from sparks.library.people.suggestions import older_first
from sparks.model.person import Suggestion
from sparks.people.groups.constraints import Constraints
from sparks.people.groups.grouping import Doubt, Grouping
from sparks.people.groups.matching import match_persons
from sparks.people.known import Rows, home_of, homes_of
from sparks.people.plan import Step, persons_then, plan_steps
from sparks.people.said import Resolve
from sparks.table.port import Table

Then = Mapping[str, str | None]
"""By face the home (see `known`) that it should have; None is nobody."""


@dataclass(frozen=True, slots=True)
class Outcome:
    then: Then
    steps: tuple[Step, ...]


def outcome_of(
    grouping: Grouping, rows: Rows, said: Constraints, *, taken: frozenset[str] = frozenset(), table: Table
) -> Outcome:
    """`rows` has all faces of all whose faces were grouped, also those that cannot be compared. `taken` are homes that
    no group may become. Ids for those who are new are taken from the counter.
    """
    homes = homes_of(rows)
    groups = match_persons(grouping.groups, homes, rejected=said.rejected, taken=taken)
    new = sum(group.person_id is None for group in groups)
    then = persons_then(groups, grouping.waiting, next_person_ids(new, table=table) if new else ())
    now = {face_id: home_of(face) for face_id, face in rows.items()}
    return Outcome(then, plan_steps(now, then, persons={*homes.values(), *said.persons}))


def suggestions_from(doubts: Iterable[Doubt], then: Then, *, resolve: Resolve, at: datetime) -> list[Suggestion]:
    """The doubts that are about two persons, as people know them; of several about the same two, the likeliest."""
    asked: dict[tuple[str, str], Suggestion] = {}
    for doubt in doubts:
        person_of = {face_id: then.get(face_id) for face_id in (doubt.one, doubt.other)}
        faces = {resolve(home): face_id for face_id, home in person_of.items() if home is not None}
        if len(faces) == 2:
            first, second = older_first(*faces)
            told = Suggestion(
                person_id=first,
                other_person_id=second,
                face_id=faces[first],
                other_face_id=faces[second],
                similarity=round(doubt.similarity, 4),
                made_at=at,
            )
            asked.setdefault((first, second), told)
    return list(asked.values())
