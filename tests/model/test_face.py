"""Boxes: the overlap at which two are one face."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.model.face import Box

shares = st.floats(0, 1)
boxes = st.builds(Box, shares, shares, st.floats(0.01, 1), st.floats(0.01, 1))


def test_a_box_overlaps_itself_wholly() -> None:
    box = Box(0.1, 0.2, 0.3, 0.4)
    assert box.overlap(box) == pytest.approx(1)


def test_boxes_that_only_touch_do_not_overlap() -> None:
    assert Box(0, 0, 0.5, 1).overlap(Box(0.5, 0, 0.5, 1)) == 0


def test_an_overlap_is_a_share_of_the_area_of_both_boxes() -> None:
    assert Box(0, 0, 0.4, 1).overlap(Box(0.2, 0, 0.4, 1)) == pytest.approx(1 / 3)


def test_boxes_that_overlap_by_half_are_one_face() -> None:
    whole = Box(0, 0, 0.5, 0.5)
    assert whole.is_same_face(Box(0, 0, 0.5, 0.25))
    assert not whole.is_same_face(Box(0, 0, 0.5, 0.24))


def test_a_box_without_area_is_no_face_at_all() -> None:
    point = Box(0.1, 0.1, 0, 0)
    assert point.overlap(point) == 0


def test_a_box_is_kept_to_six_decimals() -> None:
    assert Box(0.12345678, 0, 1, 1).left == 0.123457


@given(boxes, boxes)
def test_an_overlap_is_the_same_from_both_sides_and_between_none_and_all(one: Box, other: Box) -> None:
    assert one.overlap(other) == pytest.approx(other.overlap(one))
    assert 0 <= one.overlap(other) <= 1.000001
