"""Photos in any order lead to the same persons as a full rebuild."""

import random
from collections.abc import Iterable
from typing import Final, NamedTuple

import pytest

from benchmarks.people_scores import bcubed
from sparks.table.memory import MemoryTable
from tests.library.people.rows import check_settled
from tests.people.face_library import FaceLibrary

ORDERS: Final = 20
BATCH: Final = 9  # photos that come between two runs of the incremental job
LIKENESS: Final = 0.6


class Shot(NamedTuple):
    """A photo of these persons; the same `moment` is the same picture."""

    who: tuple[int, ...]
    moment: int


def shots(persons: int, times: int) -> list[Shot]:
    """So many photos of each person alone, and one of each with the next."""
    alone = [(who,) for who in range(persons) for _ in range(times)]
    pairs = [(who, (who + 1) % persons) for who in range(persons)]
    return [Shot(who, moment) for moment, who in enumerate([*alone, *pairs])]


class Arrived:
    """A library that has taken photos, and the groups that it made of them."""

    def __init__(self) -> None:
        self.library = FaceLibrary(MemoryTable())
        self._labels: dict[str, str] = {}

    def take(self, some: Iterable[Shot]) -> None:
        for shot in some:
            faces = self.library.photo(*shot.who, moment=shot.moment, likeness=LIKENESS)
            self._labels |= {face.face_id: f"{who} at {shot.moment}" for face, who in zip(faces, shot.who, strict=True)}
            self.library.place(faces)

    def groups(self) -> set[frozenset[str]]:
        return {frozenset(self._labels[face_id] for face_id in group) for group in self.library.groups()}

    def person_of(self) -> dict[str, str]:
        return {self._labels[face_id]: person for face_id, person in self.library.whose().items()}

    def truth(self) -> dict[str, str]:
        return {label: label.partition(" ")[0] for label in self._labels.values()}


def arrived_in_order(all_shots: list[Shot], seed: int) -> Arrived:
    arrived, order = Arrived(), list(all_shots)
    random.Random(seed).shuffle(order)
    for start in range(0, len(order), BATCH):
        arrived.take(order[start : start + BATCH])
        while arrived.library.regroup().more:
            pass
    return arrived


def check_orders(all_shots: list[Shot], orders: int) -> None:
    together = Arrived()
    together.take(all_shots)
    together.library.rebuild()
    full = together.groups()
    best = bcubed(together.person_of(), together.truth()).f
    for seed in range(orders):
        arrived = arrived_in_order(all_shots, seed)
        check_settled(arrived.library.table)
        assert bcubed(arrived.person_of(), arrived.truth()).f == pytest.approx(best, abs=0.01)
        arrived.library.rebuild()
        assert arrived.groups() == full


def test_twenty_orders_of_arrival_make_the_same_people_as_a_full_rebuild() -> None:
    check_orders(shots(persons=5, times=3), ORDERS)


@pytest.mark.long
def test_many_orders_of_arrival_of_many_people_make_the_same_people_as_a_full_rebuild() -> None:
    check_orders(shots(persons=30, times=6), ORDERS)
