"""How far a job is that goes on from where it stopped, and who runs it: a lease keeps two from doing it at once.

A lease ends by itself, so that nobody waits for one who was killed; whoever works for long renews it on the way. What a
job notes, it notes only while the lease is its own.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from sparks.library import keys
from sparks.library.photos.writing import as_read
from sparks.library.records import changes, from_item, to_item
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.ledger import JobState, Lease
from sparks.model.times import has_passed
from sparks.table.port import Absent, Conditions, Put, Table

INCREMENTAL: Final = "incremental-rebuild"  # its lease is held by a full rebuild too
FULL: Final = "full-rebuild"

_LEASE: Final = ("lease",)
_TAKEN: Final = "this work is being done by somebody else right now: try again later"


def job_state(job_name: str, *, table: Table) -> JobState:
    """As it was noted last; one that never ran has nothing to tell."""
    item = table.get(keys.job_state(job_name))
    return JobState(job_name=job_name) if item is None else from_item(JobState, item)


def hold(job_name: str, holder: str, *, at: datetime, seconds: float, table: Table) -> JobState:
    """The state, with a lease of so many seconds; nobody else holds it meanwhile. Busy where another's lease stands.

    `holder` is another one each time, so that a run is not taken for an earlier one.
    """
    item = table.get(keys.job_state(job_name))
    before = JobState(job_name=job_name) if item is None else from_item(JobState, item)
    if before.lease is not None and before.lease.holder != holder and not has_passed(before.lease.expires_at, at=at):
        raise Busy(_TAKEN)
    leased = replace(before, lease=Lease(holder, _later(at, seconds)))
    as_seen: Conditions = (Absent(),) if item is None else as_read(item, _LEASE)
    change = Put(to_item(leased), when=as_seen) if item is None else changes(before, leased, when=as_seen)
    try:
        table.write(change)
    except ConditionFailed as failed:
        raise Busy(_TAKEN) from failed
    return leased


def keep(state: JobState, *, at: datetime, seconds: float, table: Table) -> JobState:
    """Notes the state as it is given here, with its lease renewed. Busy where the lease was lost: then somebody else
    does the work, and one stops.
    """
    return _note(state, None if state.lease is None else replace(state.lease, expires_at=_later(at, seconds)), table)


def let_go(state: JobState, *, table: Table) -> JobState:
    """Notes the state as it is given here, and nobody holds it any more. Busy as in `keep`."""
    return _note(state, None, table)


def _note(state: JobState, lease: Lease | None, table: Table) -> JobState:
    item = table.get(keys.job_state(state.job_name))
    if item is None or state.lease is None:
        raise Busy(_TAKEN)
    there = from_item(JobState, item)
    if there.lease is None or there.lease.holder != state.lease.holder:
        raise Busy(_TAKEN)
    noted = replace(state, lease=lease)
    try:
        table.write(changes(there, noted, when=as_read(item, _LEASE)))
    except ConditionFailed as failed:
        raise Busy(_TAKEN) from failed
    return noted


def _later(at: datetime, seconds: float) -> datetime:
    return at + timedelta(seconds=seconds)
