"""Faces too poor to found a group, when the groups are there: each goes to the one that it belongs to, or waits."""

import numpy as np
from numpy.typing import NDArray

from sparks.people.groups.clusters import Clusters
from sparks.people.groups.edges import Edges
from sparks.people.groups.faces import Faces, Rows, Vectors


def join_followers(clusters: Clusters, faces: Faces, edges: Edges) -> None:
    """The clearest first, each judged by the founders alone: it does not matter who came before."""
    alone = [int(name) for name in clusters.names() if not clusters.counts[name]]
    wishes = sorted(wish for name in alone for wish in _wishes(name, clusters, faces, edges))
    for _, follower, cluster in wishes:
        is_free = clusters.cluster_of[follower] == follower
        if is_free and clusters.may_join(follower, cluster):
            clusters.join(cluster, follower)


def _wishes(follower: int, clusters: Clusters, faces: Faces, edges: Edges) -> list[tuple[float, int, int]]:
    """(margin turned round, follower, cluster), for each cluster that it would join."""
    if len(clusters.members(follower)) > 1:
        return []
    near = np.unique(clusters.cluster_of[edges.of(follower)])
    near = near[clusters.counts[near] > 0]
    margins = _margins(faces.vectors[follower], near, clusters)
    return [(-float(margin), follower, int(name)) for margin, name in zip(margins, near, strict=True) if margin >= 0]


def _margins(vector: Vectors, near: Rows, clusters: Clusters) -> NDArray[np.float64]:
    averages = (clusters.sums(near) @ vector).astype(np.float64) / clusters.counts[near]
    margins: NDArray[np.float64] = averages - clusters.rule.needed(clusters.witnesses[near])
    return margins
