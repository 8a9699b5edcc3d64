"""Average linkage over the near faces: the pair of groups that agrees best joins first, until none agrees enough."""

from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from sparks.people.groups.clusters import Clusters
from sparks.people.groups.edges import MOST_NEIGHBOURS, Edges
from sparks.people.groups.faces import Rows

CROWD: Final = MOST_NEIGHBOURS // 2  # faces; a larger group may hide another from the near ones of its faces
BLOCK: Final = 1024


class Offer(NamedTuple):
    """The best that a cluster can do: join this other one. Stale as soon as either has grown."""

    lack: float  # the margin, turned round, since a heap gives the least first
    born: int
    cluster: int
    other: int
    other_born: int


class Linkage:
    """Joins clusters while any agree.

    [Note: offers] A pair of clusters is offered by the younger one: when it is made, all others are older. So each has
    one offer in the heap, and an older one whose choice is gone need not look at what came after it.
    """

    def __init__(self, clusters: Clusters, edges: Edges) -> None:
        self.clusters = clusters
        self._edges = edges
        self._near: dict[int, Rows] = {}

    def join_all(self) -> None:
        """Then once more with the large groups side by side, while that joins any."""
        self._settle([int(name) for name in self.clusters.names()])
        while crowds := self._meet_crowds():
            self._settle(crowds)

    def near(self, cluster: int) -> Rows:
        """The clusters with a face near to one of this one's, ascending."""
        found = np.unique(self.clusters.cluster_of[self._known_near(cluster)])
        names: Rows = found[found != cluster]
        if cluster in self._near:
            self._near[cluster] = names
        return names

    def _known_near(self, cluster: int) -> Rows:
        if cluster in self._near:
            return self._near[cluster]
        return np.concatenate([self._edges.of(int(row)) for row in self.clusters.members(cluster)])

    def _settle(self, names: list[int]) -> None:
        heap = [offer for name in names if (offer := self._offer(name)) is not None]
        heapify(heap)
        while heap:
            offer = heappop(heap)
            if self.clusters.born[offer.cluster] != offer.born or not self._is_there(offer.cluster):
                continue
            cluster = offer.cluster if self._is_stale(offer) else self._join(offer.cluster, offer.other)
            if (following := self._offer(cluster)) is not None:
                heappush(heap, following)

    def _is_there(self, cluster: int) -> bool:
        return bool(self.clusters.cluster_of[cluster] == cluster)

    def _is_stale(self, offer: Offer) -> bool:
        return not self._is_there(offer.other) or bool(self.clusters.born[offer.other] != offer.other_born)

    def _join(self, one: int, other: int) -> int:
        near = np.concatenate([self._known_near(one), self._known_near(other)])
        kept = self.clusters.join(one, other)
        self._near.pop(one, None)
        self._near.pop(other, None)
        self._near[kept] = near
        return kept

    def _offer(self, cluster: int) -> Offer | None:
        clusters = self.clusters
        if not clusters.counts[cluster]:
            return None
        near = self.near(cluster)
        older = near[(clusters.born[near] < clusters.born[cluster]) & (clusters.counts[near] > 0)]
        margins = clusters.margins(cluster, older)
        for at in np.argsort(-margins, kind="stable"):
            if margins[at] < 0:
                return None
            other = int(older[at])
            if clusters.may_join(cluster, other):
                return Offer(
                    -float(margins[at]), int(clusters.born[cluster]), cluster, other, int(clusters.born[other])
                )
        return None

    def _meet_crowds(self) -> list[int]:
        """The large groups that would join another large one which none of their faces has near."""
        clusters = self.clusters
        names = clusters.names()
        crowds = names[clusters.counts[names] > CROWD]
        means = clusters.sums(crowds) / clusters.counts[crowds, None]
        met = []
        for start, end in pairwise([*range(0, len(crowds), BLOCK), len(crowds)]):
            for row, alike in enumerate(means[start:end] @ means.T, start):
                others = crowds[alike >= clusters.rule.candidate]
                if self._add_near(int(crowds[row]), others):
                    met.append(int(crowds[row]))
        return met

    def _add_near(self, cluster: int, others: Rows) -> bool:
        """Whether one of them, not near before, would join."""
        near = self.near(cluster)
        fresh = np.setdiff1d(others, np.append(near, cluster))
        self._near[cluster] = np.union1d(near, fresh)
        joining = fresh[self.clusters.margins(cluster, fresh) >= 0]
        return any(self.clusters.may_join(cluster, int(other)) for other in joining)
