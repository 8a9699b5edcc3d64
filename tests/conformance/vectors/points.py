"""Vectors for tests: random directions, directions in groups like faces, and their bytes on a disk."""

from datetime import UTC, datetime
from typing import Final

import numpy as np

from sparks.vectors.checks import unit_vectors
from sparks.vectors.port import Neighbor, Vector

DIMENSIONS: Final = 16
AT: Final = datetime(2025, 8, 1, 12, 0, tzinfo=UTC)


def drawn(count: int, dimensions: int = DIMENSIONS, *, seed: int = 1) -> Vector:
    """Random directions."""
    numbers = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return unit_vectors(numbers, dimensions) if count else numbers


def in_groups(count: int, dimensions: int, *, groups: int, spread: float = 0.05, seed: int = 1) -> Vector:
    """Directions around those of so many groups, like the faces of persons."""
    random = np.random.default_rng(seed)
    centres = drawn(groups, dimensions, seed=seed)[random.integers(0, groups, count)]
    return unit_vectors(centres + spread * random.standard_normal(centres.shape).astype(np.float32), dimensions)


def axis(number: int, dimensions: int = DIMENSIONS) -> Vector:
    vector = np.zeros(dimensions, np.float32)
    vector[number] = 1
    return vector


def names(count: int) -> list[str]:
    return [f"face-{number:06}" for number in range(count)]


def ids(found: list[Neighbor]) -> list[str]:
    return [near.face_id for near in found]


def as_written(vector: Vector) -> bytes:
    """The vector as bytes of half floats."""
    return bytes(vector.astype("<f2").tobytes())
