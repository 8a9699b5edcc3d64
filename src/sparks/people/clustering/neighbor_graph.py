"""Neighbor graph of faces that are similar enough to be compared."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeAlias

import numpy as np

from sparks.people.clustering.face_columns import FaceColumns, Rows, Vectors

MAX_NEIGHBORS: Final = 32
BLOCK_BYTES: Final = 1 << 26

Nearest: TypeAlias = Callable[[Vectors, int, float], Iterable[tuple[str, float]]]
"""(vector, maximum count, least similarity) -> ids of faces with their similarity, the nearest first."""


@dataclass(frozen=True, slots=True, eq=False)
class NeighborGraph:
    """Undirected graph of rows: `ends[starts[row] : starts[row + 1]]` are the neighbors of a row."""

    starts: Rows
    ends: Rows

    def of(self, row: int) -> Rows:
        return self.ends[self.starts[row] : self.starts[row + 1]]


@dataclass(frozen=True, slots=True, eq=False)
class CondensedGroup:
    """Many faces that stay together, and the mean of the founding ones among them."""

    rows: Rows
    mean: Vectors


def near_edges(
    faces: FaceColumns,
    *,
    at_least: float,
    nearest: Nearest | None,
    most: int = MAX_NEIGHBORS,
    condensed: Sequence[CondensedGroup] = (),
) -> NeighborGraph:
    """Each face with its nearest faces of other photos, found by `nearest`, or by comparing all faces if it is None.

    Two groups whose average similarity is `at_least` contain a pair of faces that similar. So no join is missed, except
    for faces with more than `most` nearer neighbors.

    The similarity of a face to the mean of a group is its average similarity to the group. A condensed group is
    compared by its mean, and a face near the mean becomes a neighbor of the group's first face. So the number of
    comparisons does not grow with the size of the group.
    """
    if nearest is not None:
        pairs = _pairs_from_index(faces, at_least, most, nearest)
    else:
        others = _outside(faces, condensed)
        pairs = chain(
            _pairs_by_comparison(faces, others, at_least, most), _pairs_of_condensed(faces, others, condensed, at_least)
        )
    return _undirected(len(faces), [_of_other_photos(faces, rows, ends) for rows, ends in pairs])


def _outside(faces: FaceColumns, condensed: Sequence[CondensedGroup]) -> Rows:
    is_outside = np.ones(len(faces), np.bool_)
    for group in condensed:
        is_outside[group.rows] = False
    return np.flatnonzero(is_outside).astype(np.int32)


def _pairs_by_comparison(faces: FaceColumns, among: Rows, at_least: float, most: int) -> Iterator[tuple[Rows, Rows]]:
    """Compares one block of faces at a time with all, so that memory stays bounded."""
    vectors = faces.vectors[among]
    block = max(1, BLOCK_BYTES // (4 * max(1, len(among))))
    for start in range(0, len(among), block):
        similar = vectors[start : start + block] @ vectors.T
        for row in np.flatnonzero((similar >= at_least).sum(axis=1) > most + 1):
            similar[row, np.argpartition(-similar[row], most)[most + 1 :]] = -1
        rows, ends = np.nonzero(similar >= at_least)
        yield among[rows + start], among[ends]


def _pairs_of_condensed(
    faces: FaceColumns, outside: Rows, condensed: Sequence[CondensedGroup], at_least: float
) -> Iterator[tuple[Rows, Rows]]:
    """The first face of each condensed group with the faces outside, and with the first faces of other groups."""
    firsts = np.array([group.rows[0] for group in condensed], np.int32)
    for group, first in zip(condensed, firsts, strict=True):
        near = outside[faces.vectors[outside] @ group.mean >= at_least]
        others = firsts[[float(other.mean @ group.mean) >= at_least for other in condensed]]
        rows = np.concatenate([near, others])
        yield rows, np.full(len(rows), first, np.int32)


def _pairs_from_index(faces: FaceColumns, at_least: float, most: int, nearest: Nearest) -> Iterator[tuple[Rows, Rows]]:
    for row, vector in enumerate(faces.vectors):
        near = nearest(vector, most + 1, at_least) if vector.any() else ()
        found = faces.rows(face_id for face_id, _ in near)
        yield np.full(len(found), row, np.int32), np.array(found, np.int32)


def _of_other_photos(faces: FaceColumns, rows: Rows, ends: Rows) -> tuple[Rows, Rows]:
    others = faces.photo_numbers[rows] != faces.photo_numbers[ends]
    return rows[others], ends[others]


def _undirected(count: int, pairs: list[tuple[Rows, Rows]]) -> NeighborGraph:
    rows = np.concatenate([np.zeros(0, np.int32), *(rows for rows, _ in pairs)]).astype(np.int64)
    ends = np.concatenate([np.zeros(0, np.int32), *(ends for _, ends in pairs)]).astype(np.int64)
    both = np.unique(np.concatenate([rows * count + ends, ends * count + rows]))
    starts = np.searchsorted(both, np.arange(count + 1, dtype=np.int64) * count)
    return NeighborGraph(starts.astype(np.int32), (both % max(1, count)).astype(np.int32))
