"""Locks on the tables of a source that is in use: the migrator gives way, never the application.

[Note: no deadlock for the application] PostgreSQL looks for a deadlock once in each wait, when the wait is as old as
`deadlock_timeout`, and ends the transaction that looks. So the migrator never takes part in a deadlock at such a
moment. A lock on one table is waited for while no other lock is held. A transaction that locks all tables waits for a
shorter time than `deadlock_timeout`, all waits together (`lock_timeout` counts each alone), and only if no other wait
will reach that age within this time. Otherwise it gives up, lets the application go on, and tries again.

[Note: autovacuum] A vacuum in the background hinders these locks, and no writer. PostgreSQL cancels it for a wait that
is older than `deadlock_timeout`, which the waits above never are. So after a vain attempt the migrator waits as long as
that for a lock that hinders no writer either.
"""

import random
import time
from collections.abc import Callable
from typing import Final

from sparks.migrate.postgresql.session import Session
from sparks.migrate.postgresql.source import TABLES
from sparks.model.errors import Busy

ONE_TABLE_MS: Final = 500
ALL_TABLES_MS: Final = 900
SHARE_OF_DEADLOCK_TIMEOUT: Final = 0.9
MIN_PAUSE: Final = 0.05
MAX_PAUSE: Final = 0.3
LOCK_ALL: Final = """
SET LOCAL statement_timeout = {wait};
DO $$ BEGIN
  LOCK TABLE {first} IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid() AND waitstart
      BETWEEN clock_timestamp() - interval '{deadlock} ms'
      AND statement_timestamp() + interval '{wait} ms' - interval '{deadlock} ms') THEN
    RAISE lock_not_available USING MESSAGE = 'other transactions have waited for a lock for some time';
  END IF;
  LOCK TABLE {others} IN SHARE ROW EXCLUSIVE MODE;
END $$;
"""
CANCEL_AUTOVACUUM: Final = """
BEGIN;
SET LOCAL lock_timeout = {wait};
LOCK TABLE {table} IN SHARE UPDATE EXCLUSIVE MODE;
COMMIT
"""


class TableLocks:
    """Runs scripts under locks, again and again until one gets them or `patience` seconds have passed: then Busy."""

    def __init__(
        self,
        session: Session,
        *,
        patience: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._session = session
        self._patience = patience
        self._clock = clock
        self._sleep = sleep

    def run_on(self, table: str, script: str) -> None:
        """One transaction, whose statements lock no other table of the application."""
        wait = min(ONE_TABLE_MS, _below(self._deadlock_timeout()))
        self._attempt(f"BEGIN; SET LOCAL lock_timeout = {wait}; {script}; COMMIT", (table,))

    def run_on_all(self, script: str) -> None:
        """One transaction that holds all tables against writes. Reads go on."""
        deadlock = self._deadlock_timeout()
        first, *others = reversed(TABLES)  # the one with most writes first: the others are waited for while it is held
        wait = min(ALL_TABLES_MS, _below(deadlock))
        locks = LOCK_ALL.format(wait=wait, deadlock=deadlock, first=first, others=", ".join(others))
        self._attempt(f"BEGIN; {locks} {script}; COMMIT", TABLES)

    def _attempt(self, script: str, tables: tuple[str, ...]) -> None:
        deadline = self._clock() + self._patience
        while True:
            try:
                return self._session.run(script)
            except Busy as error:
                if self._clock() >= deadline:
                    raise _still_busy(tables, error) from error
            self._cancel_autovacuum(tables)
            self._sleep(random.SystemRandom().uniform(MIN_PAUSE, MAX_PAUSE))

    def _cancel_autovacuum(self, tables: tuple[str, ...]) -> None:
        """See [Note: autovacuum]."""
        wait = self._deadlock_timeout() + ONE_TABLE_MS
        for table in tables:
            try:
                self._session.run(CANCEL_AUTOVACUUM.format(wait=wait, table=table))
            except Busy:
                continue  # a vacuum that cannot be canceled, or a change of the table's columns: the next attempt tells

    def _deadlock_timeout(self) -> int:
        [(milliseconds,)] = self._session.fetch("SELECT setting::int FROM pg_settings WHERE name = 'deadlock_timeout'")
        return int(milliseconds)


def _below(deadlock_timeout: int) -> int:
    return max(1, int(deadlock_timeout * SHARE_OF_DEADLOCK_TIMEOUT))


def _still_busy(tables: tuple[str, ...], error: Busy) -> Busy:
    return Busy(
        f"no lock on {', '.join(tables)} could be had in time, because transactions of the application or a vacuum "
        f"hold theirs for long; nothing was changed: try again ({error})"
    )
