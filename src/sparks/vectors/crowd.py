"""Faces with their vectors and the graph of who is near to whom."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sparks.vectors.graph import Graph
from sparks.vectors.port import Near, Vector
from sparks.vectors.shelf import FREE, Rows, Shelf

FEW: Final = 5000  # faces: so many are compared one by one as fast as the graph is asked

MOST_ASKED: Final = 4  # of so many for each that is asked for, the graph would be walked nearly as a whole


@dataclass(frozen=True, slots=True, eq=False)
class Frozen:
    """A crowd as it was at a moment, ready to be written: the ids row by row, the half floats, what usearch keeps."""

    names: Sequence[str]
    matrix: NDArray[np.float16]
    graph: memoryview
    position: datetime | None


class Crowd:
    """`few`: up to how many faces are compared one by one."""

    def __init__(self, dimensions: int, *, few: int = FEW) -> None:
        self._dimensions = dimensions
        self._few = few
        self._shelf = Shelf(dimensions)
        self._graph = Graph(dimensions)
        self._touched: set[int] = set()

    @classmethod
    def of(cls, frozen: Frozen, *, few: int = FEW) -> "Crowd":
        """Damaged where that is no graph."""
        crowd = cls(frozen.matrix.shape[1], few=few)
        crowd._shelf = Shelf.of(frozen.names, frozen.matrix)
        crowd._graph = Graph.of(frozen.graph, crowd._dimensions)
        return crowd

    def __len__(self) -> int:
        return len(self._shelf)

    def __contains__(self, face_id: str) -> bool:
        return face_id in self._shelf

    def ids(self) -> set[str]:
        return set(self._shelf)

    def put(self, face_ids: Sequence[str], units: Vector) -> bool:
        """Each id once, with a vector of length one. Whether other vectors had to go for these."""
        halves = units.astype(np.float16)
        new = [place for place, face_id in enumerate(face_ids) if not self._shelf.holds(face_id, halves[place])]
        gone = [self.drop(face_ids[place]) for place in new]
        rows = [self._shelf.put(face_ids[place], halves[place]) for place in new]
        self._touched.update(rows)
        self._graph.put(np.array(rows, np.intp), halves[new].astype(np.float32))
        return any(gone)

    def drop(self, face_id: str) -> bool:
        """Whether it was there."""
        row = self._shelf.drop(face_id)
        if row is not None:
            self._graph.drop(row)
            self._touched.add(row)
        return row is not None

    def near(self, unit: Vector, k: int, at_least: float, within: Collection[str] | None) -> list[Near]:
        if within is not None:
            return self._shelf.best(unit, k, at_least, among=self._shelf.rows(frozenset(within)))
        if len(self) <= max(self._few, MOST_ASKED * k) or self.is_worn:
            return self._shelf.best(unit, k, at_least)
        return self._shelf.best(unit, k, at_least, among=self._graph.near(unit, k, at_least))

    @property
    def is_worn(self) -> bool:
        """So many went that the graph would miss some: until it is built anew, all are compared one by one."""
        return len(self) > self._few and self._graph.is_worn

    def begin_renewal(self) -> tuple[Rows, Vector]:
        """What `grown` makes a new graph of, elsewhere and meanwhile, for `finish_renewal`."""
        self._touched.clear()
        rows = self._shelf.rows(self._shelf)
        return rows, self._shelf.matrix[rows]

    def finish_renewal(self, graph: Graph) -> None:
        """What came and went meanwhile comes and goes there too."""
        for row in self._touched:
            if row in graph:
                graph.drop(row)
        there = np.array([row for row in self._touched if self._shelf.names[row] != FREE], np.intp)
        graph.put(there, self._shelf.matrix[there])
        self._graph = graph

    def freeze(self, position: datetime | None) -> Frozen:
        matrix = np.array(self._shelf.matrix, np.float16)
        return Frozen(list(self._shelf.names), matrix, self._graph.dump(), position)


def grown(rows: Rows, vectors: Vector) -> Graph:
    """A new graph of these."""
    graph = Graph(vectors.shape[1])
    graph.put(rows, vectors)
    return graph
