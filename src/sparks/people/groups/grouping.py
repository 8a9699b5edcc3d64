"""From faces and what humans said about them to groups: one group is one person."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sparks.people.groups.clusters import NOBODY, Clusters
from sparks.people.groups.constraints import Constraints
from sparks.people.groups.edges import Crowd, Nearest, near_edges
from sparks.people.groups.faces import Faces
from sparks.people.groups.followers import join_followers
from sparks.people.groups.linkage import Linkage
from sparks.people.groups.rule import Rule

MOST_DOUBTS: Final = 1000


@dataclass(frozen=True, slots=True)
class Group:
    """Faces of one person, in the order of their ids. `person_id` is who it is, where a human said so."""

    faces: tuple[str, ...]
    person_id: str | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two groups, each by its first face, that may be one person: too much alike to say no, too little to say yes."""

    one: str
    other: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Grouping:
    """`groups` by their first faces; `waiting` are faces of nobody as yet; `doubts` the likeliest first."""

    groups: tuple[Group, ...]
    waiting: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def group_faces(
    faces: Faces,
    *,
    rule: Rule,
    constraints: Constraints | None = None,
    nearest: Nearest | None = None,
    settled: int | None = None,
) -> Grouping:
    """The same for the same faces, whatever their order. Without `nearest` all are compared with all; but of more than
    `settled` that are said to be together, their middle alone.
    """
    said = constraints or Constraints()
    founders = _founders(faces, said, rule)
    clusters = Clusters(faces, founders, rule)
    persons = sorted(said.persons)
    _obey(said, persons, clusters, faces)
    crowds = [] if settled is None else list(_crowds(clusters, settled))
    edges = near_edges(faces, at_least=rule.candidate, nearest=nearest, crowds=crowds)
    linkage = Linkage(clusters, edges)
    linkage.join_all()
    doubts = _doubts(linkage, faces)
    join_followers(clusters, faces, edges)
    return _told(clusters, faces, persons, doubts)


def _founders(faces: Faces, said: Constraints, rule: Rule) -> NDArray[np.bool_]:
    founders: NDArray[np.bool_] = faces.quality >= rule.founding_quality
    founders[faces.rows(said.may_not_found)] = False
    return founders


def _obey(said: Constraints, persons: list[str], clusters: Clusters, faces: Faces) -> None:
    numbers = {person: number for number, person in enumerate(persons)}
    for person in persons:
        for row in faces.rows(said.persons[person]):
            _name(row, numbers[person], clusters)
        _put_together(faces.rows(said.persons[person]), clusters)
    for together in sorted(map(sorted, said.together)):
        _put_together(faces.rows(together), clusters)
    for one, other in sorted(said.apart):
        if one in faces.row_of and other in faces.row_of:
            clusters.keep_apart(faces.row_of[one], faces.row_of[other])
    for face_id, rejected in sorted(said.rejected.items()):
        for person in sorted(rejected & numbers.keys()) if face_id in faces.row_of else ():
            clusters.reject(faces.row_of[face_id], numbers[person])


def _name(row: int, person: int, clusters: Clusters) -> None:
    """A face that two persons claim is the first one's."""
    cluster = clusters.cluster_of[row]
    if clusters.persons[cluster] == NOBODY:
        clusters.persons[cluster] = person


def _put_together(rows: list[int], clusters: Clusters) -> None:
    """All but those that are another person's."""
    for row in rows[1:]:
        first, cluster = int(clusters.cluster_of[rows[0]]), int(clusters.cluster_of[row])
        if first != cluster and not clusters.are_two_persons(first, cluster):
            clusters.join(first, cluster)


def _crowds(clusters: Clusters, settled: int) -> Iterator[Crowd]:
    for name in map(int, clusters.names()):
        members = clusters.members(name)
        if len(members) > settled:
            yield Crowd(np.sort(members), clusters.sums([name])[0] / max(1, clusters.counts[name]))


def _doubts(linkage: Linkage, faces: Faces) -> tuple[Doubt, ...]:
    likeliest = nsmallest(MOST_DOUBTS, _unsure(linkage))
    return tuple(Doubt(*_first_faces(linkage.clusters, faces, one, other), like) for _, one, other, like in likeliest)


def _unsure(linkage: Linkage) -> Iterator[tuple[float, int, int, float]]:
    """(what it lacks, one, other, the average similarity), of all pairs above `candidate`."""
    clusters = linkage.clusters
    for one in map(int, clusters.names()[clusters.counts[clusters.names()] > 0]):
        near = linkage.near(one)
        near = near[(near > one) & (clusters.counts[near] > 0)]
        averages, margins = clusters.averages(one, near), clusters.margins(one, near)
        for at in np.flatnonzero(averages >= clusters.rule.candidate):
            if clusters.may_be_one(one, int(near[at])):
                yield -float(margins[at]), one, int(near[at]), float(averages[at])


def _first_faces(clusters: Clusters, faces: Faces, one: int, other: int) -> tuple[str, str]:
    first, second = sorted(int(clusters.members(name).min()) for name in (one, other))
    return faces.ids[first], faces.ids[second]


def _told(clusters: Clusters, faces: Faces, persons: list[str], doubts: tuple[Doubt, ...]) -> Grouping:
    rows_of: dict[int, list[int]] = defaultdict(list)
    for row, name in enumerate(clusters.cluster_of):
        rows_of[int(name)].append(row)
    groups, waiting = [], []
    for name, rows in rows_of.items():
        person = int(clusters.persons[name])
        if len(rows) == 1 and not clusters.counts[name] and person == NOBODY:
            waiting.append(faces.ids[rows[0]])
        else:
            groups.append(Group(tuple(faces.ids[row] for row in rows), None if person == NOBODY else persons[person]))
    return Grouping(tuple(groups), tuple(waiting), doubts)
