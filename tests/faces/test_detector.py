"""The detector alone: limits and scores of detections."""

import numpy as np
import pytest
from PIL import Image

from sparks.faces.opencv.detector import SCORE, Detector
from sparks.faces.opencv.weights import read_weights
from sparks.faces.opencv_engine import OpenCvEngine
from tests.faces.samples import photo


@pytest.fixture(scope="module")
def detector(opencv_engine: OpenCvEngine) -> Detector:
    """Depends on the engine fixture, which skips the test where the weights are missing."""
    return Detector(read_weights().detector)


def test_at_most_a_hundred_faces_of_a_picture_are_detected(detector: Detector) -> None:
    person = photo("groups/007_B.jpg").resize((170, 255)).crop((0, 0, 170, 170))
    crowd = Image.new("RGB", (2048, 2048))
    for place in range(144):
        crowd.paste(person, (place % 12 * 170, place // 12 * 170))
    assert len(detector.detect(np.asarray(crowd))) == 100


def test_a_face_with_a_low_score_is_detected_in_a_drawn_box(detector: Detector) -> None:
    whole = np.ascontiguousarray(np.asarray(photo("groups/007_B.jpg"))[:, :, ::-1])
    (face,) = detector.detect(whole)
    left, top, width, height = map(float, face[:4])
    half = whole[:, : round(left + 0.3 * width)].copy()
    assert len(detector.detect(half)) == 0
    near = detector.detect_near(half, left, top, width, height)
    assert 0 < near[0][SCORE] < 0.7


def test_a_box_outside_the_picture_has_no_detections(detector: Detector) -> None:
    assert len(detector.detect_near(np.zeros((50, 50, 3), np.uint8), 100, 100, 20, 20)) == 0
