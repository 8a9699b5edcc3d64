"""Groups faces into persons, and reports pairs of groups that may be one person."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sparks.people.clustering.average_linkage import NO_PERSON, Clusters, Linkage
from sparks.people.clustering.constraints import Constraints, GroupingThresholds
from sparks.people.clustering.face_columns import FaceColumns, Rows, Vectors
from sparks.people.clustering.neighbor_graph import CondensedGroup, Nearest, NeighborGraph, near_edges

MAX_DOUBTS: Final = 1000


@dataclass(frozen=True, slots=True)
class Group:
    """Faces of one person, in the order of their ids; `person_id` is set where a human decided it."""

    faces: tuple[str, ...]
    person_id: str | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two groups that may be one person, each given by its first face: similar, but not similar enough to join."""

    one: str
    other: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups in the order of their first faces, unassigned faces, and doubts with the likeliest first."""

    groups: tuple[Group, ...]
    unassigned: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def group_faces(
    faces: FaceColumns,
    *,
    thresholds: GroupingThresholds,
    constraints: Constraints | None = None,
    nearest: Nearest | None = None,
    condense_above: int | None = None,
) -> Grouping:
    """The result does not depend on the order of the faces. Without `nearest`, all faces are compared with each other,
    except that of more than `condense_above` faces which constraints keep together, only the mean is compared.
    """
    constraints = constraints or Constraints()
    clusters = Clusters(faces, _founders(faces, constraints, thresholds), thresholds)
    persons = sorted(constraints.persons)
    _apply_constraints(constraints, persons, clusters, faces)
    condensed = [] if condense_above is None else list(_condensed(clusters, condense_above))
    edges = near_edges(faces, at_least=thresholds.candidate, nearest=nearest, condensed=condensed)
    linkage = Linkage(clusters, edges)
    linkage.join_all()
    doubts = _doubts(linkage, faces)
    _add_low_quality(clusters, faces, edges)
    return _grouping_of(clusters, faces, persons, doubts)


def _founders(faces: FaceColumns, constraints: Constraints, thresholds: GroupingThresholds) -> NDArray[np.bool_]:
    founders: NDArray[np.bool_] = faces.quality >= thresholds.founding_quality
    founders[faces.rows(constraints.may_not_found)] = False
    return founders


def _apply_constraints(constraints: Constraints, persons: list[str], clusters: Clusters, faces: FaceColumns) -> None:
    numbers = {person: number for number, person in enumerate(persons)}
    for person in persons:
        for row in faces.rows(constraints.persons[person]):
            _set_person(row, numbers[person], clusters)
        _join_rows(faces.rows(constraints.persons[person]), clusters)
    for together in sorted(map(sorted, constraints.together)):
        _join_rows(faces.rows(together), clusters)
    for one, other in sorted(constraints.apart):
        if one in faces.row_of and other in faces.row_of:
            clusters.keep_apart(faces.row_of[one], faces.row_of[other])
    for face_id, rejected in sorted(constraints.rejected.items()):
        for person in sorted(rejected & numbers.keys()) if face_id in faces.row_of else ():
            clusters.reject(faces.row_of[face_id], numbers[person])


def _set_person(row: int, person: int, clusters: Clusters) -> None:
    """A face that is certain for two persons goes to the first."""
    cluster = clusters.cluster_of[row]
    if clusters.persons[cluster] == NO_PERSON:
        clusters.persons[cluster] = person


def _join_rows(rows: list[int], clusters: Clusters) -> None:
    """Joins the clusters of these rows, except those of another person."""
    for row in rows[1:]:
        first, cluster = int(clusters.cluster_of[rows[0]]), int(clusters.cluster_of[row])
        if first != cluster and not clusters.are_different_persons(first, cluster):
            clusters.join(first, cluster)


def _condensed(clusters: Clusters, condense_above: int) -> Iterator[CondensedGroup]:
    for cluster in map(int, clusters.cluster_ids()):
        members = clusters.members(cluster)
        if len(members) > condense_above:
            yield CondensedGroup(np.sort(members), clusters.sums([cluster])[0] / max(1, clusters.counts[cluster]))


def _doubts(linkage: Linkage, faces: FaceColumns) -> tuple[Doubt, ...]:
    likeliest = nsmallest(MAX_DOUBTS, _uncertain_pairs(linkage))
    return tuple(Doubt(*_first_faces(linkage.clusters, faces, one, other), like) for _, one, other, like in likeliest)


def _uncertain_pairs(linkage: Linkage) -> Iterator[tuple[float, int, int, float]]:
    """(negated margin, one, other, average similarity) of all pairs of clusters at or above `candidate`."""
    clusters = linkage.clusters
    for one in map(int, clusters.cluster_ids()[clusters.counts[clusters.cluster_ids()] > 0]):
        near = linkage.near(one)
        near = near[(near > one) & (clusters.counts[near] > 0)]
        averages, margins = clusters.averages(one, near), clusters.margins(one, near)
        for at in np.flatnonzero(averages >= clusters.thresholds.candidate):
            if clusters.could_be_same_person(one, int(near[at])):
                yield -float(margins[at]), one, int(near[at]), float(averages[at])


def _first_faces(clusters: Clusters, faces: FaceColumns, one: int, other: int) -> tuple[str, str]:
    first, second = sorted(int(clusters.members(cluster).min()) for cluster in (one, other))
    return faces.ids[first], faces.ids[second]


def _add_low_quality(clusters: Clusters, faces: FaceColumns, edges: NeighborGraph) -> None:
    """Adds faces that found no group, the best match first. Each is compared with founding faces only, so that the
    order does not change the result.
    """
    single = [int(cluster) for cluster in clusters.cluster_ids() if not clusters.counts[cluster]]
    joinable = sorted(each for face in single for each in _joinable(face, clusters, faces, edges))
    for _, face, cluster in joinable:
        is_free = clusters.cluster_of[face] == face
        if is_free and clusters.may_join(face, cluster):
            clusters.join(cluster, face)


def _joinable(face: int, clusters: Clusters, faces: FaceColumns, edges: NeighborGraph) -> list[tuple[float, int, int]]:
    """(negated margin, face, cluster) for each cluster that the face may join."""
    if len(clusters.members(face)) > 1:
        return []
    near = np.unique(clusters.cluster_of[edges.of(face)])
    near = near[clusters.counts[near] > 0]
    margins = _margins(faces.vectors[face], near, clusters)
    return [(-float(margin), face, int(cluster)) for margin, cluster in zip(margins, near, strict=True) if margin >= 0]


def _margins(vector: Vectors, near: Rows, clusters: Clusters) -> NDArray[np.float64]:
    averages = (clusters.sums(near) @ vector).astype(np.float64) / clusters.counts[near]
    margins: NDArray[np.float64] = averages - clusters.thresholds.needed(clusters.effective_count[near])
    return margins


def _grouping_of(clusters: Clusters, faces: FaceColumns, persons: list[str], doubts: tuple[Doubt, ...]) -> Grouping:
    rows_of: dict[int, list[int]] = defaultdict(list)
    for row, cluster in enumerate(clusters.cluster_of):
        rows_of[int(cluster)].append(row)
    groups, unassigned = [], []
    for cluster, rows in rows_of.items():
        person = int(clusters.persons[cluster])
        if len(rows) == 1 and not clusters.counts[cluster] and person == NO_PERSON:
            unassigned.append(faces.ids[rows[0]])
        else:
            groups.append(
                Group(tuple(faces.ids[row] for row in rows), None if person == NO_PERSON else persons[person])
            )
    return Grouping(tuple(groups), tuple(unassigned), doubts)
