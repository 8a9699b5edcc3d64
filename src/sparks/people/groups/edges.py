"""Which faces are near enough to others to be looked at: a graph that stays small however many faces there are."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
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


def near_edges(faces: Faces, *, at_least: float, nearest: Nearest | None, most: int = MOST_NEIGHBOURS) -> Edges:
    """Each face with its nearest ones of other photos, found by `nearest`, or by comparing all where it is None.

    [Note: exact] Groups whose average similarity is `at_least` have a pair of faces that is: no join is missed, but
    for faces that have more than `most` nearer ones.
    """
    pairs = _compared(faces, at_least, most) if nearest is None else _asked(faces, at_least, most, nearest)
    return _both_ways(len(faces), [_of_other_photos(faces, rows, ends) for rows, ends in pairs])


def _compared(faces: Faces, at_least: float, most: int) -> Iterator[tuple[Rows, Rows]]:
    """A block of faces against all, so that memory stays bounded."""
    block = max(1, BLOCK_BYTES // (4 * max(1, len(faces))))
    for start in range(0, len(faces), block):
        similar = faces.vectors[start : start + block] @ faces.vectors.T
        for row in np.flatnonzero((similar >= at_least).sum(axis=1) > most + 1):
            similar[row, np.argpartition(-similar[row], most)[most + 1 :]] = -1
        rows, ends = np.nonzero(similar >= at_least)
        yield (rows + start).astype(np.int32), ends.astype(np.int32)


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
