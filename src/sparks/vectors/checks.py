"""What an id and a vector may be, checked alike by every adapter."""

from collections.abc import Sequence

import numpy as np

from sparks.model.errors import BadInput
from sparks.vectors.port import MOST_ID_BYTES, Vector


def check_ids(face_ids: Sequence[str]) -> None:
    for face_id in face_ids:
        if not 0 < len(face_id.encode(errors="replace")) <= MOST_ID_BYTES or not _is_text(face_id):
            raise BadInput(f"not a face's id: {face_id[:40]!r}")


def unit_vector(vector: Vector, dimensions: int) -> Vector:
    """The same direction, with length one."""
    unit: Vector = unit_vectors(np.asarray(vector)[np.newaxis], dimensions)[0]
    return unit


def unit_vectors(vectors: Vector, dimensions: int) -> Vector:
    """Each row with length one. [Note: large numbers] Squares of floats overflow: double ones have room."""
    wide = np.asarray(vectors, np.float64)
    if wide.ndim != 2 or wide.shape[1] != dimensions:
        raise BadInput(f"a vector has {dimensions} numbers here, not {wide.shape[-1] if wide.shape else 'one'}")
    largest = np.abs(wide).max(axis=1, initial=0.0, keepdims=True)
    if not (np.isfinite(largest) & (largest > 0)).all():
        raise BadInput("a vector tells no direction: its numbers are all 0, or not all finite")
    scaled = wide / largest
    units: Vector = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
    return units


def check_asked(k: int, at_least: float) -> None:
    if k < 1:
        raise BadInput(f"at least 1 face can be asked for, not {k}")
    if np.isnan(at_least):
        raise BadInput("a similarity is a number")


def check_pairs(face_ids: Sequence[str], vectors: Vector) -> None:
    if len(face_ids) != len(vectors):
        raise BadInput(f"{len(face_ids)} faces and {len(vectors)} vectors do not pair up")


def _is_text(face_id: str) -> bool:
    """Without half characters, which cannot be written."""
    return not any("\ud800" <= letter <= "\udfff" for letter in face_id)
