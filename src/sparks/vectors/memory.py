"""Vectors in memory by exhaustive comparison: the reference adapter."""

import threading
from collections.abc import Collection, Sequence
from datetime import datetime

import numpy as np

from sparks.vectors.checks import check_ids, check_nearest, check_pairs, unit_vector, unit_vectors
from sparks.vectors.matrix import VectorMatrix
from sparks.vectors.port import ANY, Neighbor, Vector


class MemoryVectors:
    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._vectors = VectorMatrix(dimensions)
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
                self._vectors.put(face_id, unit)

    def remove(self, face_id: str) -> None:
        with self._mutex:
            self._vectors.drop(face_id)

    def nearest(
        self, vector: Vector, k: int, at_least: float = ANY, *, within: Collection[str] | None = None
    ) -> list[Neighbor]:
        check_nearest(k, at_least)
        unit = unit_vector(vector, self.dimensions)
        with self._mutex:
            among = None if within is None else self._vectors.rows(frozenset(within))
            return self._vectors.most_similar(unit, k, at_least, among=among)

    def ids(self) -> set[str]:
        with self._mutex:
            return set(self._vectors)

    def count(self) -> int:
        return len(self._vectors)

    def position(self) -> datetime | None:
        return self._position

    def advance(self, position: datetime) -> None:
        self._position = position

    def save(self) -> None:
        """Nothing is stored on a disk."""

    def close(self) -> None:
        """Memory holds nothing open."""
