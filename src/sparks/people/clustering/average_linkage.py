"""Average-linkage clustering over the neighbor graph, under constraints."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparks.people.clustering.constraints import GroupingThresholds
from sparks.people.clustering.face_columns import FaceColumns, Rows
from sparks.people.clustering.neighbor_graph import MAX_NEIGHBORS, NeighborGraph

NO_PERSON: Final = -1
LARGE_GROUP: Final = MAX_NEIGHBORS // 2  # faces; in a larger group, all neighbors of a face may be of its own group
BLOCK_ROWS: Final = 1024


class Clusters:
    """Clusters of faces; at first each face is a cluster of its own. A cluster's id is the row of one of its faces.

    `serial` orders the clusters by the time at which they got their present faces. `counts` counts founding faces only.

    For vectors of length one, the average similarity of all pairs between two clusters is the dot product of their
    sums, divided by the product of their counts. So average linkage needs one sum per cluster and no table of pairs.
    """

    def __init__(self, faces: FaceColumns, founders: NDArray[np.bool_], thresholds: GroupingThresholds) -> None:
        self.thresholds = thresholds
        self.cluster_of: Rows = np.arange(len(faces), dtype=np.int32)
        self.serial: NDArray[np.int64] = np.arange(len(faces), dtype=np.int64)
        self.counts: NDArray[np.int32] = founders.astype(np.int32)
        self.effective_count: NDArray[np.float64] = founders.astype(np.float64)
        self.persons: Rows = np.full(len(faces), NO_PERSON, np.int32)
        self._sums = faces.vectors * founders[:, None].astype(np.float32)
        self._photo_of = faces.photo_numbers
        self._members: dict[int, Rows] = {}
        self._photos: dict[int, set[int]] = {}  # of clusters with several faces
        self._apart: dict[int, set[int]] = {}
        self._rejected: dict[int, set[int]] = {}
        self._next_serial = len(faces)

    # -- Constraints

    def keep_apart(self, row: int, other: int) -> None:
        self._apart.setdefault(int(self.cluster_of[row]), set()).add(other)
        self._apart.setdefault(int(self.cluster_of[other]), set()).add(row)

    def reject(self, row: int, person: int) -> None:
        self._rejected.setdefault(int(self.cluster_of[row]), set()).add(person)

    def are_different_persons(self, one: int, other: int) -> bool:
        mine, theirs = self.persons[one], self.persons[other]
        return bool(mine != theirs and mine != NO_PERSON and theirs != NO_PERSON)

    def may_join(self, one: int, other: int) -> bool:
        return not self.are_different_persons(one, other) and self.could_be_same_person(one, other)

    def could_be_same_person(self, one: int, other: int) -> bool:
        """Whether no constraint and no shared photo speaks against it; two known persons may still be merged."""
        return not (
            self.persons[other] in self._rejected.get(one, ())
            or self.persons[one] in self._rejected.get(other, ())
            or any(self.cluster_of[row] == other for row in self._apart.get(one, ()))
            or self._share_a_photo(one, other)
        )

    def _share_a_photo(self, one: int, other: int) -> bool:
        few, many = sorted((self._photos_in(one), self._photos_in(other)), key=len)
        return not many.isdisjoint(few)

    def _photos_in(self, cluster: int) -> set[int]:
        return self._photos.get(cluster) or {int(self._photo_of[cluster])}

    # -- Similarity

    def members(self, cluster: int) -> Rows:
        return self._members.get(cluster, np.array([cluster], np.int32))

    def cluster_ids(self) -> Rows:
        """The ids of all clusters, ascending."""
        return np.flatnonzero(self.cluster_of == np.arange(len(self.cluster_of))).astype(np.int32)

    def sums(self, clusters: Rows | Sequence[int]) -> NDArray[np.float32]:
        return self._sums[clusters]

    def averages(self, cluster: int, others: Rows) -> NDArray[np.float64]:
        pairs = np.maximum(self.counts[others] * np.float64(self.counts[cluster]), 1)
        averages: NDArray[np.float64] = (self._sums[others] @ self._sums[cluster]) / pairs
        return averages

    def margins(self, cluster: int, others: Rows) -> NDArray[np.float64]:
        """The average similarity to each other cluster, less the one needed to join it; negative: they stay apart."""
        needed = self.thresholds.needed(self.effective_count[cluster] * self.effective_count[others])
        return self.averages(cluster, others) - needed

    # -- Joining

    def join(self, one: int, other: int) -> int:
        """Joins two clusters and returns the id of the larger, which the joined cluster keeps with a new serial."""
        kept, gone = (one, other) if len(self.members(one)) >= len(self.members(other)) else (other, one)
        self._move_members(kept, gone)
        self._sums[kept] += self._sums[gone]
        self.counts[kept] += self.counts[gone]
        self.effective_count[kept] = self.thresholds.effective_count(
            int(self.counts[kept]), float(self._sums[kept] @ self._sums[kept])
        )
        self.persons[kept] = max(self.persons[kept], self.persons[gone])
        self._move_constraints(kept, gone)
        self.serial[kept], self._next_serial = self._next_serial, self._next_serial + 1
        return kept

    def _move_members(self, kept: int, gone: int) -> None:
        moved = self.members(gone)
        self.cluster_of[moved] = kept
        self._photos[kept] = self._photos_in(kept)
        self._photos[kept] |= self._photos_in(gone)
        self._members[kept] = np.concatenate([self.members(kept), moved])
        self._members.pop(gone, None)
        self._photos.pop(gone, None)

    def _move_constraints(self, kept: int, gone: int) -> None:
        for constraints in (self._apart, self._rejected):
            if gone in constraints:
                constraints.setdefault(kept, set()).update(constraints.pop(gone))


class MergeCandidate(NamedTuple):
    """A cluster and the best other one that it may join. Stale as soon as either has grown."""

    negated_margin: float  # since a heap returns the least first
    serial: int
    cluster: int
    other: int
    other_serial: int


class Linkage:
    """Joins clusters, the best pair first, while any pair is similar enough.

    Each pair of clusters is considered by the newer one only: when a cluster is made, all others are older. So each
    cluster has one candidate in the heap, and a cluster whose candidate is stale need not look at newer ones.
    """

    def __init__(self, clusters: Clusters, edges: NeighborGraph) -> None:
        self.clusters = clusters
        self._edges = edges
        self._near: dict[int, Rows] = {}

    def join_all(self) -> None:
        """Joins along the neighbor graph; then compares the large clusters with each other, while that joins any."""
        self._join_from([int(name) for name in self.clusters.cluster_ids()])
        while large := self._find_large_neighbors():
            self._join_from(large)

    def near(self, cluster: int) -> Rows:
        """The clusters with a face near a face of this one, ascending."""
        found = np.unique(self.clusters.cluster_of[self._known_near(cluster)])
        cluster_ids: Rows = found[found != cluster]
        if cluster in self._near:
            self._near[cluster] = cluster_ids
        return cluster_ids

    def _known_near(self, cluster: int) -> Rows:
        if cluster in self._near:
            return self._near[cluster]
        return np.concatenate([self._edges.of(int(row)) for row in self.clusters.members(cluster)])

    def _join_from(self, cluster_ids: list[int]) -> None:
        heap = [candidate for each in cluster_ids if (candidate := self._candidate_of(each)) is not None]
        heapify(heap)
        while heap:
            candidate = heappop(heap)
            if not self._is_current(candidate.cluster, candidate.serial):
                continue
            is_stale = not self._is_current(candidate.other, candidate.other_serial)
            cluster = candidate.cluster if is_stale else self._join(candidate.cluster, candidate.other)
            if (following := self._candidate_of(cluster)) is not None:
                heappush(heap, following)

    def _is_current(self, cluster: int, serial: int) -> bool:
        """Whether the cluster still exists and has not grown since it got this serial."""
        return bool(self.clusters.cluster_of[cluster] == cluster and self.clusters.serial[cluster] == serial)

    def _join(self, one: int, other: int) -> int:
        near = np.concatenate([self._known_near(one), self._known_near(other)])
        kept = self.clusters.join(one, other)
        self._near.pop(one, None)
        self._near.pop(other, None)
        self._near[kept] = near
        return kept

    def _candidate_of(self, cluster: int) -> MergeCandidate | None:
        clusters = self.clusters
        if not clusters.counts[cluster]:
            return None
        near = self.near(cluster)
        older = near[(clusters.serial[near] < clusters.serial[cluster]) & (clusters.counts[near] > 0)]
        margins = clusters.margins(cluster, older)
        for at in np.argsort(-margins, kind="stable"):
            if margins[at] < 0:
                return None
            other = int(older[at])
            if clusters.may_join(cluster, other):
                return MergeCandidate(
                    -float(margins[at]), int(clusters.serial[cluster]), cluster, other, int(clusters.serial[other])
                )
        return None

    def _find_large_neighbors(self) -> list[int]:
        """The large clusters that would join another large one which is not near to any of their faces."""
        clusters = self.clusters
        cluster_ids = clusters.cluster_ids()
        large = cluster_ids[clusters.counts[cluster_ids] > LARGE_GROUP]
        means = clusters.sums(large) / clusters.counts[large, None]
        joining = []
        for start, end in pairwise([*range(0, len(large), BLOCK_ROWS), len(large)]):
            for row, similarities in enumerate(means[start:end] @ means.T, start):
                others = large[similarities >= clusters.thresholds.candidate]
                if self._add_near(int(large[row]), others):
                    joining.append(int(large[row]))
        return joining

    def _add_near(self, cluster: int, others: Rows) -> bool:
        """Adds the others to the clusters near this one; returns whether one that is new there would join."""
        near = self.near(cluster)
        added = np.setdiff1d(others, np.append(near, cluster))
        self._near[cluster] = np.union1d(near, added)
        joining = added[self.clusters.margins(cluster, added) >= 0]
        return any(self.clusters.may_join(cluster, int(other)) for other in joining)
