"""Which faces are near enough to others to be looked at: a graph that stays small however many faces there are."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeAlias

import numpy as np

from sparks.people.groups.faces import Faces, Rows, Vectors

MOST_NEIGHBOURS: Final = 32
BLOCK_BYTES: Final = 1 << 26

Nearest: TypeAlias = Callable[[Vectors, int, float], Iterable[tuple[str, float]]]
"""(vector, how many at most, how similar at least) -> ids of faces with their similarity, the nearest first."""


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Both ways: who is near to a face has it near. `ends[starts[row] : starts[row + 1]]` are a row's neighbours."""

    starts: Rows
    ends: Rows

    def of(self, row: int) -> Rows:
        return self.ends[self.starts[row] : self.starts[row + 1]]


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """Many faces that stay together, and the average of those among them that count."""

    rows: Rows
    middle: Vectors


def near_edges(
    faces: Faces,
    *,
    at_least: float,
    nearest: Nearest | None,
    most: int = MOST_NEIGHBOURS,
    crowds: Sequence[Crowd] = (),
) -> Edges:
    """Each face with its nearest ones of other photos, found by `nearest`, or by comparing all where it is None.

    [Note: exact] Groups whose average similarity is `at_least` have a pair of faces that is: no join is missed, but
    for faces that have more than `most` nearer ones.

    [Note: crowds] A crowd is compared by its middle, which is the average of all its pairs, and whoever is near to it
    has its first face near. So what is compared does not grow with the crowds.
    """
    if nearest is not None:
        pairs = _asked(faces, at_least, most, nearest)
    else:
        pairs = chain(_compared(faces, _outside(faces, crowds), at_least, most), _met(faces, crowds, at_least))
    return _both_ways(len(faces), [_of_other_photos(faces, rows, ends) for rows, ends in pairs])


def _outside(faces: Faces, crowds: Sequence[Crowd]) -> Rows:
    alone = np.ones(len(faces), np.bool_)
    for crowd in crowds:
        alone[crowd.rows] = False
    return np.flatnonzero(alone).astype(np.int32)


def _compared(faces: Faces, among: Rows, at_least: float, most: int) -> Iterator[tuple[Rows, Rows]]:
    """A block of faces against all, so that memory stays bounded."""
    vectors = faces.vectors[among]
    block = max(1, BLOCK_BYTES // (4 * max(1, len(among))))
    for start in range(0, len(among), block):
        similar = vectors[start : start + block] @ vectors.T
        for row in np.flatnonzero((similar >= at_least).sum(axis=1) > most + 1):
            similar[row, np.argpartition(-similar[row], most)[most + 1 :]] = -1
        rows, ends = np.nonzero(similar >= at_least)
        yield among[rows + start], among[ends]


def _met(faces: Faces, crowds: Sequence[Crowd], at_least: float) -> Iterator[tuple[Rows, Rows]]:
    """Each crowd, by its first face, with the faces outside and the crowds that are near."""
    outside = _outside(faces, crowds)
    firsts = np.array([crowd.rows[0] for crowd in crowds], np.int32)
    for crowd, first in zip(crowds, firsts, strict=True):
        near = outside[faces.vectors[outside] @ crowd.middle >= at_least]
        others = firsts[[float(other.middle @ crowd.middle) >= at_least for other in crowds]]
        rows = np.concatenate([near, others])
        yield rows, np.full(len(rows), first, np.int32)


def _asked(faces: Faces, at_least: float, most: int, nearest: Nearest) -> Iterator[tuple[Rows, Rows]]:
    for row, vector in enumerate(faces.vectors):
        near = nearest(vector, most + 1, at_least) if vector.any() else ()
        found = faces.rows(face_id for face_id, _ in near)
        yield np.full(len(found), row, np.int32), np.array(found, np.int32)


def _of_other_photos(faces: Faces, rows: Rows, ends: Rows) -> tuple[Rows, Rows]:
    others = faces.photo_numbers[rows] != faces.photo_numbers[ends]
    return rows[others], ends[others]


def _both_ways(count: int, pairs: list[tuple[Rows, Rows]]) -> Edges:
    rows = np.concatenate([np.zeros(0, np.int32), *(rows for rows, _ in pairs)]).astype(np.int64)
    ends = np.concatenate([np.zeros(0, np.int32), *(ends for _, ends in pairs)]).astype(np.int64)
    both = np.unique(np.concatenate([rows * count + ends, ends * count + rows]))
    starts = np.searchsorted(both, np.arange(count + 1, dtype=np.int64) * count)
    return Edges(starts.astype(np.int32), (both % max(1, count)).astype(np.int32))
