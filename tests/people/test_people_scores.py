"""Scores of groupings, on cases that can be counted by hand."""

import pytest

from benchmarks.people_scores import bcubed, dbscan, whispers
from tests.people.makers import alike, made_up_faces

LABELS = {"a": "ann", "b": "ann", "c": "bob"}


def test_the_right_groups_score_one() -> None:
    score = bcubed({"a": 1, "b": 1, "c": 2}, LABELS)
    assert (score.precision, score.recall, score.f) == (1, 1, 1)


def test_all_in_one_group_costs_precision() -> None:
    score = bcubed(dict.fromkeys("abc", 1), LABELS)
    assert score.precision == pytest.approx((2 / 3 + 2 / 3 + 1 / 3) / 3)
    assert score.recall == 1


def test_faces_of_no_group_are_alone() -> None:
    score = bcubed({}, LABELS)
    assert score.precision == 1
    assert score.recall == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)


def test_faces_without_a_label_do_not_count() -> None:
    assert bcubed({"a": 1, "b": 1, "c": 2, "stranger": 1}, LABELS).f == 1


def test_dbscan_leaves_two_faces_alone_and_chains_three() -> None:
    faces = alike({"a b": 0.6, "b c": 0.6, "x y": 0.6})
    groups = dbscan(faces, 0.5)
    assert groups["a"] == groups["b"] == groups["c"]
    assert "x" not in groups


def test_whispers_agree_within_a_person() -> None:
    groups = whispers(made_up_faces(4, 4), 0.45)
    assert len(set(groups.values())) == 4
