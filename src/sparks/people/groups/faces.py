"""Faces as columns: what grouping needs to know of them, in an order that is always the same."""

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
class Faces:
    """`vectors` has one row of length one a face. Made by `faces_of`, which puts them in the order of their ids."""

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
        """One number a photo, the same for faces of the same one."""
        numbers = {photo: number for number, photo in enumerate(dict.fromkeys(self.photos))}
        return np.fromiter((numbers[photo] for photo in self.photos), np.int32, len(self))

    def rows(self, face_ids: Iterable[str]) -> list[int]:
        """Where these faces are, ascending; those that are not here have no row."""
        return sorted({self.row_of[face_id] for face_id in face_ids if face_id in self.row_of})

    def only(self, face_ids: Collection[str]) -> "Faces":
        rows = self.rows(face_ids)
        return Faces(
            tuple(self.ids[row] for row in rows),
            tuple(self.photos[row] for row in rows),
            self.vectors[rows],
            self.quality[rows],
        )


def faces_of(ids: Sequence[str], photos: Sequence[str], vectors: ArrayLike, quality: ArrayLike) -> Faces:
    """In the order of the ids, whatever the order given; a face that is given twice is there once."""
    firsts = {face_id: row for row, face_id in reversed(list(enumerate(ids)))}
    order = [firsts[face_id] for face_id in sorted(firsts)]
    wide = np.asarray(vectors, np.float32)[order] if order else np.zeros((0, 0), np.float32)
    return Faces(
        tuple(ids[row] for row in order),
        tuple(photos[row] for row in order),
        _of_length_one(wide),
        np.asarray(quality, np.float32)[order] if order else np.zeros(0, np.float32),
    )


def joined(parts: Iterable[Faces]) -> Faces:
    """All faces of all parts."""
    known = [part for part in parts if len(part)]
    if not known:
        return faces_of((), (), (), ())
    return faces_of(
        [face_id for part in known for face_id in part.ids],
        [photo for part in known for photo in part.photos],
        np.concatenate([part.vectors for part in known]),
        np.concatenate([part.quality for part in known]),
    )


def _of_length_one(vectors: Vectors) -> Vectors:
    """A vector of zeros stays one: it is like nobody. One that has the length keeps its very bits, however often."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    has_length = (lengths == 0) | (np.abs(lengths - 1) < ROUNDING)
    scaled: Vectors = (vectors / np.where(has_length, 1, lengths)).astype(np.float32)
    return scaled
