"""How well persons match labels: BCubed, the same vectors through two other ways to group, and faces in random order.

A helper of `benchmarks.faces`: it takes the faces that the pipeline found, and measures no time.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Final, TypeAlias

import numpy as np

from benchmarks.frame import Figure
from sparks.people.groups.arrival import clear_match, near_faces, regroup
from sparks.people.groups.edges import Nearest
from sparks.people.groups.faces import Faces, Vectors
from sparks.people.groups.grouping import group_faces
from sparks.people.groups.matching import match_persons
from sparks.people.groups.rule import Rule

ORDERS: Final = 20
BATCH: Final = 40  # faces that come between two runs of the incremental job
PEERS_AT: Final = 0.49  # chosen as ours was: the lowest with a precision of .995 in all random subsets
THRESHOLDS: Final = tuple(at / 100 for at in range(44, 55))
ROUNDS: Final = 30  # of Chinese Whispers
DBSCAN_FACES: Final = 3

Way: TypeAlias = Callable[[Faces, float], Mapping[str, Hashable]]


@dataclass(frozen=True, slots=True)
class Score:
    precision: float
    recall: float

    @property
    def f(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def people_figures(faces: Faces, labels: Mapping[str, str], rule: Rule) -> list[Figure]:
    """`labels` are of the faces that count; the others are grouped too, and not judged."""
    full = bcubed(grouped(faces, rule), labels)
    orders = [bcubed(arrived(faces, rule, seed), labels).f for seed in range(ORDERS)]
    return [
        Figure("bcubed_f", full.f, f"BCubed F of {len(labels)} labelled faces among {len(faces)}", ">= 0.985"),
        Figure("bcubed_precision", full.precision, "BCubed precision", ">= 0.995"),
        Figure("bcubed_recall", full.recall, "BCubed recall"),
        Figure(
            "dbscan3_f", bcubed(dbscan(faces, PEERS_AT), labels).f, f"F of DBSCAN, 3 faces, at {PEERS_AT}", "< ours"
        ),
        Figure(
            "whispers_f", bcubed(whispers(faces, PEERS_AT), labels).f, f"F of Chinese Whispers at {PEERS_AT}", "< ours"
        ),
        Figure("dbscan3_best_f", best(dbscan, faces, labels), "F of DBSCAN at the threshold that the labels like best"),
        Figure("whispers_best_f", best(whispers, faces, labels), "F of Chinese Whispers, likewise"),
        Figure("incremental_f_std", pstdev(orders), f"standard deviation of F, {ORDERS} orders of arrival", "< 0.005"),
        Figure("incremental_vs_full", abs(full.f - fmean(orders)), "their mean F, apart from the full one", "<= 0.01"),
    ]


def bcubed(group_of: Mapping[str, Hashable], labels: Mapping[str, str]) -> Score:
    """Means over the labelled faces; one without a group is alone. Bagga and Baldwin, 1998."""
    group = {face: group_of.get(face, ("alone", face)) for face in labels}
    both = Counter((group[face], labels[face]) for face in labels)
    groups, persons = Counter(group.values()), Counter(labels.values())
    return Score(
        fmean(both[group[face], label] / groups[group[face]] for face, label in labels.items()),
        fmean(both[group[face], label] / persons[label] for face, label in labels.items()),
    )


def grouped(faces: Faces, rule: Rule) -> dict[str, int]:
    groups = group_faces(faces, rule=rule).groups
    return {face: at for at, group in enumerate(groups) for face in group.faces}


# -- As they come


def arrived(faces: Faces, rule: Rule, seed: int, batch: int = BATCH) -> dict[str, str]:
    """Photos in a random order: clear faces are assigned at once, and the incremental job runs after each batch."""
    library = Arriving(faces, rule)
    for photos in batches(faces, seed, batch):
        library.take(photos)
    return library.person_of


def batches(faces: Faces, seed: int, batch: int) -> Iterator[list[str]]:
    by_photo: dict[str, list[str]] = defaultdict(list)
    for face, photo in zip(faces.ids, faces.photos, strict=True):
        by_photo[photo].append(face)
    photos = sorted(by_photo)
    random.Random(seed).shuffle(photos)
    coming: list[str] = []
    for photo in photos:
        coming += by_photo[photo]
        if len(coming) >= batch:
            yield coming
            coming = []
    yield coming


class Arriving:
    """A library in memory that does what the jobs do."""

    def __init__(self, faces: Faces, rule: Rule) -> None:
        self.faces = faces
        self.rule = rule
        self.person_of: dict[str, str] = {}
        self._here: list[str] = []
        self._numbers = 0

    def take(self, coming: Sequence[str]) -> None:
        for face in coming:
            self._assign_if_clear(face)
            self._here.append(face)
        waiting = [face for face in self._here if face not in self.person_of]
        near = near_faces(self.faces.only({*coming, *waiting}), nearest=self._nearest(), rule=self.rule)
        self._settle({*coming, *waiting}, self._known({*near, *coming}))

    def _assign_if_clear(self, face: str) -> None:
        row = self.faces.row_of[face]
        vector = self.faces.vectors[row]
        near = self._known(other for other, _ in self._nearest()(vector, 32, self.rule.candidate))
        person = clear_match(vector, self.faces.photos[row], near, rule=self.rule)
        if person is not None:
            self.person_of[face] = person

    def _settle(self, new: set[str], known: Mapping[str, Faces]) -> None:
        grouping, _ = regroup(self.faces.only(new), known, rule=self.rule)
        for face in grouping.waiting:
            self.person_of.pop(face, None)
        for group in match_persons(grouping.groups, self.person_of):
            for face in group.faces:
                self.person_of[face] = group.person_id or f"person{self._numbers + 1}"
            self._numbers += group.person_id is None

    def _known(self, near: Iterable[str]) -> dict[str, Faces]:
        persons = {self.person_of[face] for face in near if face in self.person_of}
        members: dict[str, set[str]] = {person: set() for person in sorted(persons)}
        for face, person in self.person_of.items():
            if person in members:
                members[person].add(face)
        return {person: self.faces.only(faces) for person, faces in members.items()}

    def _nearest(self) -> Nearest:
        return nearest_among(self.faces.only(self._here))


def nearest_among(faces: Faces) -> Nearest:
    def nearest(vector: Vectors, most: int, at_least: float) -> list[tuple[str, float]]:
        similar = faces.vectors @ vector if len(faces) else np.zeros(0, np.float32)
        order = np.argsort(-similar, kind="stable")[:most]
        return [(faces.ids[row], float(similar[row])) for row in order if similar[row] >= at_least]

    return nearest


# -- The others


def best(way: Way, faces: Faces, labels: Mapping[str, str]) -> float:
    """The highest F of any threshold: more than a user gets, who has no labels to choose by."""
    return max(bcubed(way(faces, threshold), labels).f for threshold in THRESHOLDS)


def dbscan(faces: Faces, threshold: float) -> dict[str, int]:
    """A face with three near ones, itself among them, is a core; what is near to one is in its group. Ester, 1996."""
    near = neighbours(faces, threshold)
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


def whispers(faces: Faces, threshold: float) -> dict[str, int]:
    """Each face takes the group that is heard loudest among its near ones, in a random order, again and again.

    Biemann, 2006, with similarities as weights, as dlib does it.
    """
    near = neighbours(faces, threshold)
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


def neighbours(faces: Faces, threshold: float) -> list[list[int]]:
    similar = faces.vectors @ faces.vectors.T
    np.fill_diagonal(similar, -1)
    return [np.flatnonzero(row >= threshold).tolist() for row in similar]
