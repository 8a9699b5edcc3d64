"""When two groups of faces are one person: the thresholds, and how much agreement each asks for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Similarities are cosines.

    Two faces alone join at `strong`. The more pairs of faces agree, the nearer their average may come to `candidate`;
    below that nothing joins, and what lies between is asked of a human. A face below `founding_quality` may join a
    group, and neither founds one nor speaks for it. From `twin` on two faces are the same moment, seen twice.

    [Note: repeats] Ten frames of a burst are one witness, not ten. Photos of one person that were taken apart are
    seldom more alike than `repeat`, so faces of a group count for less the further their average lies above it.
    """

    candidate: float = 0.42
    strong: float = 0.49
    repeat: float = 0.75
    twin: float = 0.85
    founding_quality: float = 0.4

    def needed(self, pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The average similarity at which groups join that have so many pairs of witnesses between them."""
        return self.candidate + (self.strong - self.candidate) / np.maximum(pairs, 1.0)

    def witnesses(self, count: int, squared_length: float) -> float:
        """How many faces speak for a group of so many, whose vectors' sum has this length, squared."""
        if count < 2:
            return float(count)
        alike = (squared_length - count) / (count * (count - 1))
        repeated = min(1.0, max(0.0, (alike - self.repeat) / (1.0 - self.repeat)))
        return count / (1.0 + (count - 1) * repeated)
