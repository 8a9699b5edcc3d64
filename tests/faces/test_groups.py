"""In real photos the faces that are there are found, and those of one person resemble each other."""

import pytest

from sparks.faces.booth import Booth
from tests.faces.samples import find, likeness, photo

COUNTED = ["000_5", "010_2", "011_3", "012_4", "013_4", "014_5", "015_6", "016_8", "017_0"]


@pytest.mark.parametrize("name", COUNTED)
def test_as_many_faces_are_found_as_there_are(booth: Booth, name: str) -> None:
    assert len(find(booth, photo(f"groups/{name}.jpg"))) == int(name.partition("_")[2])


def test_one_person_is_recognised_in_several_photos_and_others_are_not(booth: Booth) -> None:
    """The main face comes first."""
    somebody, again, *others = (
        find(booth, photo(f"groups/{name}.jpg"))[0] for name in ("001_A", "004_A", "007_B", "009_C")
    )
    assert likeness(somebody, again) >= booth.thresholds.strong
    assert all(likeness(one, other) < booth.thresholds.candidate for one in (somebody, again) for other in others)
