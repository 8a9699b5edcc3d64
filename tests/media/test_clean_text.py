"""Cleaning of texts and locations from files."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.media.metadata import clean_text
from sparks.media.metadata.location import decimal_degrees, iso_6709, location_of, xmp_degrees
from sparks.model.text_validation import MAX_DESCRIPTION


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"Canon\x00\x00\x00", "Canon"),
        (b"OLYMPUS IMAGING CORP.  ", "OLYMPUS IMAGING CORP."),
        ("Porträt".encode(), "Porträt"),
        ("Porträt".encode("latin-1"), "Porträt"),
        ("Porträt: 5 €".encode("cp1252"), "Porträt: 5 €"),
        (b"one\ttwo\nthree", "one two three"),
        (b"a\x01b\x7fc", "abc"),
        ("e\u0301", "é"),
        ("gnp.\u202egpj", "gnp.gpj"),
        (b"\x00\x00", None),
        (b"   ", None),
        (b"", None),
        (None, None),
    ],
)
def test_a_name_is_clean_or_absent(raw: bytes | str | None, expected: str | None) -> None:
    assert clean_text.clean_line(raw) == expected


def test_a_paragraph_keeps_its_line_breaks() -> None:
    assert clean_text.clean_paragraph(b" one\r\ntwo\rthree\n\n") == "one\ntwo\nthree"


def test_long_texts_are_cut() -> None:
    assert clean_text.clean_line("x" * 10**6) == "x" * clean_text.MAX_NAME
    assert clean_text.clean_paragraph(b"y" * 10**6) == "y" * MAX_DESCRIPTION


def test_keywords_are_unique_whatever_their_case() -> None:
    assert clean_text.clean_keywords(["Sea", "sea ", "SEA", "sky", "", "x" * 101]) == ("Sea", "sky")
    assert len(clean_text.clean_keywords(map(str, range(1000)))) == clean_text.MAX_KEYWORDS


@given(st.binary(max_size=300) | st.text(max_size=300))
def test_the_cleaned_text_is_always_printable(raw: bytes | str) -> None:
    for text in (clean_text.clean_line(raw), clean_text.clean_paragraph(raw)):
        if text is not None:
            assert text == text.strip() == unicodedata.normalize("NFC", text)
            assert not any(unicodedata.category(letter) == "Cc" for letter in text if letter not in "\n\t")


@pytest.mark.parametrize(
    ("latitude", "longitude"),
    [(0.0, 0.0), (91.0, 10.0), (10.0, 181.0), (float("nan"), 10.0), (10.0, float("inf")), (None, 10.0), (10.0, None)],
)
def test_coordinates_outside_the_valid_range_are_no_location(latitude: float | None, longitude: float | None) -> None:
    assert location_of(latitude, longitude) is None


def test_a_location_on_the_equator_or_the_zero_meridian_is_kept() -> None:
    assert location_of(0.0, 10.0) is not None
    assert location_of(51.5, -0.0) is not None


@pytest.mark.parametrize(
    ("altitude", "expected"), [(35.123, 35.12), (-10.0, -10.0), (-0.0, 0.0), (1e9, None), (None, None)]
)
def test_an_implausible_altitude_is_absent(altitude: float | None, expected: float | None) -> None:
    location = location_of(48.0, 2.0, altitude)
    assert location is not None
    assert location.altitude == expected
    assert str(location.altitude) != "-0.0"


def test_degrees_are_read_from_one_two_or_three_parts() -> None:
    assert decimal_degrees([36.5], "N") == 36.5
    assert decimal_degrees([36.0, 30.0], "S") == -36.5
    assert decimal_degrees([36.0, 29.0, 60.0], "W") == -36.5
    assert decimal_degrees([36.0, 30.0, None], "E") == 36.5
    assert decimal_degrees([None, 30.0, 0.0], "E") is None
    assert decimal_degrees([], "E") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("37,46.5N", 37.775),
        ("37,46,30N", 37.775),
        ("122,30.0W", -122.5),
        ("122,30W", -122.5),
        ("x", None),
        (None, None),
    ],
)
def test_degrees_in_the_format_of_xmp_are_read(text: str | None, expected: float | None) -> None:
    found = xmp_degrees(text)
    assert found == (None if expected is None else pytest.approx(expected))


def test_a_location_in_the_format_of_videos_is_read() -> None:
    place = iso_6709("+37.7749-122.4194+010.000/")
    assert place is not None
    assert (place.latitude, place.longitude, place.altitude) == (37.7749, -122.4194, 10.0)
    assert iso_6709("+48.8577+002.2950/") is not None
    assert iso_6709("+00.0000+000.0000/") is None
    assert iso_6709("Paris") is None
