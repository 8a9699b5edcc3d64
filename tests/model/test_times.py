"""Times: one format, parsed strictly."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.model.errors import BadInput
from sparks.model.times import day_of, from_iso, from_unix, has_passed, iso, month_of, now, unix, zone
from tests import strategies

TAKEN = datetime(2025, 8, 1, 9, 24, 22, 159_000, tzinfo=UTC)
FOREVER = datetime.max.replace(tzinfo=UTC)


def test_a_time_is_written_as_the_documents_do() -> None:
    assert iso(TAKEN) == "2025-08-01T09:24:22.159Z"
    assert from_iso("2025-08-01T09:24:22.159Z") == TAKEN


def test_a_time_without_milliseconds_has_them_written() -> None:
    assert iso(datetime(2025, 8, 1, tzinfo=UTC)) == "2025-08-01T00:00:00.000Z"


def test_fractions_of_a_millisecond_are_dropped() -> None:
    assert iso(TAKEN.replace(microsecond=159_999)) == "2025-08-01T09:24:22.159Z"


def test_a_time_elsewhere_is_written_in_utc() -> None:
    assert iso(datetime(2025, 8, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))) == "2025-07-31T23:00:00.000Z"


@given(strategies.times)
def test_a_written_time_is_read_back(time: datetime) -> None:
    assert from_iso(iso(time)) == time


@given(strategies.times, strategies.times)
def test_written_times_sort_as_the_times_do(one: datetime, other: datetime) -> None:
    assert len(iso(one)) == 24
    assert (iso(one) < iso(other)) == (one < other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2025-08-01",
        "2025-08-01T09:24:22Z",
        "2025-08-01T09:24:22.159",
        "2025-08-01T09:24:22.159+00:00",
        "2025-08-01t09:24:22.159z",
        "2025-08-01 09:24:22.159Z",
        "2025-08-01T09:24:22,159Z",
        "2025-08-01T09:24:22.159000Z",
        "2025-08-01T09:24:22.159Z\n",
        "2025-W31-5T09:24:22.159Z",
        "2025-02-30T09:24:22.159Z",
        "2025-08-01T24:00:00.000Z",
        "2025-08-01T09:24:60.000Z",
        "0000-08-01T09:24:22.159Z",
        "٢٠٢٥-08-01T09:24:22.159Z",
    ],
)
def test_any_other_form_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        from_iso(text)


def test_a_time_without_a_zone_is_refused() -> None:
    naive = TAKEN.replace(tzinfo=None)
    for write in (iso, unix, month_of):
        with pytest.raises(BadInput):
            write(naive)


def test_a_time_that_utc_cannot_tell_is_refused() -> None:
    with pytest.raises(BadInput):
        iso(datetime.max.replace(tzinfo=timezone(timedelta(hours=-2))))


def test_unix_seconds_are_whole_and_are_read_back() -> None:
    assert unix(TAKEN) == 1754040262
    assert from_unix(1754040302) == datetime(2025, 8, 1, 9, 25, 2, tzinfo=UTC)
    assert unix(from_unix(-1)) == -1
    assert unix(datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC)) == -1


def test_seconds_out_of_the_calendar_are_refused() -> None:
    with pytest.raises(BadInput):
        from_unix(10**15)


def test_now_is_no_finer_than_it_is_written() -> None:
    time = now()
    assert from_iso(iso(time)) == time


def test_a_day_is_in_utc() -> None:
    assert day_of(datetime(2025, 8, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))) == "2025-07-31"


@pytest.mark.parametrize(
    ("offset", "month"),
    [(None, "2025-07"), ("+00:00", "2025-07"), ("+00:29", "2025-07"), ("+00:30", "2025-08"), ("-11:00", "2025-07")],
)
def test_a_month_goes_by_the_photographers_clock(offset: str | None, month: str) -> None:
    assert month_of(datetime(2025, 7, 31, 23, 30, tzinfo=UTC), offset) == month


def test_a_month_may_begin_a_year_earlier_in_the_west() -> None:
    assert month_of(datetime(2025, 1, 1, 3, 0, tzinfo=UTC), "-03:30") == "2024-12"


@given(st.datetimes(timezones=st.just(UTC)), st.integers(-23, 23))
def test_every_time_has_a_month_even_at_the_ends_of_the_calendar(time: datetime, hours: int) -> None:
    month = month_of(time, f"{hours:+03}:00")
    assert len(month) == 7
    assert abs(int(month[:4]) - time.year) <= 1


def test_the_last_hour_of_the_calendar_has_a_month() -> None:
    assert month_of(FOREVER, "+14:00") == "9999-12"


@pytest.mark.parametrize("offset", ["", "Z", "2", "+2", "+0200", "02:00", "+02:60", "+24:00", "+02:00:00", "+02:00 "])
def test_any_other_offset_is_refused(offset: str) -> None:
    with pytest.raises(BadInput):
        zone(offset)


def test_an_end_has_passed_from_that_moment_on() -> None:
    assert not has_passed(None, at=FOREVER)
    assert not has_passed(TAKEN, at=TAKEN - timedelta(milliseconds=1))
    assert has_passed(TAKEN, at=TAKEN)
