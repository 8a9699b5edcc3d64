"""Approximate nearest neighbor index: vector matrix and usearch HNSW graph.

[Note: blanks] usearch only marks a removed vector: its bytes stay in their slot, also in the saved file, until another
vector takes the slot; of several free slots, the oldest is taken first. So no slot is ever left free. Each removal is
followed at once by a blank, a vector of zeros under a key of its own, which takes exactly that slot. The next added
vector replaces a blank. The similarity of a blank to any vector is 0, and no result contains one.

The graph needs a rebuild after many removals: the neighbors of a removed vector have lost a link. When half as many
vectors were removed as there are, about one result in 500 is missed, and then more and more.

Vectors are added by one thread: several threads that add at once do not see each other's vectors, and some of these are
never linked and never found.

Hundreds of equal vectors link only to each other; some of them, and some vectors near them, are missed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from usearch.index import Index

from sparks.model.errors import Damaged
from sparks.vectors.matrix import FREE_ROW, Rows, VectorMatrix
from sparks.vectors.port import Neighbor, Vector

CONNECTIVITY: Final = 24
EXPANSION_ADD: Final = 96  # candidates that usearch keeps while it adds, and below while it searches
EXPANSION_SEARCH: Final = 64  # with 96, a search of 100,000 faces finds 1 in 2,000 more and takes half as long again
FIRST_BLANK: Final = 1 << 62
MIN_REMOVED: Final = 100  # removed vectors that never require a rebuild
MAX_EXHAUSTIVE: Final = 5000  # faces: up to so many, comparing all is as fast as the graph
GRAPH_FACTOR: Final = 4  # with fewer than so many faces for each result, a search would visit nearly the whole graph


class HnswGraph:
    def __init__(self, dimensions: int) -> None:
        self._index = _index(dimensions)
        self._blank = np.zeros(dimensions, np.float32)
        self._blanks: list[int] = []
        self._next_blank = FIRST_BLANK
        self._dropped = 0

    @classmethod
    def of(cls, dumped: memoryview, dimensions: int) -> "HnswGraph":
        """The graph from `dump`; Damaged where it cannot be read or has other dimensions."""
        graph = cls(dimensions)
        try:
            graph._index.load(dumped)
        except (RuntimeError, ValueError) as error:
            raise Damaged(f"not a graph of vectors: {error}") from error
        if graph._index.ndim != dimensions:
            raise Damaged(f"a graph of {graph._index.ndim} dimensions, not of {dimensions}")
        keys = np.asarray(graph._index.keys[:])
        graph._blanks = [int(key) for key in keys[keys >= FIRST_BLANK]]
        graph._next_blank = max(graph._blanks, default=FIRST_BLANK) + 1
        graph._dropped = len(graph._blanks)
        return graph

    @property
    def needs_rebuild(self) -> bool:
        return self._dropped > max(MIN_REMOVED, len(self._index) // 2)

    def __contains__(self, row: int) -> bool:
        return bool(self._index.contains(row))

    def put(self, rows: Rows, vectors: Vector) -> None:
        """Adds each row with its vector; none of them may be in the graph yet."""
        refilled = min(len(rows), len(self._blanks))
        for row, vector in zip(rows[:refilled], vectors[:refilled], strict=True):
            self._index.remove(self._blanks.pop())
            self._index.add(int(row), vector, threads=1)
        if refilled < len(rows):
            self._index.add(rows[refilled:].astype(np.uint64), vectors[refilled:], threads=1)

    def drop(self, row: int) -> None:
        """Puts a blank in place of the vector; see [Note: blanks]."""
        self._index.remove(row)
        self._index.add(self._next_blank, self._blank, threads=1)
        self._blanks.append(self._next_blank)
        self._next_blank += 1
        self._dropped += 1

    def nearest(self, vector: Vector, k: int, at_least: float) -> Rows:
        """About k rows, or all that are similar enough. Searches wider only where blanks take up the results."""
        count, total = k, len(self._index)
        while True:
            found, similarities = self._search(vector, min(count, total))
            rows = found[found < FIRST_BLANK]
            if len(rows) >= k or count >= total or similarities.min(initial=1) < at_least:
                return rows[:k].astype(np.intp)
            count *= 2

    def dump(self) -> memoryview:
        return memoryview(self._index.save() or b"")

    def _search(self, vector: Vector, k: int) -> tuple[NDArray[np.uint64], NDArray[Any]]:
        matches = self._index.search(vector, k, threads=1)
        return matches.keys, 1 - matches.distances


def _index(dimensions: int) -> Index:
    return Index(
        ndim=dimensions,
        metric="ip",
        dtype="f16",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
    )


@dataclass(frozen=True, slots=True, eq=False)
class IndexSnapshot:
    """An index at one moment, ready to be written: the id of each row, the half floats, and the graph of usearch."""

    names: Sequence[str]
    matrix: NDArray[np.float16]
    graph: memoryview
    position: datetime | None


class AnnIndex:
    """Up to `max_exhaustive` faces, a search compares all vectors and does not use the graph."""

    def __init__(self, dimensions: int, *, max_exhaustive: int = MAX_EXHAUSTIVE) -> None:
        self._dimensions = dimensions
        self._max_exhaustive = max_exhaustive
        self._vectors = VectorMatrix(dimensions)
        self._graph = HnswGraph(dimensions)
        self._changed_rows: set[int] = set()

    @classmethod
    def of(cls, snapshot: IndexSnapshot, *, max_exhaustive: int = MAX_EXHAUSTIVE) -> "AnnIndex":
        """Damaged where the graph of the snapshot cannot be read."""
        index = cls(snapshot.matrix.shape[1], max_exhaustive=max_exhaustive)
        index._vectors = VectorMatrix.of(snapshot.names, snapshot.matrix)
        index._graph = HnswGraph.of(snapshot.graph, index._dimensions)
        return index

    def __len__(self) -> int:
        return len(self._vectors)

    def __contains__(self, face_id: str) -> bool:
        return face_id in self._vectors

    def ids(self) -> set[str]:
        return set(self._vectors)

    def put(self, face_ids: Sequence[str], units: Vector) -> bool:
        """Adds vectors of length one; each id occurs once. Returns whether they replaced other vectors."""
        halves = units.astype(np.float16)
        new = [place for place, face_id in enumerate(face_ids) if not self._vectors.holds(face_id, halves[place])]
        replaced = [self.drop(face_ids[place]) for place in new]
        rows = [self._vectors.put(face_ids[place], halves[place]) for place in new]
        self._changed_rows.update(rows)
        self._graph.put(np.array(rows, np.intp), halves[new].astype(np.float32))
        return any(replaced)

    def drop(self, face_id: str) -> bool:
        """Removes the face; returns whether it was there."""
        row = self._vectors.drop(face_id)
        if row is not None:
            self._graph.drop(row)
            self._changed_rows.add(row)
        return row is not None

    def nearest(self, unit: Vector, k: int, at_least: float, within: Collection[str] | None) -> list[Neighbor]:
        if within is not None:
            return self._vectors.most_similar(unit, k, at_least, among=self._vectors.rows(frozenset(within)))
        if len(self) <= max(self._max_exhaustive, GRAPH_FACTOR * k) or self.needs_rebuild:
            return self._vectors.most_similar(unit, k, at_least)
        return self._vectors.most_similar(unit, k, at_least, among=self._graph.nearest(unit, k, at_least))

    @property
    def needs_rebuild(self) -> bool:
        """Whether so many vectors were removed that the graph misses some. Until a rebuild, a search compares all."""
        return len(self) > self._max_exhaustive and self._graph.needs_rebuild

    def begin_rebuild(self) -> tuple[Rows, Vector]:
        """The rows and vectors from which `built_graph` makes a new graph, while this index stays in use."""
        self._changed_rows.clear()
        rows = self._vectors.rows(self._vectors)
        return rows, self._vectors.matrix[rows]

    def finish_rebuild(self, graph: HnswGraph) -> None:
        """Applies the changes since `begin_rebuild` to the new graph, and uses it from now on."""
        for row in self._changed_rows:
            if row in graph:
                graph.drop(row)
        total = np.array([row for row in self._changed_rows if self._vectors.names[row] != FREE_ROW], np.intp)
        graph.put(total, self._vectors.matrix[total])
        self._graph = graph

    def snapshot(self, position: datetime | None) -> IndexSnapshot:
        matrix = np.array(self._vectors.matrix, np.float16)
        return IndexSnapshot(list(self._vectors.names), matrix, self._graph.dump(), position)


def built_graph(rows: Rows, vectors: Vector) -> HnswGraph:
    """A new graph with these vectors."""
    graph = HnswGraph(vectors.shape[1])
    graph.put(rows, vectors)
    return graph
