"""Matrix of vectors, one row per face id, with freed rows reused.

Vectors are stored as half floats; here they are single floats with the same values, because converting 2,000 of them
takes as long as the rest of a search.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparks.vectors.port import Neighbor, Vector

Rows: TypeAlias = NDArray[np.intp]
Matrix: TypeAlias = NDArray[np.floating[Any]]

MIN_ROWS: Final = 64  # rows
FREE_ROW: Final = ""


class VectorMatrix:
    """A freed row is set to zeros at once and reused. `names` holds the id of each row, or FREE_ROW."""

    def __init__(self, dimensions: int) -> None:
        self.names: list[str] = []
        self._rows: dict[str, int] = {}
        self._free: list[int] = []
        self._matrix: Vector = np.zeros((MIN_ROWS, dimensions), np.float32)

    @classmethod
    def of(cls, names: Sequence[str], matrix: Matrix) -> Self:
        """A matrix from the `names` and `matrix` of another one."""
        filled = cls(matrix.shape[1])
        filled.names = list(names)
        filled._rows = {name: row for row, name in enumerate(names) if name != FREE_ROW}
        filled._free = [row for row, name in enumerate(names) if name == FREE_ROW]
        filled._matrix = np.array(matrix, np.float32)
        return filled

    @property
    def matrix(self) -> Vector:
        """A view of the rows that have a name or are free."""
        return self._matrix[: len(self.names)]

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, face_id: str) -> bool:
        return face_id in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def rows(self, face_ids: Iterable[str]) -> Rows:
        """The rows of the faces that are there."""
        known = (self._rows.get(face_id) for face_id in face_ids)
        return np.fromiter((row for row in known if row is not None), np.intp)

    def holds(self, face_id: str, vector: Matrix) -> bool:
        row = self._rows.get(face_id)
        return row is not None and np.array_equal(self._matrix[row], vector)

    def put(self, face_id: str, vector: Matrix) -> int:
        """Stores the vector and returns its row; a face that is there keeps its row."""
        row = self._rows.get(face_id)
        if row is None:
            row = self._rows[face_id] = self._free.pop() if self._free else self._new_row()
            self.names[row] = face_id
        self._matrix[row] = vector
        return row

    def drop(self, face_id: str) -> int | None:
        """Frees the row of the face and returns it, or None."""
        row = self._rows.pop(face_id, None)
        if row is not None:
            self.names[row] = FREE_ROW
            self._matrix[row] = 0
            self._free.append(row)
        return row

    def most_similar(self, vector: Vector, k: int, at_least: float, *, among: Rows | None = None) -> list[Neighbor]:
        """The k most similar of these rows, or of all."""
        chosen = self.matrix if among is None else self._matrix.take(among, axis=0)
        similar = np.clip(chosen @ vector, -1.0, 1.0)
        if among is None:
            similar[self._free] = -np.inf
        found = _top_rows(similar, k, at_least)
        rows = found if among is None else among[found]
        near = [
            Neighbor(self.names[row], float(similarity)) for row, similarity in zip(rows, similar[found], strict=True)
        ]
        return sorted(near, key=lambda one: (-one.similarity, one.face_id))[:k]

    def _new_row(self) -> int:
        row = len(self.names)
        if row == len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.zeros(_growth(self._matrix), np.float32)])
        self.names.append(FREE_ROW)
        return row


def _growth(matrix: Vector) -> tuple[int, int]:
    return max(MIN_ROWS, len(matrix) // 2), matrix.shape[1]


def _top_rows(similar: Vector, k: int, at_least: float) -> Rows:
    """The rows of the k largest values, and of all that equal the smallest of these."""
    found = np.flatnonzero(similar >= max(at_least, -1.0))
    if len(found) > k:
        kept = similar[found]
        found = found[kept >= np.partition(kept, len(found) - k)[len(found) - k]]
    return found
