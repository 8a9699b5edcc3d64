"""Ids of migrated photos and albums."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.migrate.new_ids import new_id_of
from sparks.model.ids import is_uuid, time_of
from sparks.model.times import EPOCH

TIME = datetime(2024, 2, 29, 12, 30, 15, 678000, tzinfo=UTC)
OLD = "0d3b1b3e-6f1f-4a63-9d0e-3f1c2b4a5d6e"


@given(st.uuids(version=4).map(str), st.datetimes(EPOCH.replace(tzinfo=None), timezones=st.just(UTC)))
def test_an_id_is_a_uuid7_of_the_time_to_the_millisecond_and_always_the_same(old: str, time: datetime) -> None:
    made = new_id_of(old, time)
    assert is_uuid(made)
    assert UUID(made).version == 7
    assert time_of(made) == time.replace(microsecond=time.microsecond // 1000 * 1000)
    assert new_id_of(old, time) == made


@pytest.mark.parametrize("time", [None, EPOCH - timedelta(days=1), datetime(1, 1, 1, tzinfo=UTC)])
def test_a_time_that_is_absent_or_before_1970_counts_as_1970(time: datetime | None) -> None:
    assert time_of(new_id_of(OLD, time)) == EPOCH


def test_an_id_that_is_a_uuid7_stays_whatever_its_time() -> None:
    old = new_id_of(OLD, TIME)
    assert new_id_of(old, None) == new_id_of(old, TIME + timedelta(days=1)) == old


def test_two_rows_of_one_time_have_different_ids() -> None:
    made = {new_id_of(str(uuid4()), TIME) for _ in range(1000)}
    assert len(made) == 1000
