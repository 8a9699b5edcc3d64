"""Blurred, tiny and turned faces found no person; good ones do."""

import numpy as np
import pytest
from PIL import Image, ImageFilter

from sparks.faces.booth import Booth
from sparks.faces.opencv.quality import pose_of
from sparks.faces.opencv.sightings import LANDMARKS, Sighting, guess
from tests.faces.samples import find, photo


def somebody() -> Image.Image:
    """Their face is some hundred pixels wide."""
    return photo("groups/007_B.jpg")


def test_good_faces_may_found_persons(booth: Booth) -> None:
    faces = [
        face
        for name in ("000_5", "004_A", "007_B", "009_C", "013_4")
        for face in find(booth, photo(f"groups/{name}.jpg"))
    ]
    assert min(face.quality for face in faces) >= booth.thresholds.founding


def test_the_more_a_face_is_blurred_the_worse_it_is(booth: Booth) -> None:
    found = [find(booth, somebody().filter(ImageFilter.GaussianBlur(by)))[0].quality for by in (0, 3, 4.5)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.8
    assert found[-1] < booth.thresholds.founding


def test_a_face_that_moved_is_bad(booth: Booth) -> None:
    pixels = np.asarray(somebody(), np.float32)
    moved = np.mean([np.roll(pixels, by, axis=1) for by in range(22)], axis=0).astype(np.uint8)
    assert all(face.quality < booth.thresholds.founding for face in find(booth, Image.fromarray(moved)))


def test_a_tiny_face_is_bad(booth: Booth) -> None:
    wall = Image.new("RGB", (1280, 960), (90, 110, 100))
    small = somebody().copy()
    small.thumbnail((120, 120))
    wall.paste(small, (600, 400))
    (face,) = find(booth, wall)
    assert face.quality < booth.thresholds.founding


def turned(by: float) -> Sighting:
    """A face of a hundred pixels whose nose is off the middle, and whose eyes are near each other for that."""
    seen = guess(0, 0, 100, 100)
    points = seen[LANDMARKS].reshape(5, 2)
    points[:, 0] = 50 + (points[:, 0] - 50) * (1 - by)
    points[2, 0] += by * 20
    return seen


@pytest.mark.parametrize(("by", "least", "most"), [(0, 0, 0.05), (0.3, 0.1, 0.4), (0.7, 0.8, 9)])
def test_a_face_is_turned_by_as_much_as_its_nose_is_off_the_middle(by: float, least: float, most: float) -> None:
    assert least <= pose_of(turned(by))[1] <= most


def test_a_profile_is_as_large_as_a_face_that_looks_at_us() -> None:
    assert pose_of(turned(0.9))[0] == pytest.approx(pose_of(turned(0))[0], rel=0.15)


def test_a_face_that_is_tilted_is_not_turned() -> None:
    seen = guess(0, 0, 100, 100)
    points = seen[LANDMARKS].reshape(5, 2)
    points[:] = points @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    assert pose_of(seen)[1] == pytest.approx(0, abs=0.05)
