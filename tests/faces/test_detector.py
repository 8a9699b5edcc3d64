"""The detector alone: how many faces it tells of, and which."""

import numpy as np
import pytest
from PIL import Image

from sparks.faces.booth import Booth
from sparks.faces.opencv.detector import Detector
from sparks.faces.opencv.sightings import SCORE
from sparks.faces.opencv.weights import read_weights
from tests.faces.samples import photo


@pytest.fixture(scope="module")
def detector(booth: Booth) -> Detector:
    """The booth is asked first, because it knows whether there are weights."""
    return Detector(read_weights().detector)


def test_of_a_crowd_a_hundred_faces_are_kept(detector: Detector) -> None:
    somebody = photo("groups/007_B.jpg").resize((170, 255)).crop((0, 0, 170, 170))
    crowd = Image.new("RGB", (2048, 2048))
    for place in range(144):
        crowd.paste(somebody, (place % 12 * 170, place // 12 * 170))
    assert len(detector.detect(np.asarray(crowd))) == 100


def test_unlikely_faces_are_seen_where_somebody_says_that_there_is_one(detector: Detector) -> None:
    whole = np.ascontiguousarray(np.asarray(photo("groups/007_B.jpg"))[:, :, ::-1])
    (face,) = detector.detect(whole)
    left, top, width, height = map(float, face[:4])
    half = whole[:, : round(left + 0.3 * width)].copy()
    assert len(detector.detect(half)) == 0
    near = detector.detect_near(half, left, top, width, height)
    assert 0 < near[0][SCORE] < 0.7


def test_a_box_beside_the_picture_shows_nothing(detector: Detector) -> None:
    assert len(detector.detect_near(np.zeros((50, 50, 3), np.uint8), 100, 100, 20, 20)) == 0
