"""Removal and replacement: old vectors are not found any more, and new ones are not missed."""

import numpy as np

from sparks.vectors.port import Vectors
from tests.conformance.vectors.points import axis, drawn, ids, names


def test_a_removed_face_is_not_found(vectors: Vectors) -> None:
    vectors.add("a", axis(0))
    vectors.add("b", axis(1))
    vectors.remove("a")
    assert ids(vectors.nearest(axis(0), 5)) == ["b"]
    assert vectors.nearest(axis(0), 5, within=["a"]) == []
    assert (vectors.count(), vectors.ids()) == (1, {"b"})


def test_removing_an_unknown_face_changes_nothing(vectors: Vectors) -> None:
    vectors.add("a", axis(0))
    vectors.remove("b")
    vectors.remove("")
    assert vectors.ids() == {"a"}


def test_a_face_that_is_added_again_has_its_new_vector(vectors: Vectors) -> None:
    vectors.add("a", axis(0))
    vectors.add("a", axis(1))
    assert vectors.count() == 1
    assert vectors.nearest(axis(0), 5, 0.5) == []
    assert ids(vectors.nearest(axis(1), 5, 0.5)) == ["a"]


def test_a_removed_face_can_be_added_again(vectors: Vectors) -> None:
    vectors.add("a", axis(0))
    vectors.remove("a")
    vectors.add("a", axis(1))
    assert ids(vectors.nearest(axis(1), 5, 0.5)) == ["a"]


def test_all_faces_can_be_removed_and_others_added(vectors: Vectors) -> None:
    vectors.add_many(names(300), drawn(300))
    for face_id in names(300):
        vectors.remove(face_id)
    assert vectors.nearest(axis(0), 5) == []
    vectors.add("new", axis(0))
    assert ids(vectors.nearest(-axis(0), 5)) == ["new"]


def test_remaining_faces_are_found_after_many_removals(vectors: Vectors) -> None:
    vectors.add_many(names(1000), drawn(1000))
    for face_id in names(950):
        vectors.remove(face_id)
    found = [ids(vectors.nearest(vector, 1)) == [name] for name, vector in zip(names(1000), drawn(1000), strict=True)]
    assert not any(found[:950])
    assert np.mean(found[950:]) > 0.99
    assert len(vectors.nearest(axis(0), 1000)) == 50
    assert len(vectors.nearest(axis(0), 10)) == 10


def test_faces_added_after_many_removals_are_found(vectors: Vectors) -> None:
    vectors.add_many(names(500), drawn(500))
    for face_id in names(400):
        vectors.remove(face_id)
    fresh = drawn(600, seed=2)
    vectors.add_many([f"new-{number}" for number in range(600)], fresh)
    found = [ids(vectors.nearest(vector, 1)) == [f"new-{number}"] for number, vector in enumerate(fresh)]
    assert np.mean(found) > 0.99
    assert vectors.count() == 700
