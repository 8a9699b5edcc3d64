"""Vectors to try adapters with: directions, like faces in groups, and as they are written to a disk."""

from datetime import UTC, datetime
from typing import Final

import numpy as np

from sparks.vectors.checks import unit_vectors
from sparks.vectors.port import Near, Vector

DIMENSIONS: Final = 16
AT: Final = datetime(2025, 8, 1, 12, 0, tzinfo=UTC)


def drawn(count: int, dimensions: int = DIMENSIONS, *, seed: int = 1) -> Vector:
    """Any directions."""
    numbers = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return unit_vectors(numbers, dimensions) if count else numbers


def in_groups(count: int, dimensions: int, *, groups: int, spread: float = 0.05, seed: int = 1) -> Vector:
    """Directions about those of so many groups, as faces lie about persons."""
    random = np.random.default_rng(seed)
    centres = drawn(groups, dimensions, seed=seed)[random.integers(0, groups, count)]
    return unit_vectors(centres + spread * random.standard_normal(centres.shape).astype(np.float32), dimensions)


def axis(number: int, dimensions: int = DIMENSIONS) -> Vector:
    vector = np.zeros(dimensions, np.float32)
    vector[number] = 1
    return vector


def names(count: int) -> list[str]:
    return [f"face-{number:06}" for number in range(count)]


def ids(found: list[Near]) -> list[str]:
    return [near.face_id for near in found]


def as_written(vector: Vector) -> bytes:
    """As half floats."""
    return bytes(vector.astype("<f2").tobytes())
