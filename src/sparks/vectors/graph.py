"""The graph of neighbours that usearch keeps (HNSW), over the rows of a shelf.

[Note: blanks] usearch only marks what is removed: the vector stays in its place, and so in what is saved, until another
one takes that place, and of several free places the oldest is taken first. So a place is never left free. Whatever is
removed is followed at once by a blank, a vector of zeros under a key of its own, which takes exactly that place; a
blank makes room for the next vector that is added. A blank's similarity to everything is 0, and it is never told.

[Note: wear] Those who were linked to what is gone have lost a neighbour. Where half as many were removed as there are,
about one of 500 is missed, and from there on ever more: the graph is worn, and has to be built anew.

[Note: one thread] Several threads that add at once do not see each other's vectors: some are linked from nowhere, and
never found.

[Note: twins] Hundreds of equal vectors link to each other only, and some of them, and of those behind them, are missed.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from usearch.index import Index

from sparks.model.errors import Damaged
from sparks.vectors.port import Vector
from sparks.vectors.shelf import Rows

NEIGHBOURS: Final = 24
WIDTH_ADDING: Final = 96  # how many are looked at on the way to a place, and to an answer
WIDTH_ASKING: Final = 64  # of 100,000 faces, 96 would find one more in 2,000, for half as much time again
FIRST_BLANK: Final = 1 << 62
SOME: Final = 100  # removed ones, which no graph minds


class Graph:
    def __init__(self, dimensions: int) -> None:
        self._index = _index(dimensions)
        self._blank = np.zeros(dimensions, np.float32)
        self._blanks: list[int] = []
        self._next_blank = FIRST_BLANK
        self._dropped = 0

    @classmethod
    def of(cls, dumped: memoryview, dimensions: int) -> "Graph":
        """What `dump` gave; Damaged where it is none, or of other dimensions."""
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
    def is_worn(self) -> bool:
        return self._dropped > max(SOME, len(self._index) // 2)

    def __contains__(self, row: int) -> bool:
        return bool(self._index.contains(row))

    def put(self, rows: Rows, vectors: Vector) -> None:
        """Each row with its vector, none of them there yet."""
        refilled = min(len(rows), len(self._blanks))
        for row, vector in zip(rows[:refilled], vectors[:refilled], strict=True):
            self._index.remove(self._blanks.pop())
            self._index.add(int(row), vector, threads=1)
        if refilled < len(rows):
            self._index.add(rows[refilled:].astype(np.uint64), vectors[refilled:], threads=1)

    def drop(self, row: int) -> None:
        self._index.remove(row)
        self._index.add(self._next_blank, self._blank, threads=1)
        self._blanks.append(self._next_blank)
        self._next_blank += 1
        self._dropped += 1

    def near(self, vector: Vector, k: int, at_least: float) -> Rows:
        """About k rows, or all that are similar enough: blanks are asked past only where they are in the way."""
        wanted, there = k, len(self._index)
        while True:
            found, similarities = self._ask(vector, min(wanted, there))
            rows = found[found < FIRST_BLANK]
            if len(rows) >= k or wanted >= there or similarities.min(initial=1) < at_least:
                return rows[:k].astype(np.intp)
            wanted *= 2

    def dump(self) -> memoryview:
        return memoryview(self._index.save() or b"")

    def _ask(self, vector: Vector, k: int) -> tuple[NDArray[np.uint64], NDArray[Any]]:
        matches = self._index.search(vector, k, threads=1)
        return matches.keys, 1 - matches.distances


def _index(dimensions: int) -> Index:
    return Index(
        ndim=dimensions,
        metric="ip",
        dtype="f16",
        connectivity=NEIGHBOURS,
        expansion_add=WIDTH_ADDING,
        expansion_search=WIDTH_ASKING,
    )
