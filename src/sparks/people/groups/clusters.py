"""The groups while they grow: who is in each, the sum of its vectors, and whom it may not join."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sparks.people.groups.faces import Faces, Rows
from sparks.people.groups.rule import Rule

NOBODY: Final = -1


class Clusters:
    """At first each face is one by itself; a cluster is named by a row of one of its faces.

    [Note: averages] Of vectors of length one, the average similarity of all pairs between two groups is the product of
    their sums by that of their counts. So average linkage needs a sum a group, and never a table of pairs.
    """

    def __init__(self, faces: Faces, founders: NDArray[np.bool_], rule: Rule) -> None:
        self.rule = rule
        self.cluster_of: Rows = np.arange(len(faces), dtype=np.int32)
        self.born: NDArray[np.int64] = np.arange(len(faces), dtype=np.int64)
        self.counts: NDArray[np.int32] = founders.astype(np.int32)
        self.witnesses: NDArray[np.float64] = founders.astype(np.float64)
        self.persons: Rows = np.full(len(faces), NOBODY, np.int32)
        self._sums = faces.vectors * founders[:, None].astype(np.float32)
        self._photo_of = faces.photo_numbers
        self._members: dict[int, Rows] = {}
        self._photos: dict[int, set[int]] = {}  # of those that have members
        self._apart: dict[int, set[int]] = {}
        self._rejected: dict[int, set[int]] = {}
        self._births = len(faces)

    # -- What humans said

    def keep_apart(self, row: int, other: int) -> None:
        self._apart.setdefault(int(self.cluster_of[row]), set()).add(other)
        self._apart.setdefault(int(self.cluster_of[other]), set()).add(row)

    def reject(self, row: int, person: int) -> None:
        self._rejected.setdefault(int(self.cluster_of[row]), set()).add(person)

    def are_two_persons(self, one: int, other: int) -> bool:
        mine, theirs = self.persons[one], self.persons[other]
        return bool(mine != theirs and mine != NOBODY and theirs != NOBODY)

    def may_join(self, one: int, other: int) -> bool:
        return not self.are_two_persons(one, other) and self.may_be_one(one, other)

    def may_be_one(self, one: int, other: int) -> bool:
        """Whether a human could say so, who has said nothing else: also of two who are certainly somebody."""
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

    # -- What they are like

    def members(self, cluster: int) -> Rows:
        return self._members.get(cluster, np.array([cluster], np.int32))

    def names(self) -> Rows:
        """All clusters there are, ascending."""
        return np.flatnonzero(self.cluster_of == np.arange(len(self.cluster_of))).astype(np.int32)

    def sums(self, clusters: Rows | Sequence[int]) -> NDArray[np.float32]:
        return self._sums[clusters]

    def averages(self, cluster: int, others: Rows) -> NDArray[np.float64]:
        pairs = np.maximum(self.counts[others] * np.float64(self.counts[cluster]), 1)
        averages: NDArray[np.float64] = (self._sums[others] @ self._sums[cluster]) / pairs
        return averages

    def margins(self, cluster: int, others: Rows) -> NDArray[np.float64]:
        """How far each is above what it needs to join; below zero, it does not."""
        needed = self.rule.needed(self.witnesses[cluster] * self.witnesses[others])
        return self.averages(cluster, others) - needed

    # -- Joining

    def join(self, one: int, other: int) -> int:
        """They are one cluster, by the name of the larger, and it is the youngest of all."""
        kept, gone = (one, other) if len(self.members(one)) >= len(self.members(other)) else (other, one)
        self._take_members(kept, gone)
        self._sums[kept] += self._sums[gone]
        self.counts[kept] += self.counts[gone]
        self.witnesses[kept] = self.rule.witnesses(int(self.counts[kept]), float(self._sums[kept] @ self._sums[kept]))
        self.persons[kept] = max(self.persons[kept], self.persons[gone])
        self._inherit(kept, gone)
        self.born[kept], self._births = self._births, self._births + 1
        return kept

    def _take_members(self, kept: int, gone: int) -> None:
        moved = self.members(gone)
        self.cluster_of[moved] = kept
        self._photos[kept] = self._photos_in(kept)
        self._photos[kept] |= self._photos_in(gone)
        self._members[kept] = np.concatenate([self.members(kept), moved])
        self._members.pop(gone, None)
        self._photos.pop(gone, None)

    def _inherit(self, kept: int, gone: int) -> None:
        for said in (self._apart, self._rejected):
            if gone in said:
                said.setdefault(kept, set()).update(said.pop(gone))
