"""A selfie is compared with every face: how many of the same person it finds, and how many of others.

A helper of `benchmarks.faces`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sparks.people.clustering.face_columns import FaceColumns

WRONG: Final = 1e-4  # of all comparisons with another person: one in 10,000


@dataclass(frozen=True, slots=True)
class Search:
    """From `threshold` on, `recall` of a person's other faces were found, and `wrong` faces of others, by a selfie."""

    threshold: float
    recall: float
    wrong: float


class Selfies:
    """Every labelled face once as a selfie, against all the others: those without a label may be of any person."""

    def __init__(self, faces: FaceColumns, labels: Mapping[str, str]) -> None:
        known = faces.only(labels.keys())
        whose = np.array([labels[face_id] for face_id in known.ids])
        self._similar: NDArray[np.float32] = known.vectors @ known.vectors.T
        self._same: NDArray[np.bool_] = whose[:, None] == whose[None, :]
        self._other = ~self._same
        np.fill_diagonal(self._same, val=False)

    def strict(self) -> Search:
        """At the lowest threshold with one wrong face in 10,000 comparisons."""
        wrong = np.sort(self._similar[self._other])
        allowed = int(WRONG * len(wrong))
        return self.at(float(np.nextafter(wrong[-allowed - 1], np.float32(2))))

    def at(self, threshold: float) -> Search:
        found = self._similar >= threshold
        there = self._same.sum(axis=1)
        shares = (found & self._same).sum(axis=1)[there > 0] / there[there > 0]
        return Search(threshold, float(shares.mean()), float((found & self._other).sum(axis=1).mean()))
