"""Faces in real photos are found, and those of one person are similar."""

import pytest

from sparks.faces.opencv_engine import OpenCvEngine
from tests.faces.samples import find, likeness, photo

COUNTED = ["000_5", "010_2", "011_3", "012_4", "013_4", "014_5", "015_6", "016_8", "017_0"]


@pytest.mark.parametrize("name", COUNTED)
def test_every_face_of_a_group_photo_is_found(opencv_engine: OpenCvEngine, name: str) -> None:
    assert len(find(opencv_engine, photo(f"groups/{name}.jpg"))) == int(name.partition("_")[2])


def test_one_person_is_recognized_in_several_photos_and_others_are_not(opencv_engine: OpenCvEngine) -> None:
    """The main face comes first."""
    person, again, *others = (
        find(opencv_engine, photo(f"groups/{name}.jpg"))[0] for name in ("001_A", "004_A", "007_B", "009_C")
    )
    assert likeness(person, again) >= opencv_engine.thresholds.strong
    assert all(likeness(one, other) < opencv_engine.thresholds.candidate for one in (person, again) for other in others)
