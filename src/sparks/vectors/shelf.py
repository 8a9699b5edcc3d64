"""The vectors themselves: rows of one matrix, each under its face's id.

[Note: half floats] Vectors are kept as half floats, and here as whole ones with the same values: to turn 2,000 of them
takes as long as all the rest of a question.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparks.vectors.port import Near, Vector

Rows: TypeAlias = NDArray[np.intp]
Matrix: TypeAlias = NDArray[np.floating[Any]]

SMALLEST: Final = 64  # rows
FREE: Final = ""


class Shelf:
    """A row that is given up is blanked at once, and used again. `names` has the id of each row, or FREE."""

    def __init__(self, dimensions: int) -> None:
        self.names: list[str] = []
        self._rows: dict[str, int] = {}
        self._free: list[int] = []
        self._matrix: Vector = np.zeros((SMALLEST, dimensions), np.float32)

    @classmethod
    def of(cls, names: Sequence[str], matrix: Matrix) -> Self:
        """What `names` and `matrix` of another one were."""
        shelf = cls(matrix.shape[1])
        shelf.names = list(names)
        shelf._rows = {name: row for row, name in enumerate(names) if name != FREE}
        shelf._free = [row for row, name in enumerate(names) if name == FREE]
        shelf._matrix = np.array(matrix, np.float32)
        return shelf

    @property
    def matrix(self) -> Vector:
        """A view, of as many rows as there are names."""
        return self._matrix[: len(self.names)]

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, face_id: str) -> bool:
        return face_id in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def rows(self, face_ids: Iterable[str]) -> Rows:
        """Of those that are there."""
        known = (self._rows.get(face_id) for face_id in face_ids)
        return np.fromiter((row for row in known if row is not None), np.intp)

    def holds(self, face_id: str, vector: Matrix) -> bool:
        row = self._rows.get(face_id)
        return row is not None and np.array_equal(self._matrix[row], vector)

    def put(self, face_id: str, vector: Matrix) -> int:
        """The row for these half floats; the one it had, where the face is there already."""
        row = self._rows.get(face_id)
        if row is None:
            row = self._rows[face_id] = self._free.pop() if self._free else self._new_row()
            self.names[row] = face_id
        self._matrix[row] = vector
        return row

    def drop(self, face_id: str) -> int | None:
        """The row that it had, or None."""
        row = self._rows.pop(face_id, None)
        if row is not None:
            self.names[row] = FREE
            self._matrix[row] = 0
            self._free.append(row)
        return row

    def best(self, vector: Vector, k: int, at_least: float, *, among: Rows | None = None) -> list[Near]:
        """The k most similar of these rows, or of all."""
        chosen = self.matrix if among is None else self._matrix.take(among, axis=0)
        similar = np.clip(chosen @ vector, -1.0, 1.0)
        if among is None:
            similar[self._free] = -np.inf
        found = _at_top(similar, k, at_least)
        rows = found if among is None else among[found]
        near = [Near(self.names[row], float(similarity)) for row, similarity in zip(rows, similar[found], strict=True)]
        return sorted(near, key=lambda one: (-one.similarity, one.face_id))[:k]

    def _new_row(self) -> int:
        row = len(self.names)
        if row == len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.zeros(_half_more(self._matrix), np.float32)])
        self.names.append(FREE)
        return row


def _half_more(matrix: Vector) -> tuple[int, int]:
    return max(SMALLEST, len(matrix) // 2), matrix.shape[1]


def _at_top(similar: Vector, k: int, at_least: float) -> Rows:
    """Where the k largest are, with all that equal the last of them."""
    found = np.flatnonzero(similar >= max(at_least, -1.0))
    if len(found) > k:
        kept = similar[found]
        found = found[kept >= np.partition(kept, len(found) - k)[len(found) - k]]
    return found
