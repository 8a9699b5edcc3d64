"""Aspect ratios of photos in one byte each, and the strips that hold them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.feed.aspect_ratios import HEADER, MonthRatios, join_ratios, ratio_byte, ratio_bytes, split_ratios

PIECES = [
    MonthRatios("2025-08", 1_754_000_000_000_000, b"\x80\x95"),
    MonthRatios("2024-12", 7, b""),
    MonthRatios("0001-01", 0, b"\x00"),
]


def ratio_of(byte: int) -> float:
    """As the document tells it."""
    return float(2 ** ((byte - 128) / 36))


@pytest.mark.parametrize("ratio", [3 / 2, 2 / 3, 4 / 3, 3 / 4, 16 / 9, 9 / 16, 1, 2])
def test_common_aspect_ratios_are_encoded_to_a_fifth_of_a_per_cent(ratio: float) -> None:
    assert ratio_of(ratio_byte(ratio)) == pytest.approx(ratio, rel=0.0025)


@given(st.floats(1 / 11, 11))
def test_other_aspect_ratios_are_encoded_to_a_per_cent(ratio: float) -> None:
    assert ratio_of(ratio_byte(ratio)) == pytest.approx(ratio, rel=0.01)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_is_encoded_as_a_byte(ratio: float) -> None:
    assert 0 <= ratio_byte(ratio) <= 255


def test_a_strip_has_a_header_for_each_month_and_a_byte_for_each_photo() -> None:
    strip = join_ratios(PIECES)
    assert strip[:20] == b"2025-08\x00" + (1_754_000_000_000_000).to_bytes(8, "big") + (2).to_bytes(4, "big")
    assert len(strip) == 3 * HEADER.size + 3
    assert ratio_bytes([1, 1.5]) == b"\x80\x95"


def test_a_strip_is_read_back() -> None:
    assert list(split_ratios(join_ratios(PIECES)).values()) == PIECES
    assert split_ratios(b"") == {}


@given(st.integers(0, 3 * HEADER.size + 3))
def test_a_truncated_strip_keeps_its_complete_pieces(length: int) -> None:
    found = list(split_ratios(join_ratios(PIECES)[:length]).values())
    assert found == PIECES[: len(found)]
