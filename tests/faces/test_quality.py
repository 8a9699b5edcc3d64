"""Quality: blurred, tiny and turned faces start no person; good ones do."""

import numpy as np
import pytest
from PIL import Image, ImageFilter

from sparks.faces.opencv.detector import LANDMARKS, Detection, guess
from sparks.faces.opencv.quality import pose_of
from sparks.faces.opencv_engine import OpenCvEngine
from tests.faces.samples import find, photo


def portrait() -> Image.Image:
    """Their face is some hundred pixels wide."""
    return photo("groups/007_B.jpg")


def test_good_faces_have_a_quality_that_starts_persons(opencv_engine: OpenCvEngine) -> None:
    faces = [
        face
        for name in ("000_5", "004_A", "007_B", "009_C", "013_4")
        for face in find(opencv_engine, photo(f"groups/{name}.jpg"))
    ]
    assert min(face.quality for face in faces) >= opencv_engine.thresholds.founding


def test_quality_decreases_with_blur(opencv_engine: OpenCvEngine) -> None:
    found = [find(opencv_engine, portrait().filter(ImageFilter.GaussianBlur(by)))[0].quality for by in (0, 3, 4.5)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.8
    assert found[-1] < opencv_engine.thresholds.founding


def test_a_face_with_motion_blur_has_low_quality(opencv_engine: OpenCvEngine) -> None:
    pixels = np.asarray(portrait(), np.float32)
    moved = np.mean([np.roll(pixels, by, axis=1) for by in range(22)], axis=0).astype(np.uint8)
    assert all(face.quality < opencv_engine.thresholds.founding for face in find(opencv_engine, Image.fromarray(moved)))


def test_a_tiny_face_has_low_quality(opencv_engine: OpenCvEngine) -> None:
    wall = Image.new("RGB", (1280, 960), (90, 110, 100))
    small = portrait().copy()
    small.thumbnail((120, 120))
    wall.paste(small, (600, 400))
    (face,) = find(opencv_engine, wall)
    assert face.quality < opencv_engine.thresholds.founding


def turned(by: float) -> Detection:
    """A face of a hundred pixels whose nose is off the middle, and whose eyes are near each other for that."""
    seen = guess(0, 0, 100, 100)
    points = seen[LANDMARKS].reshape(5, 2)
    points[:, 0] = 50 + (points[:, 0] - 50) * (1 - by)
    points[2, 0] += by * 20
    return seen


@pytest.mark.parametrize(("by", "least", "most"), [(0, 0, 0.05), (0.3, 0.1, 0.4), (0.7, 0.8, 9)])
def test_the_turn_of_a_face_grows_with_the_distance_of_its_nose_from_the_center(
    by: float, least: float, most: float
) -> None:
    assert least <= pose_of(turned(by))[1] <= most


def test_a_profile_has_the_size_of_a_frontal_face() -> None:
    assert pose_of(turned(0.9))[0] == pytest.approx(pose_of(turned(0))[0], rel=0.15)


def test_a_face_that_is_tilted_is_not_turned() -> None:
    seen = guess(0, 0, 100, 100)
    points = seen[LANDMARKS].reshape(5, 2)
    points[:] = points @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    assert pose_of(seen)[1] == pytest.approx(0, abs=0.05)
