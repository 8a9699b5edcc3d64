"""Vectors: faces as points, of which those near to a given one are told.

A face's id is a text of 1 to 200 bytes of UTF-8. A vector has as many numbers as `dimensions` says, all finite and not
all of them 0; its length says nothing. Anything else is a BadInput, on every adapter. Vectors are kept as half floats,
so a similarity (the cosine: 1 for the same direction, 0 across, -1 for the opposite) is right to a thousandth.

What is kept here is never the truth: it is made from the faces' rows in the table, and may be behind them. Whoever
shows or decides something reads the rows of the faces that were found.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]

MOST_ID_BYTES: Final = 200
ANY: Final = -1.0  # what every vector is similar at least


class Near(NamedTuple):
    face_id: str
    similarity: float


class Vectors(Protocol):
    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    def add(self, face_id: str, vector: Vector) -> None:
        """Found from now on, in place of an earlier vector of the same face, which is erased as by `remove`."""

    def add_many(self, face_ids: Sequence[str], vectors: Vector) -> None:
        """As `add` for each of the ids with its row of `vectors`, and faster; the last one of an id counts. All are
        looked at before the first is added.
        """

    def remove(self, face_id: str) -> None:
        """Not found any more, and soon nowhere in what is kept on a disk: no part of the vector is left there within
        seconds, or when `save` returns. Nothing there: nothing happens, but that what is on the disk is cleared too.
        """

    def nearest(
        self, vector: Vector, k: int, at_least: float = ANY, *, within: Collection[str] | None = None
    ) -> list[Near]:
        """The `k` (at least 1) most similar ones whose similarity is `at_least` that, the most similar first and equals
        by their ids.

        With `within`, only of these faces, and then none is missed; ids that are not there are passed over. Without, an
        adapter may miss a few of very many, and choose among equals which of them are the k.
        """

    def ids(self) -> set[str]:
        """The faces that are there."""

    def count(self) -> int:
        """How many faces are there."""

    def position(self) -> datetime | None:
        """Up to when the faces that came and went are known here; None before `advance` was called for the first time,
        ever.
        """

    def advance(self, position: datetime) -> None:
        """Notes what `position` is to tell, now and where these vectors are opened again."""

    def save(self) -> None:
        """Keeps what is there on the disk, where there is one, and clears it of what was removed; durable when it
        returns. Happens by itself some time after a change, and within seconds after a removal.
        """

    def close(self) -> None:
        """Saves, and gives back memory and files. Closing twice is fine."""
