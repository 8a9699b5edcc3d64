"""Stored progress of jobs, and the renewed leases that keep two runs apart.

A lease ends by itself, so that no run waits for one that was killed; a long run renews it on the way. A run stores its
progress only while it holds the lease.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from sparks.library import keys
from sparks.library.records import as_read, changes, from_item, to_item
from sparks.model.errors import Busy, ConditionFailed, SparksError
from sparks.model.ids import random_id
from sparks.model.system_records import JobState, Lease
from sparks.model.times import has_passed
from sparks.table.port import Absent, Conditions, Put, Table

INCREMENTAL: Final = "incremental-rebuild"  # a full rebuild holds its lease, too
FULL: Final = "full-rebuild"
REKEYING: Final = "rekeying"
ATTRIBUTE_REMOVAL: Final = "attribute-removal"

_LEASE: Final = ("lease",)
_TAKEN: Final = "another process is doing this work right now: try again later"
LEASE: Final = 60.0  # seconds
log = logging.getLogger(__name__)


def job_state(job_name: str, *, table: Table) -> JobState:
    """The stored state; a new one for a job that never ran."""
    item = table.get(keys.job_state(job_name))
    return JobState(job_name=job_name) if item is None else from_item(JobState, item)


def acquire_lease(job_name: str, holder: str, *, at: datetime, seconds: float, table: Table) -> JobState:
    """The state, with a lease of so many seconds. Busy while another run holds the lease.

    `holder` differs each time, so that a run is not taken for an earlier one.
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


def renew_lease(state: JobState, *, at: datetime, seconds: float, table: Table) -> JobState:
    """Stores this state with its lease renewed. Busy where the lease was lost: another run does the work then, and this
    one stops.
    """
    return _note(state, None if state.lease is None else replace(state.lease, expires_at=_later(at, seconds)), table)


def release_lease(state: JobState, *, table: Table) -> JobState:
    """Stores this state without a lease. Busy as in `renew_lease`."""
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


class HeldLeases:
    """The states of jobs whose leases this run holds. It is thread-safe."""

    def __init__(self, *, at: datetime, table: Table) -> None:
        self._began, self._at = time.monotonic(), at
        self._holder = random_id()
        self._table = table
        self._states: dict[str, JobState] = {}
        self._noting = threading.Lock()

    def __getitem__(self, job_name: str) -> JobState:
        return self._states[job_name]

    def now(self) -> datetime:
        """`at` moved on by the time that has passed since, no finer than a row holds it."""
        return self._at + timedelta(milliseconds=int(1000 * (time.monotonic() - self._began)))

    def take(self, job_name: str) -> None:
        """Busy where another run holds it."""
        state = acquire_lease(job_name, self._holder, at=self.now(), seconds=LEASE, table=self._table)
        self._states[job_name] = state

    def note(self, job_name: str, **changes: Any) -> None:
        """Stores the progress and renews the lease. Busy where that was lost."""
        with self._noting:
            state = replace(self._states[job_name], **changes)
            self._states[job_name] = renew_lease(state, at=self.now(), seconds=LEASE, table=self._table)

    def renew(self) -> None:
        for job_name in self._states:
            self.note(job_name)

    def let_go(self) -> None:
        """A lease that cannot be released, or is held by another run by now, ends by itself."""
        for state in self._states.values():
            with suppress(SparksError):
                release_lease(state, table=self._table)


@contextmanager
def held_leases(*job_names: str, at: datetime, table: Table) -> Iterator[HeldLeases]:
    """Busy where another run holds one of them."""
    mine = HeldLeases(at=at, table=table)
    try:
        for job_name in job_names:
            mine.take(job_name)
        with _kept_up(mine):
            yield mine
    finally:
        mine.let_go()


@contextmanager
def _kept_up(mine: HeldLeases) -> Iterator[None]:
    finished = threading.Event()
    thread = threading.Thread(target=_renew, args=(mine, finished), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def _renew(mine: HeldLeases, finished: threading.Event) -> None:
    while not finished.wait(LEASE / 3):
        try:
            mine.renew()
        except SparksError as error:
            log.warning("the lease could not be renewed: %s", error)
