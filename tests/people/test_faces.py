"""Faces as columns, and the one that stands for a person."""

import numpy as np

from sparks.people.groups.faces import faces_of, joined
from sparks.people.groups.rule import Rule
from tests.people.makers import crowd


def test_faces_are_in_the_order_of_their_ids() -> None:
    faces = faces_of(["b", "a"], ["2", "1"], [[0, 2], [3, 0]], [0.2, 0.1])
    assert (faces.ids, faces.photos) == (("a", "b"), ("1", "2"))
    assert faces.vectors.tolist() == [[1, 0], [0, 1]]
    assert np.allclose(faces.quality, [0.1, 0.2])


def test_a_face_given_twice_is_there_once() -> None:
    assert faces_of(["a", "a"], ["1", "1"], [[1, 0], [0, 1]], [1, 1]).vectors.tolist() == [[1, 0]]


def test_a_vector_of_zeros_is_like_nobody() -> None:
    assert faces_of(["a"], ["1"], [[0, 0]], [1]).vectors.tolist() == [[0, 0]]


def test_faces_that_are_not_there_are_left_out() -> None:
    assert crowd(1, 2).only({"p0-1", "gone"}).ids == ("p0-1",)


def test_parts_are_joined_in_order_and_empty_ones_do_no_harm() -> None:
    faces = crowd(2, 1)
    parts = [faces.only({"p1-0"}), faces.only(set()), faces.only({"p0-0"})]
    assert joined(parts).ids == faces.ids
    assert len(joined([])) == 0


def test_the_more_pairs_agree_the_less_they_need() -> None:
    rule = Rule(candidate=0.4, strong=0.5)
    assert np.allclose(rule.needed(np.array([0.5, 1.0, 2.0, 1e9])), [0.5, 0.5, 0.45, 0.4])


def test_different_photos_count_each_and_repeats_once() -> None:
    rule = Rule(repeat=0.75)
    assert rule.witnesses(4, 4 + 12 * 0.7) == 4
    assert rule.witnesses(4, 4 + 12 * 1.0) == 1
