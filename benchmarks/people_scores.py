"""Agreement of persons with labels (BCubed), compared with two other clusterings of the same vectors.

A helper of `benchmarks.faces`: it takes the faces that the pipeline found, and measures no time.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeAlias

import numpy as np

from sparks.people.clustering.face_columns import FaceColumns

PEERS_AT: Final = 0.49  # chosen as ours was: the lowest with a precision of .995 in all random subsets
THRESHOLDS: Final = tuple(at / 100 for at in range(44, 55))
ROUNDS: Final = 30  # of Chinese Whispers
DBSCAN_FACES: Final = 3

Way: TypeAlias = Callable[[FaceColumns, float], Mapping[str, Hashable]]


@dataclass(frozen=True, slots=True)
class Score:
    precision: float
    recall: float

    @property
    def f(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def bcubed(group_of: Mapping[str, Hashable], labels: Mapping[str, str]) -> Score:
    """Means over the labelled faces; one without a group is alone. Bagga and Baldwin, 1998."""
    group = {face: group_of.get(face, ("alone", face)) for face in labels}
    both = Counter((group[face], labels[face]) for face in labels)
    groups, persons = Counter(group.values()), Counter(labels.values())
    return Score(
        fmean(both[group[face], label] / groups[group[face]] for face, label in labels.items()),
        fmean(both[group[face], label] / persons[label] for face, label in labels.items()),
    )


# -- The others


def best(way: Way, faces: FaceColumns, labels: Mapping[str, str]) -> float:
    """The highest F of any threshold: more than a user gets, who has no labels to choose by."""
    return max(bcubed(way(faces, threshold), labels).f for threshold in THRESHOLDS)


def dbscan(faces: FaceColumns, threshold: float) -> dict[str, int]:
    """A face with three near ones, itself among them, is a core; what is near to one is in its group. Ester, 1996."""
    near = neighbors(faces, threshold)
    cores = [row for row, others in enumerate(near) if len(others) + 1 >= DBSCAN_FACES]
    group_of: dict[int, int] = {}
    for core in cores:
        if core not in group_of:
            spread(core, near, set(cores), group_of)
    return {faces.ids[row]: group for row, group in group_of.items()}


def spread(core: int, near: Sequence[Sequence[int]], cores: set[int], group_of: dict[int, int]) -> None:
    group_of[core], reached = core, [core]
    while reached:
        for row in near[reached.pop()]:
            if row not in group_of:
                group_of[row] = core
                reached += [row] if row in cores else []


def whispers(faces: FaceColumns, threshold: float) -> dict[str, int]:
    """Each face takes the group that is heard loudest among its near ones, in a random order, again and again.

    Biemann, 2006, with similarities as weights, as dlib does it.
    """
    near = neighbors(faces, threshold)
    similar = faces.vectors @ faces.vectors.T
    group, order, chance = list(range(len(faces))), list(range(len(faces))), random.Random(0)
    for _ in range(ROUNDS):
        chance.shuffle(order)
        for row in order:
            heard: dict[int, float] = defaultdict(float)
            for other in near[row]:
                heard[group[other]] += float(similar[row, other])
            group[row] = max(sorted(heard), key=heard.__getitem__, default=group[row])
    return dict(zip(faces.ids, group, strict=True))


def neighbors(faces: FaceColumns, threshold: float) -> list[list[int]]:
    similar = faces.vectors @ faces.vectors.T
    np.fill_diagonal(similar, -1)
    return [np.flatnonzero(row >= threshold).tolist() for row in similar]
