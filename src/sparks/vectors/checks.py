"""Argument checks shared by the vector adapters."""

from collections.abc import Sequence

import numpy as np

from sparks.model.errors import BadInput
from sparks.vectors.port import MAX_ID_BYTES, Vector


def check_ids(face_ids: Sequence[str]) -> None:
    for face_id in face_ids:
        if not 0 < len(face_id.encode(errors="replace")) <= MAX_ID_BYTES or not _is_text(face_id):
            raise BadInput(f"not a face id: {face_id[:40]!r}")


def unit_vector(vector: Vector, dimensions: int) -> Vector:
    """The vector scaled to length one."""
    unit: Vector = unit_vectors(np.asarray(vector)[np.newaxis], dimensions)[0]
    return unit


def unit_vectors(vectors: Vector, dimensions: int) -> Vector:
    """Each row scaled to length one, in double precision: squares of single floats may overflow."""
    wide = np.asarray(vectors, np.float64)
    if wide.ndim != 2 or wide.shape[1] != dimensions:
        raise BadInput(f"a vector must have {dimensions} numbers, not {wide.shape[-1] if wide.shape else 'one'}")
    largest = np.abs(wide).max(axis=1, initial=0.0, keepdims=True)
    if not (np.isfinite(largest) & (largest > 0)).all():
        raise BadInput("a vector needs a direction: its numbers are all 0, or not all finite")
    scaled = wide / largest
    units: Vector = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
    return units


def check_nearest(k: int, at_least: float) -> None:
    if k < 1:
        raise BadInput(f"k must be at least 1, not {k}")
    if np.isnan(at_least):
        raise BadInput("a similarity must be a number")


def check_pairs(face_ids: Sequence[str], vectors: Vector) -> None:
    if len(face_ids) != len(vectors):
        raise BadInput(f"there are {len(face_ids)} faces but {len(vectors)} vectors")


def _is_text(face_id: str) -> bool:
    """Whether there are no surrogates, which cannot be encoded."""
    return not any("\ud800" <= letter <= "\udfff" for letter in face_id)
