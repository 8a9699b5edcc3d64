"""Clustering of new faces: a clear match for one face, or regrouping with the persons near them."""

from collections.abc import Collection, Mapping
from typing import Final

import numpy as np

from sparks.people.clustering.constraints import Constraints, GroupingThresholds
from sparks.people.clustering.face_columns import FaceColumns, Vectors, joined_columns
from sparks.people.clustering.group_faces import Grouping, group_faces
from sparks.people.clustering.neighbor_graph import MAX_NEIGHBORS, Nearest

CONDENSE_ABOVE: Final = 64  # faces; a larger group stays together, and only a full rebuild may split it
CLEAR_MARGIN: Final = 0.05  # by which a face must be more similar to one person than to any other
SEARCH_STEPS: Final = 6  # each asks for twice as many neighbors


def clear_match(
    vector: Vectors,
    photo: str,
    known: Mapping[str, FaceColumns],
    *,
    thresholds: GroupingThresholds,
    rejected: Collection[str] = (),
) -> str | None:
    """The person with the highest average similarity, if it is strong and clearly above that of all other persons.

    None where that person is in the photo already, or is rejected: the incremental rebuild decides about such a face.
    """
    similarity = {person: _average(vector, _founding(faces, thresholds)) for person, faces in known.items()}
    best = max(sorted(similarity), key=lambda person: similarity[person], default=None)
    if best is None or best in rejected or photo in known[best].photos:
        return None
    second = max((each for person, each in similarity.items() if person != best), default=-1.0)
    return best if similarity[best] >= max(thresholds.strong, second + CLEAR_MARGIN) else None


def near_faces(
    new: FaceColumns, *, nearest: Nearest, thresholds: GroupingThresholds, most: int = MAX_NEIGHBORS
) -> frozenset[str]:
    """The ids of earlier faces, assigned or not, that are near the new ones."""
    found = (_near_earlier_faces(vector, new, nearest, thresholds, most) for vector in new.vectors if vector.any())
    return frozenset().union(*found)


def _near_earlier_faces(
    vector: Vectors, new: FaceColumns, nearest: Nearest, thresholds: GroupingThresholds, most: int
) -> set[str]:
    """Of a thousand photos of one afternoon, each is nearest to the others. So the search is widened until it finds an
    earlier face, or there are no more near ones.
    """
    for limit in (most << step for step in range(SEARCH_STEPS)):
        near = [face_id for face_id, _ in nearest(vector, limit, thresholds.candidate)]
        earlier = {face_id for face_id in near if face_id not in new.row_of}
        if earlier or len(near) < limit:
            return earlier
    return set()


def regroup(
    new: FaceColumns,
    known: Mapping[str, FaceColumns],
    *,
    thresholds: GroupingThresholds,
    constraints: Constraints | None = None,
    condense_above: int = CONDENSE_ABOVE,
) -> tuple[Grouping, frozenset[str]]:
    """Groups the new faces and all faces of the persons near them, by the same rule as a full rebuild. Returns the
    grouping and these persons; the other persons of `known` stay as they are.

    Faces that were assigned at once are new too: such a face may make two persons similar enough to join.

    A face whose average similarity to a group is below `candidate` cannot make that group join another which it did not
    join before. So only persons at or above it are regrouped.
    """
    constraints = constraints or Constraints()
    before = {person: faces.only(frozenset(faces.ids) - new.row_of.keys()) for person, faces in known.items()}
    reached = {person: faces for person, faces in before.items() if not len(faces) or _reaches(new, faces, thresholds)}
    blocks = (_unconstrained(faces, constraints) for faces in reached.values() if len(faces) > condense_above)
    grouping = group_faces(
        joined_columns([new, *(reached[person] for person in sorted(reached))]),
        thresholds=thresholds,
        constraints=constraints.with_together(blocks),
        condense_above=condense_above,
    )
    return grouping, frozenset(reached)


def _unconstrained(faces: FaceColumns, constraints: Constraints) -> frozenset[str]:
    constrained = {face_id for pair in constraints.apart for face_id in pair} | constraints.rejected.keys()
    return frozenset(faces.ids) - constrained


def _reaches(new: FaceColumns, faces: FaceColumns, thresholds: GroupingThresholds) -> bool:
    founding = _founding(faces, thresholds)
    return bool(len(founding) and len(new) and (new.vectors @ founding.mean(axis=0)).max() >= thresholds.candidate)


def _founding(faces: FaceColumns, thresholds: GroupingThresholds) -> Vectors:
    return faces.vectors[faces.quality >= thresholds.founding_quality]


def _average(vector: Vectors, founding: Vectors) -> float:
    return float(np.mean(founding @ vector)) if len(founding) else -1.0
