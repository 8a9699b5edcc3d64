"""Vectors in memory, each compared with what is asked for: slow with very many, and never wrong. The reference."""

import threading
from collections.abc import Collection, Sequence
from datetime import datetime

import numpy as np

from sparks.vectors.checks import check_asked, check_ids, check_pairs, unit_vector, unit_vectors
from sparks.vectors.port import ANY, Near, Vector
from sparks.vectors.shelf import Shelf


class ExactVectors:
    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._shelf = Shelf(dimensions)
        self._position: datetime | None = None
        self._mutex = threading.Lock()

    def add(self, face_id: str, vector: Vector) -> None:
        self.add_many([face_id], np.asarray(vector)[np.newaxis])

    def add_many(self, face_ids: Sequence[str], vectors: Vector) -> None:
        check_ids(face_ids)
        check_pairs(face_ids, vectors)
        units = unit_vectors(vectors, self.dimensions).astype(np.float16) if face_ids else ()
        with self._mutex:
            for face_id, unit in zip(face_ids, units, strict=True):
                self._shelf.put(face_id, unit)

    def remove(self, face_id: str) -> None:
        with self._mutex:
            self._shelf.drop(face_id)

    def nearest(
        self, vector: Vector, k: int, at_least: float = ANY, *, within: Collection[str] | None = None
    ) -> list[Near]:
        check_asked(k, at_least)
        unit = unit_vector(vector, self.dimensions)
        with self._mutex:
            among = None if within is None else self._shelf.rows(frozenset(within))
            return self._shelf.best(unit, k, at_least, among=among)

    def ids(self) -> set[str]:
        with self._mutex:
            return set(self._shelf)

    def count(self) -> int:
        return len(self._shelf)

    def position(self) -> datetime | None:
        return self._position

    def advance(self, position: datetime) -> None:
        self._position = position

    def save(self) -> None:
        """There is no disk."""

    def close(self) -> None:
        """There is nothing to give back."""
