"""Random programs: the graph finds what exhaustive comparison finds, also after it was closed and opened again."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from sparks.vectors.embedded import EmbeddedVectors
from sparks.vectors.memory import MemoryVectors
from tests.conformance.vectors.points import AT, DIMENSIONS, as_written, drawn

POINTS: Final = drawn(40)

face_ids = st.integers(0, 11).map(lambda number: f"face-{number}")
points = st.integers(0, len(POINTS) - 1)


class Comparison(RuleBasedStateMachine):
    """Runs one program on both; a saved file may hold no vector that was removed."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._path = folder / "vectors"
        self._path.unlink(missing_ok=True)
        self._exact = MemoryVectors(DIMENSIONS)
        self._opened = ExitStack()
        self._graph = self._open()
        self._points: dict[str, int] = {}

    def _open(self) -> EmbeddedVectors:
        graph = EmbeddedVectors(DIMENSIONS, self._path, max_exhaustive=0, erase_after=3600)
        self._opened.callback(graph.close)
        graph.advance(AT)
        return graph

    def teardown(self) -> None:
        self._opened.close()

    @rule(face_id=face_ids, point=points)
    def add(self, face_id: str, point: int) -> None:
        self._points[face_id] = point
        for vectors in (self._graph, self._exact):
            vectors.add(face_id, POINTS[point])

    @rule(several=st.dictionaries(face_ids, points, max_size=6))
    def add_many(self, several: dict[str, int]) -> None:
        self._points |= several
        for vectors in (self._graph, self._exact):
            vectors.add_many(list(several), POINTS[list(several.values())])

    @rule(face_id=face_ids)
    def remove(self, face_id: str) -> None:
        self._points.pop(face_id, None)
        for vectors in (self._graph, self._exact):
            vectors.remove(face_id)

    @rule(point=points, k=st.integers(1, 4), at_least=st.sampled_from([-1.0, 0.0, 0.2, 0.9]))
    def ask(self, point: int, k: int, at_least: float) -> None:
        found, wanted = (vectors.nearest(POINTS[point], k, at_least) for vectors in (self._graph, self._exact))
        assert [near.similarity for near in found] == pytest.approx([near.similarity for near in wanted], abs=1e-3)

    @rule(point=points, within=st.frozensets(face_ids))
    def ask_within(self, point: int, within: frozenset[str]) -> None:
        found, wanted = (
            dict(vectors.nearest(POINTS[point], 9, within=within)) for vectors in (self._graph, self._exact)
        )
        assert found == pytest.approx(wanted, abs=1e-5)

    @rule()
    def save(self) -> None:
        self._graph.save()
        self.look_into_the_file()

    @rule()
    def open_again(self) -> None:
        self._graph.close()
        self.look_into_the_file()
        self._graph = self._open()

    def look_into_the_file(self) -> None:
        content = self._path.read_bytes() if self._path.exists() else b""
        there = {number for number, point in enumerate(POINTS) if as_written(point)[:12] in content}
        assert there == set(self._points.values())

    @invariant()
    def the_same_faces_are_there(self) -> None:
        assert self._graph.ids() == self._exact.ids() == set(self._points)
        assert self._graph.count() == self._exact.count() == len(self._points)


def run_programs(folder: Path, *, examples: int, steps: int, bounded: bool) -> None:
    machine: Any = partial(Comparison, folder)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            derandomize=bounded,
            phases=[Phase.generate] if bounded else list(Phase),
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_random_programs_get_the_results_of_the_reference(tmp_path: Path) -> None:
    run_programs(tmp_path, examples=40, steps=30, bounded=True)


@pytest.mark.long
def test_many_random_programs_get_the_results_of_the_reference(tmp_path: Path) -> None:
    run_programs(tmp_path, examples=1500, steps=80, bounded=False)
