"""Leases that are kept up while somebody works, for as long as that takes."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from sparks.library.job_states import hold, keep, let_go
from sparks.model.errors import SparksError
from sparks.model.ids import random_id
from sparks.model.ledger import JobState
from sparks.table.port import Table

LEASE: Final = 60.0  # seconds

log = logging.getLogger(__name__)


class Held:
    """The states of jobs that nobody else runs now. Any thread may use this."""

    def __init__(self, *, at: datetime, table: Table) -> None:
        self._began, self._at = time.monotonic(), at
        self._holder = random_id()
        self._table = table
        self._states: dict[str, JobState] = {}
        self._noting = threading.Lock()

    def __getitem__(self, job_name: str) -> JobState:
        return self._states[job_name]

    def now(self) -> datetime:
        """As the clock has gone on since `at`, no finer than it can be stored."""
        return self._at + timedelta(milliseconds=int(1000 * (time.monotonic() - self._began)))

    def take(self, job_name: str) -> None:
        """Busy where somebody else has it."""
        state = hold(job_name, self._holder, at=self.now(), seconds=LEASE, table=self._table)
        self._states[job_name] = state

    def note(self, job_name: str, **changes: Any) -> None:
        """Writes down how far it is, and renews the lease. Busy where that was lost."""
        with self._noting:
            state = replace(self._states[job_name], **changes)
            self._states[job_name] = keep(state, at=self.now(), seconds=LEASE, table=self._table)

    def renew(self) -> None:
        for job_name in self._states:
            self.note(job_name)

    def let_go(self) -> None:
        """[Note: lost] A lease that cannot be given back, or is somebody else's by now, ends by itself."""
        for state in self._states.values():
            with suppress(SparksError):
                let_go(state, table=self._table)


@contextmanager
def held(*job_names: str, at: datetime, table: Table) -> Iterator[Held]:
    """Busy where one of them is held by somebody else."""
    mine = Held(at=at, table=table)
    try:
        for job_name in job_names:
            mine.take(job_name)
        with _kept_up(mine):
            yield mine
    finally:
        mine.let_go()


@contextmanager
def _kept_up(mine: Held) -> Iterator[None]:
    finished = threading.Event()
    thread = threading.Thread(target=_renew, args=(mine, finished), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def _renew(mine: Held, finished: threading.Event) -> None:
    while not finished.wait(LEASE / 3):
        try:
            mine.renew()
        except SparksError as error:
            log.warning("the lease could not be renewed: %s", error)
