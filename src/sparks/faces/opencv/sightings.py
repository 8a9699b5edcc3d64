"""Sightings: what the detector tells of faces, a row each, and which of them are the same face. Plain geometry.

A row is left, top, width and height of the box, then x and y of the right eye, the left eye, the nose and the corners
of the mouth (right and left as the person would say), then the score: fifteen numbers, all but the last in pixels.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Sightings = NDArray[np.float32]
Sighting = NDArray[np.float32]
Areas = NDArray[np.float32]

COLUMNS: Final = 15
SCORE: Final = 14
LANDMARKS: Final = slice(4, 14)
SAME: Final = 0.3  # of what both boxes cover together
WITHIN: Final = 0.7  # of the smaller box

NONE: Final[Sightings] = np.zeros((0, COLUMNS), np.float32)

# Where the landmarks of a face that looks at us lie in its box.
_USUAL: Final = np.array([[0.31, 0.43], [0.69, 0.43], [0.5, 0.61], [0.35, 0.78], [0.65, 0.78]])


def scaled(seen: Sightings, factor: float) -> Sightings:
    result = seen.copy()
    result[:, :SCORE] *= factor
    return result


def moved(seen: Sightings, right: float, down: float) -> Sightings:
    result = seen.copy()
    result[:, [0, *range(4, 14, 2)]] += right
    result[:, [1, *range(5, 14, 2)]] += down
    return result


def merged(seen: Sightings) -> Sightings:
    """Each face once, by its surest sighting; the surest first."""
    rest = seen[np.argsort(-seen[:, SCORE], kind="stable")]
    kept = []
    while len(rest):
        kept.append(rest[0])
        rest = rest[~_is_same(rest[0], rest)]
    return np.array(kept) if kept else NONE


def joined(seen: Sightings, others: Sightings) -> Sightings:
    """With those of the others that are another face."""
    new = [one for one in others if not _is_same(one, seen).any()]
    return np.concatenate([seen, np.array(new)]) if new else seen


def most_important(seen: Sightings, count: int) -> Sightings:
    """The large and sure ones first."""
    weight = seen[:, SCORE] * np.sqrt(np.maximum(seen[:, 2] * seen[:, 3], 0))
    return seen[np.argsort(-weight, kind="stable")[:count]]


def guess(left: float, top: float, width: float, height: float) -> Sighting:
    """A face in this box that nobody but a human has seen: its landmarks are where they usually are."""
    points = _USUAL * (width, height) + (left, top)
    return np.array([left, top, width, height, *points.ravel(), 0.0], np.float32)


def overlaps(one: Sighting, others: Sightings) -> Areas:
    """The area shared with each, as a share of what both cover together."""
    shared, own, theirs = _areas(one, others)
    return np.asarray(shared / np.maximum(own + theirs - shared, 1e-9))


def _is_same(one: Sighting, others: Sightings) -> NDArray[np.bool_]:
    shared, own, theirs = _areas(one, others)
    return (overlaps(one, others) > SAME) | (shared > WITHIN * np.minimum(own, theirs))


def _areas(one: Sighting, others: Sightings) -> tuple[Areas, float, Areas]:
    """Shared with each, of the one, and of each."""
    low = np.maximum(one[:2], others[:, :2])
    high = np.minimum(one[:2] + one[2:4], others[:, :2] + others[:, 2:4])
    shared = np.prod(np.maximum(high - low, 0), axis=1)
    return shared, float(one[2] * one[3]), others[:, 2] * others[:, 3]
