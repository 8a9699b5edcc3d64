"""Faces with given similarities, and faces of many synthetic persons."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sparks.people.clustering.face_columns import FaceColumns, Vectors, faces_of
from sparks.people.clustering.group_faces import Grouping
from sparks.people.clustering.neighbor_graph import Nearest

DIMENSIONS = 128
FINE = 0.9  # a quality that founds a person
POOR = 0.1  # and one that does not


def alike(
    similar: Mapping[str, float],
    *,
    photos: Mapping[str, str] | None = None,
    poor: Iterable[str] = (),
    other: float = 0.1,
) -> FaceColumns:
    """Faces with these similarities, given as {"a b": 0.5}, and `other` for all other pairs.

    Each is in a photo of its own unless `photos` says otherwise.
    """
    ids = sorted({face for pair in similar for face in pair.split()})
    table = np.full((len(ids), len(ids)), other) + np.eye(len(ids)) * (1 - other)
    for pair, similarity in similar.items():
        one, another = map(ids.index, pair.split())
        table[one, another] = table[another, one] = similarity
    where = photos or {}
    quality = [POOR if face in set(poor) else FINE for face in ids]
    return faces_of(ids, [where.get(face, f"photo of {face}") for face in ids], np.linalg.cholesky(table), quality)


def made_up_faces(persons: int, faces: int, *, seed: int = 0, likeness: float = 0.65) -> FaceColumns:
    """Faces of so many persons, each in its own photo: `p3-1` is the second face of the fourth person."""
    chance = np.random.default_rng(seed)
    middles = directions(persons, chance)
    own = directions(persons * faces, chance)
    vectors = np.sqrt(likeness) * np.repeat(middles, faces, axis=0) + np.sqrt(1 - likeness) * own
    ids = [f"p{person}-{face}" for person in range(persons) for face in range(faces)]
    return faces_of(ids, [f"photo of {face}" for face in ids], vectors, np.full(len(ids), FINE))


def directions(count: int, chance: np.random.Generator) -> Vectors:
    drawn = chance.normal(size=(count, DIMENSIONS))
    scaled: Vectors = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def shuffled(faces: FaceColumns, seed: int) -> FaceColumns:
    order = np.random.default_rng(seed).permutation(len(faces))
    return faces_of(
        [faces.ids[row] for row in order],
        [faces.photos[row] for row in order],
        faces.vectors[order],
        faces.quality[order],
    )


def together(grouping: Grouping) -> list[str]:
    """The faces of each group, such as ["a b", "c"]."""
    return [" ".join(group.faces) for group in grouping.groups]


def who(grouping: Grouping) -> dict[str, str | None]:
    return {" ".join(group.faces): group.person_id for group in grouping.groups}


def pairs_within(groups: Iterable[Sequence[str]]) -> set[tuple[str, str]]:
    return {(one, other) for group in groups for one in group for other in group if one < other}


def nearest_among(faces: FaceColumns) -> Nearest:
    """A search that compares a vector with all of these faces."""

    def nearest(vector: Vectors, most: int, at_least: float) -> list[tuple[str, float]]:
        similar = faces.vectors @ vector if len(faces) else np.zeros(0, np.float32)
        order = np.argsort(-similar, kind="stable")[:most]
        return [(faces.ids[row], float(similar[row])) for row in order if similar[row] >= at_least]

    return nearest
