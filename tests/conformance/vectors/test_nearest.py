"""Nearest vectors: their order, number and least similarity."""

import math

import numpy as np
import pytest

from sparks.model.errors import BadInput
from sparks.vectors.port import Vectors
from tests.conformance.vectors.points import DIMENSIONS, axis, drawn, ids, names


def test_an_empty_store_has_no_nearest_face(vectors: Vectors) -> None:
    assert vectors.nearest(axis(0), 5) == []
    assert vectors.nearest(axis(0), 5, within=["a"]) == []
    assert (vectors.count(), vectors.ids()) == (0, set())


def test_the_most_similar_comes_first(vectors: Vectors) -> None:
    vectors.add("across", axis(1))
    vectors.add("same", axis(0))
    vectors.add("between", axis(0) + axis(1))
    vectors.add("opposite", -axis(0))
    found = vectors.nearest(axis(0), 4)
    assert ids(found) == ["same", "between", "across", "opposite"]
    assert [near.similarity for near in found] == pytest.approx([1, math.sqrt(0.5), 0, -1], abs=1e-3)


def test_at_most_k_faces_are_returned(vectors: Vectors) -> None:
    vectors.add_many(names(20), drawn(20))
    assert len(vectors.nearest(axis(0), 7)) == 7
    assert len(vectors.nearest(axis(0), 1000)) == 20


def test_only_faces_that_are_similar_enough_are_returned(vectors: Vectors) -> None:
    vectors.add("same", axis(0))
    vectors.add("between", axis(0) + axis(1))
    vectors.add("across", axis(1))
    assert ids(vectors.nearest(axis(0), 3, 0.9)) == ["same"]
    assert ids(vectors.nearest(axis(0), 3, 0.5)) == ["same", "between"]
    assert vectors.nearest(axis(2), 3, 0.1) == []
    assert vectors.nearest(axis(0), 3, 1.5) == []


def test_a_least_similarity_below_minus_one_returns_all_faces(vectors: Vectors) -> None:
    vectors.add("opposite", -axis(0))
    assert ids(vectors.nearest(axis(0), 1, -2)) == ["opposite"]


def test_equally_similar_faces_are_ordered_by_id(vectors: Vectors) -> None:
    for face_id in ("c", "a", "d", "b"):
        vectors.add(face_id, axis(0))
    assert ids(vectors.nearest(axis(0), 4)) == ["a", "b", "c", "d"]


def test_the_length_of_a_vector_does_not_matter(vectors: Vectors) -> None:
    vectors.add("tiny", axis(0) * np.float32(1e-30))
    vectors.add("huge", axis(1) * np.float32(1e30))
    assert ids(vectors.nearest(axis(0) * np.float32(1e30), 1, 0.999)) == ["tiny"]
    assert ids(vectors.nearest(axis(1) * np.float32(1e-30), 1, 0.999)) == ["huge"]


def test_within_returns_only_the_given_faces(vectors: Vectors) -> None:
    vectors.add_many(names(50), drawn(50))
    asked = drawn(50)[3]
    assert ids(vectors.nearest(asked, 1)) == ["face-000003"]
    some = ["face-000004", "face-000009", "face-000004", "nobody"]
    assert set(ids(vectors.nearest(asked, 10, within=some))) == {"face-000004", "face-000009"}
    assert vectors.nearest(asked, 10, within=[]) == []


def test_within_returns_the_most_similar_face_first(vectors: Vectors) -> None:
    vectors.add_many(names(50), drawn(50))
    everyone = vectors.nearest(axis(0), 50)
    assert ids(vectors.nearest(axis(0), 10, 0.0, within=names(50))) == ids(everyone)[:10]


def test_vectors_added_together_are_found_like_those_added_one_by_one(vectors: Vectors) -> None:
    vectors.add_many(["a", "b", "a"], np.stack([axis(0), axis(1), axis(2)]))
    vectors.add_many([], np.empty((0, DIMENSIONS), np.float32))
    assert (vectors.count(), vectors.ids()) == (2, {"a", "b"})
    assert ids(vectors.nearest(axis(2), 1)) == ["a"]


def test_changing_arguments_or_results_does_not_change_the_store(vectors: Vectors) -> None:
    vector = axis(0)
    vectors.add("a", vector)
    vector[:] = axis(1)
    vectors.ids().clear()
    assert ids(vectors.nearest(axis(0), 1, 0.999)) == ["a"]


@pytest.mark.parametrize("numbers", [[0.0] * 16, [math.nan] * 16, [math.inf] + [0.0] * 15, [1.0] * 15, [1.0] * 17, []])
def test_a_vector_without_a_direction_is_refused(vectors: Vectors, numbers: list[float]) -> None:
    vector = np.array(numbers, np.float32)
    with pytest.raises(BadInput):
        vectors.add("a", vector)
    with pytest.raises(BadInput):
        vectors.nearest(vector, 1)
    assert vectors.count() == 0


def test_one_bad_vector_among_many_adds_none(vectors: Vectors) -> None:
    with pytest.raises(BadInput):
        vectors.add_many(["a", "b"], np.stack([axis(0), axis(0) * 0]))
    with pytest.raises(BadInput):
        vectors.add_many(["a", "b"], axis(0)[np.newaxis])
    with pytest.raises(BadInput):
        vectors.add_many(["a", ""], np.stack([axis(0), axis(1)]))
    assert vectors.count() == 0


@pytest.mark.parametrize("face_id", ["", "x" * 201, "é" * 101, "\ud800"])
def test_a_bad_face_id_is_refused(vectors: Vectors, face_id: str) -> None:
    with pytest.raises(BadInput):
        vectors.add(face_id, axis(0))


@pytest.mark.parametrize("face_id", ["x" * 200, "é" * 100, "#", "\x00", "../a", "\U0001f600"])
def test_any_other_text_can_be_a_face_id(vectors: Vectors, face_id: str) -> None:
    vectors.add(face_id, axis(0))
    assert ids(vectors.nearest(axis(0), 1)) == [face_id]


@pytest.mark.parametrize(("k", "at_least"), [(0, 0.5), (-1, 0.5), (1, math.nan)])
def test_a_search_with_bad_arguments_is_refused(vectors: Vectors, k: int, at_least: float) -> None:
    with pytest.raises(BadInput):
        vectors.nearest(axis(0), k, at_least)
