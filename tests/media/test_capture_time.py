"""Capture times in all formats that files use."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.media.metadata.capture_time import CaptureTime, TakenFrom, read_offset, read_time, with_offset_from
from sparks.model.times import iso


def read(text: str | None, *, offset: str | None = None, fraction: str | None = None) -> str | None:
    taken = read_time(text, TakenFrom.EXIF, offset=offset, fraction=fraction)
    return None if taken is None else iso(taken.at) + (taken.offset or "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2021:04:10 11:44:00", "2021-04-10T11:44:00.000Z"),
        ("2021-04-10T11:44:00", "2021-04-10T11:44:00.000Z"),
        ("2021-04-10T11:44:00Z", "2021-04-10T11:44:00.000Z+00:00"),
        ("2021-04-10T11:44:00+02:00", "2021-04-10T09:44:00.000Z+02:00"),
        ("2021-04-10T11:44:00+0200", "2021-04-10T09:44:00.000Z+02:00"),
        ("2021-04-10T11:44:00.5-09:30", "2021-04-10T21:14:00.500Z-09:30"),
        ("2021-04-10 11:44", "2021-04-10T11:44:00.000Z"),
        ("2021-04-10", "2021-04-10T00:00:00.000Z"),
        ("2021:04:10 11:44:60", "2021-04-10T11:44:59.000Z"),
        ("  2021:04:10 11:44:00  ", "2021-04-10T11:44:00.000Z"),
        ("0000:00:00 00:00:00", None),
        ("    :  :     :  :  ", None),
        ("2021:13:10 11:44:00", None),
        ("2021:02:30 11:44:00", None),
        ("1904-01-01T00:00:00Z", None),
        ("1970-01-01T00:00:00.000000Z", None),
        ("0001:01:01 00:00:00", None),
        ("9999:12:31 23:59:59", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_a_time_is_read_or_absent(text: str | None, expected: str | None) -> None:
    assert read(text) == expected


def test_a_separate_offset_applies_to_a_time_without_its_own() -> None:
    assert read("2021:04:10 11:44:00", offset="+02:00") == "2021-04-10T09:44:00.000Z+02:00"
    assert read("2021-04-10T11:44:00Z", offset="+02:00") == "2021-04-10T11:44:00.000Z+00:00"


def test_a_fraction_of_any_length_gives_milliseconds() -> None:
    assert read("2021:04:10 11:44:00", fraction="5") == "2021-04-10T11:44:00.500Z"
    assert read("2021:04:10 11:44:00", fraction="860627") == "2021-04-10T11:44:00.860Z"
    assert read("2021:04:10 11:44:00", fraction="  ") == "2021-04-10T11:44:00.000Z"


@pytest.mark.parametrize("text", ["", "02:00", "+25:00", "+02:60", "+02:00:00", "Berlin", None])
def test_an_invalid_offset_is_absent(text: str | None) -> None:
    assert read_offset(text) is None


@pytest.mark.parametrize("text", ["+02:00", "+0200", "+02", "+2", " +02:00 "])
def test_offsets_are_normalized(text: str) -> None:
    assert read_offset(text) == "+02:00"


@pytest.mark.parametrize(
    ("local", "gps_time", "offset"),
    [
        ("2018:07:16 17:52:22", "2018-07-16T15:52:22Z", "+02:00"),
        ("2014:07:12 16:17:10", "2014-07-12T23:15:54Z", "-07:00"),
        ("2020:01:01 00:15:00", "2019-12-31T18:30:20Z", "+05:45"),
        ("2018:07:16 17:52:22", "2018-07-16T15:40:00Z", None),
        ("2018:07:16 17:52:22", "2018-07-12T15:52:22Z", None),
    ],
)
def test_the_offset_follows_from_the_gps_time_where_both_clocks_agree(
    local: str, gps_time: str, offset: str | None
) -> None:
    taken, fix = read_time(local, TakenFrom.EXIF), read_time(gps_time, TakenFrom.GPS)
    assert taken is not None
    assert fix is not None
    known = with_offset_from(taken, fix.at)
    assert known.offset == offset
    assert abs(known.at - fix.at).total_seconds() <= 90 or offset is None


def test_the_cameras_own_offset_is_kept() -> None:
    taken = CaptureTime(datetime(2020, 1, 1, tzinfo=UTC), "+01:00", TakenFrom.EXIF)
    assert with_offset_from(taken, datetime(2020, 1, 1, 5, tzinfo=UTC)) == taken


@given(st.text(max_size=80) | st.from_regex(r"\d{4}:\d\d:\d\d \d\d:\d\d:\d\d([+-]\d\d:\d\d)?", fullmatch=True))
def test_no_text_raises_an_error_when_read_as_a_time(text: str) -> None:
    taken = read_time(text, TakenFrom.EXIF, offset=text, fraction=text)
    if taken is not None:
        assert len(iso(taken.at)) == 24
