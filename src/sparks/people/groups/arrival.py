"""New faces: at once to a person whom they clearly are, then thought over together with the groups near to them."""

from collections.abc import Collection, Mapping
from typing import Final

import numpy as np

from sparks.people.groups.constraints import Constraints
from sparks.people.groups.edges import MOST_NEIGHBOURS, Nearest
from sparks.people.groups.faces import Faces, Vectors, joined
from sparks.people.groups.grouping import Grouping, group_faces
from sparks.people.groups.rule import Rule

SETTLED: Final = 64  # faces; a larger group stays together when new ones come, and only a full rebuild takes it apart
CLEAR: Final = 0.05  # by which a face must be more like one person than like any other
CROWD_STEPS: Final = 6


def clear_match(
    vector: Vectors, photo: str, known: Mapping[str, Faces], *, rule: Rule, rejected: Collection[str] = ()
) -> str | None:
    """The person this face is like on average, strongly and far more than anybody else; else None.

    Nobody who is in the photo already, nor whom a human said it is not. A doubt is for the job that sees all faces.
    """
    alike = {person: _likeness(vector, _founding(faces, rule)) for person, faces in known.items()}
    best = max(sorted(alike), key=lambda person: alike[person], default=None)
    if best is None or best in rejected or photo in known[best].photos:
        return None
    second = max((likeness for person, likeness in alike.items() if person != best), default=-1.0)
    return best if alike[best] >= max(rule.strong, second + CLEAR) else None


def near_faces(new: Faces, *, nearest: Nearest, rule: Rule, most: int = MOST_NEIGHBOURS) -> frozenset[str]:
    """The faces there, of persons and waiting ones, which the new ones may have to do with."""
    found = (_near_old_ones(vector, new, nearest, rule, most) for vector in new.vectors if vector.any())
    return frozenset().union(*found)


def _near_old_ones(vector: Vectors, new: Faces, nearest: Nearest, rule: Rule, most: int) -> set[str]:
    """[Note: crowds] Of a thousand photos of one afternoon each is nearest to the others; one asks on until somebody
    from before is among them.
    """
    for wanted in (most << step for step in range(CROWD_STEPS)):
        near = [face_id for face_id, _ in nearest(vector, wanted, rule.candidate)]
        old = {face_id for face_id in near if face_id not in new.row_of}
        if old or len(near) < wanted:
            return old
    return set()


def regroup(
    new: Faces,
    known: Mapping[str, Faces],
    *,
    rule: Rule,
    constraints: Constraints | None = None,
    settled: int = SETTLED,
) -> tuple[Grouping, frozenset[str]]:
    """The new faces with all faces of the persons near to them, grouped by the same rule as in a full rebuild; and
    which persons these were. The others of `known` stay as they are.

    New are those that were assigned at once, too: what they add to a person may bring two persons together.

    [Note: reach] A face whose average to a group is below `candidate` cannot bring that group to join another which it
    did not join before. So only those above it are thought over.
    """
    said = constraints or Constraints()
    before = {person: faces.only(frozenset(faces.ids) - new.row_of.keys()) for person, faces in known.items()}
    reached = {person: faces for person, faces in before.items() if not len(faces) or _reaches(new, faces, rule)}
    blocks = (_unquestioned(faces, said) for faces in reached.values() if len(faces) > settled)
    everyone = joined([new, *(reached[person] for person in sorted(reached))])
    grouping = group_faces(everyone, rule=rule, constraints=said.with_together(blocks), settled=settled)
    return grouping, frozenset(reached)


def _unquestioned(faces: Faces, said: Constraints) -> frozenset[str]:
    questioned = {face_id for pair in said.apart for face_id in pair} | said.rejected.keys()
    return frozenset(faces.ids) - questioned


def _reaches(new: Faces, faces: Faces, rule: Rule) -> bool:
    founding = _founding(faces, rule)
    return bool(len(founding) and len(new) and (new.vectors @ founding.mean(axis=0)).max() >= rule.candidate)


def _founding(faces: Faces, rule: Rule) -> Vectors:
    return faces.vectors[faces.quality >= rule.founding_quality]


def _likeness(vector: Vectors, founding: Vectors) -> float:
    return float(np.mean(founding @ vector)) if len(founding) else -1.0
