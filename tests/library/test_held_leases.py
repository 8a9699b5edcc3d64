"""Held leases: one run at a time, all or none, and ended when another run takes them."""

from datetime import datetime, timedelta

import pytest

from sparks.library.leases import FULL, INCREMENTAL, LEASE, acquire_lease, held_leases, job_state
from sparks.model.errors import Busy
from sparks.model.system_records import Lease
from sparks.table.port import Table
from tests.factories import NOON
from tests.servers.process import wait_until

LATER = NOON + timedelta(seconds=2 * LEASE)


def lease_of(job_name: str, table: Table) -> Lease | None:
    return job_state(job_name, table=table).lease


def leases(table: Table) -> list[datetime]:
    """Until when each of the two is held."""
    held_now = (lease_of(INCREMENTAL, table), lease_of(FULL, table))
    return [lease.expires_at for lease in held_now if lease is not None]


def test_leases_are_acquired_all_or_none(table: Table) -> None:
    acquire_lease(FULL, "somebody", at=NOON, seconds=LEASE, table=table)
    with pytest.raises(Busy), held_leases(INCREMENTAL, FULL, at=NOON, table=table):
        pass
    assert lease_of(INCREMENTAL, table) is None


def test_the_leases_are_held_until_the_end_of_the_block(table: Table) -> None:
    with held_leases(FULL, at=NOON, table=table), pytest.raises(Busy), held_leases(FULL, at=NOON, table=table):
        pass
    assert lease_of(FULL, table) is None
    with held_leases(FULL, at=NOON, table=table):
        pass


def test_stored_progress_is_read_afterwards(table: Table) -> None:
    with held_leases(FULL, at=NOON, table=table) as jobs:
        jobs.note(FULL, stats={"position": 7})
        jobs.renew()
    assert job_state(FULL, table=table).stats == {"position": 7}


def test_a_lease_that_was_renewed_stands_longer(table: Table) -> None:
    with held_leases(INCREMENTAL, FULL, at=NOON, table=table) as jobs:
        taken, moment = leases(table), jobs.now()
        wait_until(lambda: jobs.now() > moment, what="the clock to go on")
        jobs.renew()
        renewed = leases(table)
    assert [new > old for old, new in zip(taken, renewed, strict=True)] == [True, True]


def test_a_run_that_lost_its_lease_stores_no_progress(table: Table) -> None:
    with held_leases(FULL, at=NOON, table=table) as late:
        with held_leases(FULL, at=LATER, table=table) as other:
            other.note(FULL, stats={"position": 1})
            with pytest.raises(Busy):
                late.note(FULL, stats={"position": 9})
        with pytest.raises(Busy):
            late.note(FULL, stats={"position": 9})
    assert job_state(FULL, table=table).stats == {"position": 1}
