"""What humans said about faces, as grouping has to obey it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sparks.people.groups.edges import Nearest
from sparks.people.groups.faces import Faces
from sparks.people.groups.rule import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """Faces that are not there are passed over. What is together stays so, whatever else is said about it.

    `persons` are faces that certainly are of a person: they stay together, and never meet those of another person.
    `rejected` says by face of which persons it is not; `apart` are pairs of faces that are of different persons, which
    nobody is asked about.
    """

    together: tuple[frozenset[str], ...] = ()
    apart: frozenset[tuple[str, str]] = frozenset()
    persons: Mapping[str, frozenset[str]] = field(default_factory=dict)
    rejected: Mapping[str, frozenset[str]] = field(default_factory=dict)
    may_not_found: frozenset[str] = frozenset()

    def with_together(self, blocks: Iterable[frozenset[str]]) -> "Constraints":
        return replace(self, together=(*self.together, *blocks))


def with_twins(constraints: Constraints, faces: Faces, *, nearest: Nearest, rule: Rule, most: int = 64) -> Constraints:
    """A face that is not of a person has near twins that are not either, unless a human said that they are."""
    rejected = {face_id: set(persons) for face_id, persons in constraints.rejected.items()}
    for face_id in sorted(constraints.rejected):
        if face_id in faces.row_of:
            vector = faces.vectors[faces.row_of[face_id]]
            for twin, _ in nearest(vector, most, rule.twin):
                rejected.setdefault(twin, set()).update(constraints.rejected[face_id])
    certain = constraints.persons
    kept = {
        face_id: frozenset(person for person in persons if face_id not in certain.get(person, ()))
        for face_id, persons in rejected.items()
    }
    return replace(constraints, rejected={face_id: persons for face_id, persons in kept.items() if persons})
