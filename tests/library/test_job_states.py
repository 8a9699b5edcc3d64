"""One who runs a job is alone with it, for as long as the lease lasts."""

from dataclasses import replace
from datetime import timedelta

import pytest

from sparks.library.job_states import INCREMENTAL, hold, job_state, keep, let_go
from sparks.model.errors import Busy
from sparks.table.port import Table
from tests.factories import NOON
from tests.library.tables import Meddled

MINUTE = timedelta(minutes=1)


def test_a_job_that_never_ran_has_nothing_to_tell(table: Table) -> None:
    state = job_state(INCREMENTAL, table=table)
    assert (state.last_processed_at, state.last_run_at, state.stats, state.lease) == (None, None, None, None)


def test_a_job_is_held_by_one_at_a_time(any_table: Table) -> None:
    job = f"a job of {any_table}"
    held = hold(job, "one", at=NOON, seconds=60, table=any_table)
    with pytest.raises(Busy):
        hold(job, "other", at=NOON, seconds=60, table=any_table)
    let_go(held, table=any_table)
    assert hold(job, "other", at=NOON, seconds=60, table=any_table).lease is not None


def test_nobody_waits_for_one_who_was_killed(table: Table) -> None:
    hold(INCREMENTAL, "killed", at=NOON, seconds=60, table=table)
    taken = hold(INCREMENTAL, "next", at=NOON + MINUTE, seconds=60, table=table)
    assert taken.lease is not None
    assert taken.lease.holder == "next"


def test_of_two_who_come_at_once_one_is_sent_away(table: Table) -> None:
    meddled = Meddled(table, lambda: hold(INCREMENTAL, "faster", at=NOON, seconds=60, table=table))
    with pytest.raises(Busy):
        hold(INCREMENTAL, "slower", at=NOON, seconds=60, table=meddled)


def test_what_is_noted_stays_when_the_lease_is_given_back(table: Table) -> None:
    held = hold(INCREMENTAL, "one", at=NOON, seconds=60, table=table)
    kept = keep(replace(held, last_processed_at=NOON), at=NOON, seconds=60, table=table)
    let_go(replace(kept, stats={"processedFaces": 3}), table=table)
    state = job_state(INCREMENTAL, table=table)
    assert (state.last_processed_at, state.stats, state.lease) == (NOON, {"processedFaces": 3}, None)


def test_whoever_renews_the_lease_keeps_it(table: Table) -> None:
    held = hold(INCREMENTAL, "one", at=NOON, seconds=60, table=table)
    keep(held, at=NOON + MINUTE / 2, seconds=60, table=table)
    with pytest.raises(Busy):
        hold(INCREMENTAL, "other", at=NOON + MINUTE, seconds=60, table=table)


def test_one_who_has_lost_the_lease_notes_nothing(table: Table) -> None:
    lost = hold(INCREMENTAL, "slow", at=NOON, seconds=60, table=table)
    hold(INCREMENTAL, "next", at=NOON + MINUTE, seconds=60, table=table)
    with pytest.raises(Busy):
        keep(lost, at=NOON + MINUTE, seconds=60, table=table)
    with pytest.raises(Busy):
        let_go(lost, table=table)
    lease = job_state(INCREMENTAL, table=table).lease
    assert lease is not None
    assert lease.holder == "next"
