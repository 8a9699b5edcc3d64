"""Faces as columns, and the thresholds of grouping."""

import numpy as np

from sparks.people.clustering.constraints import GroupingThresholds
from sparks.people.clustering.face_columns import faces_of, joined_columns
from tests.people.makers import made_up_faces


def test_faces_are_in_the_order_of_their_ids() -> None:
    faces = faces_of(["b", "a"], ["2", "1"], [[0, 2], [3, 0]], [0.2, 0.1])
    assert (faces.ids, faces.photos) == (("a", "b"), ("1", "2"))
    assert faces.vectors.tolist() == [[1, 0], [0, 1]]
    assert np.allclose(faces.quality, [0.1, 0.2])


def test_a_face_that_is_given_twice_is_kept_once() -> None:
    assert faces_of(["a", "a"], ["1", "1"], [[1, 0], [0, 1]], [1, 1]).vectors.tolist() == [[1, 0]]


def test_a_vector_of_zeros_stays_zero() -> None:
    assert faces_of(["a"], ["1"], [[0, 0]], [1]).vectors.tolist() == [[0, 0]]


def test_unknown_face_ids_are_ignored() -> None:
    assert made_up_faces(1, 2).only({"p0-1", "gone"}).ids == ("p0-1",)


def test_parts_are_joined_in_order_and_empty_ones_do_no_harm() -> None:
    faces = made_up_faces(2, 1)
    parts = [faces.only({"p1-0"}), faces.only(set()), faces.only({"p0-0"})]
    assert joined_columns(parts).ids == faces.ids
    assert len(joined_columns([])) == 0


def test_more_pairs_need_less_similarity_to_join() -> None:
    thresholds = GroupingThresholds(candidate=0.4, strong=0.5)
    assert np.allclose(thresholds.needed(np.array([0.5, 1.0, 2.0, 1e9])), [0.5, 0.5, 0.45, 0.4])


def test_different_photos_count_each_and_burst_frames_count_once() -> None:
    thresholds = GroupingThresholds(repeat=0.75)
    assert thresholds.effective_count(4, 4 + 12 * 0.7) == 4
    assert thresholds.effective_count(4, 4 + 12 * 1.0) == 1
