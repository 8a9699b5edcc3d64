"""Texts and places from files, in whatever state they are."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.media.metadata import words
from sparks.media.metadata.place import degrees, iso_6709, location_of, xmp_degrees


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
    assert words.name(raw) == expected


def test_a_passage_keeps_its_lines() -> None:
    assert words.passage(b" one\r\ntwo\rthree\n\n") == "one\ntwo\nthree"


def test_long_texts_are_cut() -> None:
    assert words.name("x" * 10**6) == "x" * words.MOST_NAME
    assert words.passage(b"y" * 10**6) == "y" * words.MOST_DESCRIPTION


def test_keywords_are_unique_whatever_their_case() -> None:
    assert words.names(["Sea", "sea ", "SEA", "sky", "", "x" * 101]) == ("Sea", "sky")
    assert len(words.names(map(str, range(1000)))) == words.MOST_KEYWORDS


@given(st.binary(max_size=300) | st.text(max_size=300))
def test_whatever_came_in_plain_text_goes_out(raw: bytes | str) -> None:
    for text in (words.name(raw), words.passage(raw)):
        if text is not None:
            assert text == text.strip() == unicodedata.normalize("NFC", text)
            assert not any(unicodedata.category(letter) == "Cc" for letter in text if letter not in "\n\t")


@pytest.mark.parametrize(
    ("latitude", "longitude"),
    [(0.0, 0.0), (91.0, 10.0), (10.0, 181.0), (float("nan"), 10.0), (10.0, float("inf")), (None, 10.0), (10.0, None)],
)
def test_what_is_not_on_the_globe_is_no_place(latitude: float | None, longitude: float | None) -> None:
    assert location_of(latitude, longitude) is None


def test_the_equator_and_the_zero_meridian_are_places() -> None:
    assert location_of(0.0, 10.0) is not None
    assert location_of(51.5, -0.0) is not None


@pytest.mark.parametrize(
    ("altitude", "expected"), [(35.123, 35.12), (-10.0, -10.0), (-0.0, 0.0), (1e9, None), (None, None)]
)
def test_an_altitude_that_nobody_reaches_is_absent(altitude: float | None, expected: float | None) -> None:
    location = location_of(48.0, 2.0, altitude)
    assert location is not None
    assert location.altitude == expected
    assert str(location.altitude) != "-0.0"


def test_degrees_come_in_one_two_or_three_parts() -> None:
    assert degrees([36.5], "N") == 36.5
    assert degrees([36.0, 30.0], "S") == -36.5
    assert degrees([36.0, 29.0, 60.0], "W") == -36.5
    assert degrees([36.0, 30.0, None], "E") == 36.5
    assert degrees([None, 30.0, 0.0], "E") is None
    assert degrees([], "E") is None


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
def test_xmp_has_its_own_way_with_degrees(text: str | None, expected: float | None) -> None:
    found = xmp_degrees(text)
    assert found == (None if expected is None else pytest.approx(expected))


def test_videos_have_another_one() -> None:
    place = iso_6709("+37.7749-122.4194+010.000/")
    assert place is not None
    assert (place.latitude, place.longitude, place.altitude) == (37.7749, -122.4194, 10.0)
    assert iso_6709("+48.8577+002.2950/") is not None
    assert iso_6709("+00.0000+000.0000/") is None
    assert iso_6709("Paris") is None
