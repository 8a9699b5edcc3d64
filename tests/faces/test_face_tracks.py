"""One face of each person in a video is kept."""

from dataclasses import dataclass

import numpy as np

from sparks.faces.port import Thresholds
from sparks.faces.video_faces import best_of_each

THRESHOLDS = Thresholds(candidate=0.42, strong=0.5, founding=0.4)


@dataclass(frozen=True)
class Seen:
    quality: float
    embedding: bytes


def face(degrees: float, quality: float) -> Seen:
    """Two faces are the more alike, the nearer their angles are."""
    turn = np.radians(degrees)
    return Seen(quality, np.array([np.cos(turn), np.sin(turn)]).astype("<f2").tobytes())


def test_the_best_face_of_each_person_is_kept_the_best_first() -> None:
    faces = [face(0, 0.5), face(10, 0.8), face(90, 0.9), face(95, 0.6)]
    assert best_of_each([0, 1, 0, 1], faces, THRESHOLDS) == [2, 1]


def test_two_faces_of_one_frame_are_two_persons_however_alike() -> None:
    assert best_of_each([0, 0, 1], [face(0, 0.9), face(5, 0.8), face(4, 0.7)], THRESHOLDS) == [0, 1]


def test_a_person_who_turns_slowly_stays_the_same() -> None:
    turning = [face(20 * step, 0.9 - 0.01 * step) for step in range(6)]
    assert best_of_each(range(6), turning, THRESHOLDS) == [0]


def test_faces_of_low_quality_start_no_track() -> None:
    assert best_of_each([0, 1], [face(0, 0.3), face(90, 0.39)], THRESHOLDS) == []


def test_no_faces_give_no_tracks() -> None:
    assert best_of_each([], [], THRESHOLDS) == []
