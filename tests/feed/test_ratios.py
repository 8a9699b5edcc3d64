"""The shapes of photos in one byte each, and the strips that they come in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.feed.ratios import HEAD, Piece, joined, pieces_in, shape_byte, shape_bytes

PIECES = [Piece("2025-08", 1_754_000_000_000_000, b"\x80\x95"), Piece("2024-12", 7, b""), Piece("0001-01", 0, b"\x00")]


def ratio_of(byte: int) -> float:
    """As the document tells it."""
    return float(2 ** ((byte - 128) / 36))


@pytest.mark.parametrize("ratio", [3 / 2, 2 / 3, 4 / 3, 3 / 4, 16 / 9, 9 / 16, 1, 2])
def test_the_usual_shapes_are_met_to_a_fifth_of_a_per_cent(ratio: float) -> None:
    assert ratio_of(shape_byte(ratio)) == pytest.approx(ratio, rel=0.0025)


@given(st.floats(1 / 11, 11))
def test_any_other_shape_is_met_to_a_per_cent(ratio: float) -> None:
    assert ratio_of(shape_byte(ratio)) == pytest.approx(ratio, rel=0.01)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_whatever_a_row_says_is_a_byte(ratio: float) -> None:
    assert 0 <= shape_byte(ratio) <= 255


def test_a_strip_has_a_head_a_month_and_a_byte_a_photo() -> None:
    strip = joined(PIECES)
    assert strip[:20] == b"2025-08\x00" + (1_754_000_000_000_000).to_bytes(8, "big") + (2).to_bytes(4, "big")
    assert len(strip) == 3 * HEAD.size + 3
    assert shape_bytes([1, 1.5]) == b"\x80\x95"


def test_a_strip_is_read_back() -> None:
    assert list(pieces_in(joined(PIECES)).values()) == PIECES
    assert pieces_in(b"") == {}


@given(st.integers(0, 3 * HEAD.size + 3))
def test_of_a_strip_that_is_cut_off_whole_pieces_are_left(length: int) -> None:
    found = list(pieces_in(joined(PIECES)[:length]).values())
    assert found == PIECES[: len(found)]
