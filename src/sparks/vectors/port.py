"""Port of vector stores: add, remove, and nearest by cosine similarity.

A face id is a text of 1 to 200 bytes of UTF-8. A vector has `dimensions` numbers, all finite and not all 0; its length
does not matter. Every adapter raises BadInput for anything else. Vectors are stored as half floats, so a similarity
(the cosine: 1 for the same direction, 0 for orthogonal ones, -1 for opposite ones) is accurate to a thousandth.

The rows of faces in the table are authoritative. A vector store is made from them and may lag behind, so a caller that
shows or decides something reads the rows of the faces that it found.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]

MAX_ID_BYTES: Final = 200
ANY: Final = -1.0  # the least similarity that is possible


class Neighbor(NamedTuple):
    face_id: str
    similarity: float


class Vectors(Protocol):
    @property
    def dimensions(self) -> int:
        """The number of dimensions of a vector."""

    def add(self, face_id: str, vector: Vector) -> None:
        """Adds the vector and replaces an earlier one of the same face, which is erased as by `remove`."""

    def add_many(self, face_ids: Sequence[str], vectors: Vector) -> None:
        """Like `add` for each id with its row of `vectors`, but faster; of repeated ids, the last counts. All are
        checked before the first is added.
        """

    def remove(self, face_id: str) -> None:
        """Removes the face's vector, which no search finds from now on. Within seconds, or when `save` returns, no part
        of it is left on a disk. A face that is not in memory is no error; the disk is cleared of it, too.
        """

    def nearest(
        self, vector: Vector, k: int, at_least: float = ANY, *, within: Collection[str] | None = None
    ) -> list[Neighbor]:
        """The `k` (at least 1) most similar faces with a similarity of `at_least`, the most similar first, and equal
        ones by their ids.

        With `within`, searches only these faces and misses none; unknown ids are skipped. Otherwise an adapter may miss
        a few of very many faces, and choose among equally similar ones.
        """

    def ids(self) -> set[str]:
        """The ids of all faces."""

    def count(self) -> int:
        """The number of faces."""

    def position(self) -> datetime | None:
        """The time up to which changes of faces were applied; None before the first `advance`."""

    def advance(self, position: datetime) -> None:
        """Sets `position`, which is saved with the vectors."""

    def save(self) -> None:
        """Writes the vectors to the disk, if there is one, and erases removed ones from it; durable when it returns.
        Runs by itself some time after a change, and within seconds after a removal.
        """

    def close(self) -> None:
        """Saves, and frees memory and files. Closing twice is allowed."""
