"""Leases: one holder at a time, for as long as the lease lasts."""

from dataclasses import replace
from datetime import timedelta

import pytest

from sparks.library.leases import INCREMENTAL, acquire_lease, job_state, release_lease, renew_lease
from sparks.model.errors import Busy
from sparks.table.port import Table
from tests.factories import NOON
from tests.library.tables import Meddled

MINUTE = timedelta(minutes=1)


def test_a_job_that_never_ran_has_nothing_to_tell(table: Table) -> None:
    state = job_state(INCREMENTAL, table=table)
    assert (state.last_processed_at, state.last_run_at, state.stats, state.lease) == (None, None, None, None)


def test_one_run_holds_a_job_at_a_time(any_table: Table) -> None:
    job = f"a job of {any_table}"
    held = acquire_lease(job, "one", at=NOON, seconds=60, table=any_table)
    with pytest.raises(Busy):
        acquire_lease(job, "other", at=NOON, seconds=60, table=any_table)
    release_lease(held, table=any_table)
    assert acquire_lease(job, "other", at=NOON, seconds=60, table=any_table).lease is not None


def test_a_lease_of_a_killed_run_ends_by_itself(table: Table) -> None:
    acquire_lease(INCREMENTAL, "killed", at=NOON, seconds=60, table=table)
    taken = acquire_lease(INCREMENTAL, "next", at=NOON + MINUTE, seconds=60, table=table)
    assert taken.lease is not None
    assert taken.lease.holder == "next"


def test_one_of_two_concurrent_runs_is_refused(table: Table) -> None:
    meddled = Meddled(table, lambda: acquire_lease(INCREMENTAL, "faster", at=NOON, seconds=60, table=table))
    with pytest.raises(Busy):
        acquire_lease(INCREMENTAL, "slower", at=NOON, seconds=60, table=meddled)


def test_progress_stays_when_the_lease_is_released(table: Table) -> None:
    held = acquire_lease(INCREMENTAL, "one", at=NOON, seconds=60, table=table)
    kept = renew_lease(replace(held, last_processed_at=NOON), at=NOON, seconds=60, table=table)
    release_lease(replace(kept, stats={"processedFaces": 3}), table=table)
    state = job_state(INCREMENTAL, table=table)
    assert (state.last_processed_at, state.stats, state.lease) == (NOON, {"processedFaces": 3}, None)


def test_a_renewed_lease_is_kept(table: Table) -> None:
    held = acquire_lease(INCREMENTAL, "one", at=NOON, seconds=60, table=table)
    renew_lease(held, at=NOON + MINUTE / 2, seconds=60, table=table)
    with pytest.raises(Busy):
        acquire_lease(INCREMENTAL, "other", at=NOON + MINUTE, seconds=60, table=table)


def test_one_who_has_lost_the_lease_notes_nothing(table: Table) -> None:
    lost = acquire_lease(INCREMENTAL, "slow", at=NOON, seconds=60, table=table)
    acquire_lease(INCREMENTAL, "next", at=NOON + MINUTE, seconds=60, table=table)
    with pytest.raises(Busy):
        renew_lease(lost, at=NOON + MINUTE, seconds=60, table=table)
    with pytest.raises(Busy):
        release_lease(lost, table=table)
    lease = job_state(INCREMENTAL, table=table).lease
    assert lease is not None
    assert lease.holder == "next"
