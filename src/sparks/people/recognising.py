"""Which persons a face is like that nobody has kept: a selfie's, or a profile picture's.

Faces near to it tell which persons come into question. How much it is like one of them is then told by the faces that
speak for that person: on average of the more similar half, because people age, and wear glasses, and one face that
happens to be alike is no proof. Whoever was merged from several is as much like it as the nearest of these.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from sparks.library.face_index import FaceIndex, vector_of
from sparks.library.face_log import faces_by_id
from sparks.library.people.redirects import Redirects
from sparks.model.terms import FaceTerms
from sparks.people.groups.arrival import CLEAR
from sparks.people.groups.faces import Faces, Vectors
from sparks.people.known import Rows, by_home, columns_of, faces_of_person
from sparks.table.port import Table

NEAR: Final = 300  # faces that are looked at
MOST_PERSONS: Final = 20  # whom they may be of
MOST_FACES: Final = 500  # of a person, beside those near
FEW: Final = 3  # faces of which all count


@dataclass(frozen=True, slots=True)
class Likeness:
    """`score` is a similarity: what an engine's thresholds are told in."""

    person_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Recognised:
    """Who a face may be, the most alike first; whose it is for sure; and the one whom it is like far more than anybody
    else, if there is one.
    """

    alike: tuple[Likeness, ...] = ()
    certain: frozenset[str] = frozenset()
    clear: str | None = None


def recognise(embedding: bytes, quality: float, *, index: FaceIndex, terms: FaceTerms, table: Table) -> Recognised:
    """Of a face that the engine of the terms has seen. One that could found no person proves nothing either."""
    vector = vector_of(embedding, terms.dimensions)
    if vector is None:
        return Recognised()
    scored = (
        Likeness(person_id, max((_score(vector, faces, terms) for faces in homes.values()), default=-1.0))
        for person_id, homes in _persons_near(vector, index, terms, table).items()
    )
    alike = sorted((one for one in scored if one.score >= terms.candidate), key=lambda one: (-one.score, one.person_id))
    certain = [one for one in alike if one.score >= terms.strong and quality >= terms.founding]
    clear = certain and (len(alike) == 1 or alike[0].score >= alike[1].score + CLEAR)
    return Recognised(tuple(alike), frozenset(one.person_id for one in certain), alike[0].person_id if clear else None)


def _persons_near(vector: Vectors, index: FaceIndex, terms: FaceTerms, table: Table) -> dict[str, dict[str, Faces]]:
    """Their faces, by whom the engine took them for."""
    near = [each.face_id for each in index.nearest(vector, NEAR, terms.candidate)]
    faces = faces_by_id(near, table=table)
    resolve = Redirects(table)
    owners = (faces[face_id].person_id for face_id in near if face_id in faces)
    found = dict.fromkeys(resolve(person_id) for person_id in owners if person_id is not None)
    rows = {person_id: _rows(person_id, table) for person_id in islice(found, MOST_PERSONS)}
    return {person_id: by_home(theirs, columns_of(theirs.values(), terms)) for person_id, theirs in rows.items()}


def _rows(person_id: str, table: Table) -> Rows:
    return {face.face_id: face for face in islice(faces_of_person(person_id, table=table), MOST_FACES)}


def _score(vector: Vectors, faces: Faces, terms: FaceTerms) -> float:
    """Faces of poor quality count only where there is no other."""
    good = faces.quality >= terms.founding
    known = faces.vectors[good] if good.any() else faces.vectors
    return _average_of_best(known @ (vector / np.linalg.norm(vector))) if len(known) else -1.0


def _average_of_best(similarities: Iterable[float]) -> float:
    best = sorted(map(float, similarities), reverse=True)
    counted = best[: max(FEW, math.ceil(len(best) / 2))]
    return sum(counted) / len(counted)
