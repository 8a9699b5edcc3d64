"""Recall: the graph finds what exhaustive comparison finds, at sizes around those at which something grows."""

from collections.abc import Callable
from contextlib import closing

import numpy as np
import pytest

from sparks.vectors.ann_index import AnnIndex, built_graph
from sparks.vectors.embedded import EmbeddedVectors
from sparks.vectors.memory import MemoryVectors
from sparks.vectors.port import Vector, Vectors
from tests.conformance.vectors.points import DIMENSIONS, drawn, ids, in_groups, names


def recall(vectors: Vectors, exact: Vectors, asked: Vector, *, k: int, at_least: float) -> float:
    """The share of found vectors among those that are as similar as the k-th and similar enough."""
    shares = []
    for vector in asked:
        wanted = exact.nearest(vector, k, at_least)
        found = set(ids(vectors.nearest(vector, k, at_least)))
        shares += [near.face_id in found for near in wanted]
    return float(np.mean(shares))


def both(points: Vector, *, erase_after: float = 3600) -> tuple[EmbeddedVectors, MemoryVectors]:
    dimensions = points.shape[1]
    graph, exact = EmbeddedVectors(dimensions, max_exhaustive=0, erase_after=erase_after), MemoryVectors(dimensions)
    for vectors in (graph, exact):
        vectors.add_many(names(len(points)), points)
    return graph, exact


@pytest.mark.parametrize("count", [1, 2, 3, 63, 64, 65, 96, 97, 160, 161, 1023, 1025])
def test_every_vector_finds_itself(opens: Callable[[int], Vectors], count: int) -> None:
    points = drawn(count, 32)
    with closing(opens(32)) as vectors:
        vectors.add_many(names(count), points)
        found = [ids(vectors.nearest(point, 1)) == [name] for name, point in zip(names(count), points, strict=True)]
        assert np.mean(found) > 0.995


@pytest.mark.parametrize("dimensions", [1, 2, 3, 127, 128, 129, 512])
def test_vectors_may_have_any_number_of_dimensions(opens: Callable[[int], Vectors], dimensions: int) -> None:
    points = drawn(20, dimensions)
    with closing(opens(dimensions)) as vectors:
        vectors.add_many(names(20), points)
        assert all(vectors.nearest(point, 1, 0.999) for point in points)
        vectors.save()


def test_the_graph_hardly_misses_a_similar_face() -> None:
    points = in_groups(6000, 128, groups=400)
    graph, exact = both(points)
    asked = points[::40]
    assert recall(graph, exact, asked, k=50, at_least=0.4) > 0.995
    assert recall(graph, exact, asked, k=10, at_least=-1) > 0.99


def test_the_graph_hardly_misses_a_face_after_most_were_removed() -> None:
    points = in_groups(2000, 128, groups=50)
    graph, exact = both(points)
    for face_id in names(1500):
        graph.remove(face_id)
        exact.remove(face_id)
    assert recall(graph, exact, points[1500::5], k=20, at_least=0.4) > 0.995


def test_a_rebuilt_graph_contains_changes_made_meanwhile() -> None:
    index = AnnIndex(DIMENSIONS, max_exhaustive=0)
    index.put(names(1000), drawn(1000))
    for face_id in names(600):
        index.drop(face_id)
    assert index.needs_rebuild
    graph = built_graph(*index.begin_rebuild())
    index.drop("face-000700")
    index.put(["face-000001", "face-000800"], drawn(2, seed=2))
    index.finish_rebuild(graph)
    assert not bool(index.needs_rebuild)
    assert index.ids() == {*names(1000)[600:], "face-000001"} - {"face-000700"}
    assert [ids(index.nearest(vector, 1, 0.99, None)) for vector in drawn(2, seed=2)] == [
        ["face-000001"],
        ["face-000800"],
    ]
    assert index.nearest(drawn(1000)[700], 1, 0.99, None) == index.nearest(drawn(1000)[800], 1, 0.99, None) == []
    assert np.mean([bool(index.nearest(vector, 1, 0.99, None)) for vector in drawn(1000)[801:]]) > 0.99


def test_the_graph_hardly_misses_a_face_that_changes_during_a_rebuild() -> None:
    points = in_groups(2000, 128, groups=50)
    graph, exact = both(points, erase_after=0.0)
    for number, face_id in enumerate(names(1600)):
        for vectors in (graph, exact):
            vectors.remove(face_id)
            if number % 4 == 0:
                vectors.add(face_id, -points[number])
    asked = np.concatenate([points[1600::5], -points[:1600:32]])
    assert recall(graph, exact, asked, k=20, at_least=0.4) > 0.99
    assert graph.ids() == exact.ids()
    graph.close()


def test_a_hundred_equal_vectors_hide_no_other_face() -> None:
    points = in_groups(3000, 64, groups=200)
    points[500:600] = points[500]
    graph, exact = both(points)
    asked = np.concatenate([points[:500:10], points[600::50]])
    assert len(graph.nearest(points[500], 100, 0.999)) >= 100
    assert recall(graph, exact, asked, k=1, at_least=0.99) > 0.99


def test_within_misses_no_face() -> None:
    points = in_groups(4000, 128, groups=50)
    graph, exact = both(points)
    some = names(4000)[::3]
    for vector in points[::200]:
        found, wanted = (dict(vectors.nearest(vector, 500, within=some)) for vectors in (graph, exact))
        assert found == pytest.approx(wanted, abs=1e-5)
