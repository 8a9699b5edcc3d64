"""Geometry of detections: which of them are the same face."""

import numpy as np

from sparks.faces.opencv.detector import (
    COLUMNS,
    NONE,
    SCORE,
    Detections,
    guess,
    joined,
    merged,
    most_important,
    moved,
    overlaps,
    scaled,
)


def seen(*boxes: tuple[float, float, float, float, float]) -> Detections:
    """Left, top, width, height and score each."""
    rows = np.array([guess(*box[:4]) for box in boxes]).reshape(-1, COLUMNS)
    rows[:, SCORE] = [box[4] for box in boxes]
    return rows


def scores(rows: Detections) -> list[float]:
    return [round(float(score), 3) for score in rows[:, SCORE]]


def test_a_face_detected_twice_is_kept_once_with_its_highest_score() -> None:
    assert scores(merged(seen((10, 10, 50, 50, 0.8), (12, 11, 48, 52, 0.9), (200, 10, 50, 50, 0.7)))) == [0.9, 0.7]


def test_a_box_within_a_larger_one_is_the_same_face() -> None:
    assert scores(merged(seen((0, 0, 100, 100, 0.9), (30, 30, 40, 40, 0.8)))) == [0.9]


def test_adjacent_faces_are_two_faces() -> None:
    assert scores(merged(seen((0, 0, 50, 50, 0.9), (35, 0, 50, 50, 0.8)))) == [0.9, 0.8]


def test_merging_no_detections_gives_none() -> None:
    assert merged(NONE).shape == (0, COLUMNS)
    assert joined(NONE, NONE).shape == (0, COLUMNS)


def test_joining_adds_only_other_faces() -> None:
    known = seen((0, 0, 50, 50, 0.7))
    assert scores(joined(known, seen((2, 2, 50, 50, 0.9), (100, 0, 50, 50, 0.8)))) == [0.7, 0.8]
    assert scores(joined(NONE, known)) == [0.7]


def test_large_and_sure_faces_are_the_most_important() -> None:
    rows = seen((0, 0, 20, 20, 0.9), (50, 0, 100, 100, 0.8), (200, 0, 100, 100, 0.9))
    assert scores(most_important(rows, 2)) == [0.9, 0.8]
    assert most_important(rows, 2)[0][0] == 200


def test_scaling_and_moving_change_the_landmarks_and_not_the_score() -> None:
    rows = seen((10, 20, 40, 60, 0.9))
    np.testing.assert_allclose(scaled(rows, 2), seen((20, 40, 80, 120, 0.9)), rtol=1e-6)
    np.testing.assert_allclose(moved(rows, 5, 7), seen((15, 27, 40, 60, 0.9)), rtol=1e-6)


def test_boxes_without_size_overlap_with_nothing() -> None:
    assert overlaps(guess(0, 0, 0, 0), seen((0, 0, 10, 10, 0.9))).tolist() == [0.0]
