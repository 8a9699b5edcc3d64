"""Constraints and thresholds of clustering: faces kept together, apart, or with a person."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sparks.people.clustering.face_columns import FaceColumns
from sparks.people.clustering.neighbor_graph import Nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupingThresholds:
    """Thresholds of similarity, as cosines, and of quality.

    Two single faces join at `strong`. The more pairs of faces two groups have between them, the nearer to `candidate`
    their average similarity may be. Below `candidate` nothing joins; a pair in between becomes a merge suggestion. A
    face below `founding_quality` may join a group, but it neither founds one nor counts in its average. Two faces at or
    above `near_duplicate` show the same moment.

    Ten frames of a burst are no better evidence than one. Photos of one person that were taken at different times are
    seldom more similar than `repeat`, so the faces of a group count for less the further their average similarity lies
    above it.
    """

    candidate: float = 0.42
    strong: float = 0.49
    repeat: float = 0.75
    near_duplicate: float = 0.85
    founding_quality: float = 0.4

    def needed(self, pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The average similarity at which two groups join; `pairs` is the product of their effective counts."""
        return self.candidate + (self.strong - self.candidate) / np.maximum(pairs, 1.0)

    def effective_count(self, count: int, squared_length: float) -> float:
        """The number of independent faces in a group; `squared_length` is that of the sum of its vectors."""
        if count < 2:
            return float(count)
        average = (squared_length - count) / (count * (count - 1))
        repeated = min(1.0, max(0.0, (average - self.repeat) / (1.0 - self.repeat)))
        return count / (1.0 + (count - 1) * repeated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """Constraints on faces. Ids of faces that do not exist are ignored.

    `together` are sets of faces that stay in one group, whatever the other constraints say. `apart` are pairs of faces
    of different persons; no merge is suggested for them. `persons` maps a person to faces that certainly are theirs:
    these stay together, and never join those of another person. `rejected` maps a face to the persons that it is not.
    `may_not_found` are faces that found no person, whatever their quality.
    """

    together: tuple[frozenset[str], ...] = ()
    apart: frozenset[tuple[str, str]] = frozenset()
    persons: Mapping[str, frozenset[str]] = field(default_factory=dict)
    rejected: Mapping[str, frozenset[str]] = field(default_factory=dict)
    may_not_found: frozenset[str] = frozenset()

    def with_together(self, blocks: Iterable[frozenset[str]]) -> "Constraints":
        return replace(self, together=(*self.together, *blocks))


def with_near_duplicates(
    constraints: Constraints, faces: FaceColumns, *, nearest: Nearest, thresholds: GroupingThresholds, most: int = 64
) -> Constraints:
    """The constraints, with near duplicates of a rejected face rejected too, unless a human assigned them."""
    rejected = {face_id: set(persons) for face_id, persons in constraints.rejected.items()}
    for face_id in sorted(constraints.rejected):
        if face_id in faces.row_of:
            vector = faces.vectors[faces.row_of[face_id]]
            for duplicate_id, _ in nearest(vector, most, thresholds.near_duplicate):
                rejected.setdefault(duplicate_id, set()).update(constraints.rejected[face_id])
    certain = constraints.persons
    kept = {
        face_id: frozenset(person for person in persons if face_id not in certain.get(person, ()))
        for face_id, persons in rejected.items()
    }
    return replace(constraints, rejected={face_id: persons for face_id, persons in kept.items() if persons})
