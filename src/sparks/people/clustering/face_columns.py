"""Faces as columns of ids, photos, vectors and quality, in a stable order."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vectors: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.int32]

ROUNDING: Final = 1e-6


@dataclass(frozen=True, eq=False)
class FaceColumns:
    """Columns of faces, made by `faces_of` in the order of the ids. Each row of `vectors` has length one, or zero."""

    ids: tuple[str, ...]
    photos: tuple[str, ...]
    vectors: Vectors = field(repr=False)
    quality: NDArray[np.float32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def row_of(self) -> dict[str, int]:
        return {face_id: row for row, face_id in enumerate(self.ids)}

    @cached_property
    def photo_numbers(self) -> Rows:
        """The number of each face's photo; faces of the same photo have the same number."""
        numbers = {photo: number for number, photo in enumerate(dict.fromkeys(self.photos))}
        return np.fromiter((numbers[photo] for photo in self.photos), np.int32, len(self))

    def rows(self, face_ids: Iterable[str]) -> list[int]:
        """The rows of these faces, ascending; unknown ids are ignored."""
        return sorted({self.row_of[face_id] for face_id in face_ids if face_id in self.row_of})

    def only(self, face_ids: Collection[str]) -> "FaceColumns":
        rows = self.rows(face_ids)
        return FaceColumns(
            tuple(self.ids[row] for row in rows),
            tuple(self.photos[row] for row in rows),
            self.vectors[rows],
            self.quality[rows],
        )


def faces_of(ids: Sequence[str], photos: Sequence[str], vectors: ArrayLike, quality: ArrayLike) -> FaceColumns:
    """Columns of these faces, sorted by id; of a face that is given twice, the first is kept."""
    firsts = {face_id: row for row, face_id in reversed(list(enumerate(ids)))}
    order = [firsts[face_id] for face_id in sorted(firsts)]
    matrix = np.asarray(vectors, np.float32)[order] if order else np.zeros((0, 0), np.float32)
    return FaceColumns(
        tuple(ids[row] for row in order),
        tuple(photos[row] for row in order),
        _normalized(matrix),
        np.asarray(quality, np.float32)[order] if order else np.zeros(0, np.float32),
    )


def joined_columns(parts: Iterable[FaceColumns]) -> FaceColumns:
    filled = [part for part in parts if len(part)]
    if not filled:
        return faces_of((), (), (), ())
    return faces_of(
        [face_id for part in filled for face_id in part.ids],
        [photo for part in filled for photo in part.photos],
        np.concatenate([part.vectors for part in filled]),
        np.concatenate([part.quality for part in filled]),
    )


def _normalized(vectors: Vectors) -> Vectors:
    """Each row scaled to length one. A row of zeros stays, and is similar to no face. A row of length one keeps its
    exact bits, so that normalizing again changes nothing.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    stays = (lengths == 0) | (np.abs(lengths - 1) < ROUNDING)
    scaled: Vectors = (vectors / np.where(stays, 1, lengths)).astype(np.float32)
    return scaled
