"""Locks on the tables of a source that is in use: the migrator gives way, never the application.

[Note: no deadlock for the application] PostgreSQL looks for a deadlock once in each wait, when the wait is as old as
`deadlock_timeout`, and ends the transaction that looks. So the migrator takes no part in a deadlock at such a moment.
It waits for its first lock while it holds none. It waits for the other ones only if no wait of another transaction will
reach that age meanwhile, and gives up before a wait that begins now can reach it: `lock_timeout` counts each alone, but
all of them together stay below. Then it lets the application go on, and tries again.

[Note: changing order of locks] Where the application locks the tables in the opposite order, the migrator cannot have
them while such a transaction runs, and waiting longer is in vain; where transactions are long, only waiting helps. So
every attempt begins with another table, and waits longer for the others after each has been the first.

[Note: autovacuum] A vacuum in the background hinders these locks, and no writer. PostgreSQL cancels it for a wait that
is older than `deadlock_timeout`, which the waits above never are. So after a vain attempt the migrator waits as long as
that for a lock that hinders no writer either.
"""

import random
import time
from collections.abc import Callable, Iterator
from itertools import cycle, product, repeat
from typing import Final

from sparks.migrate.postgresql.session import Session
from sparks.migrate.postgresql.source import TABLES
from sparks.model.errors import Busy

ONE_TABLE_MS: Final = 500
FIRST_TABLE_MS: Final = 900
SHARE_OF_DEADLOCK_TIMEOUT: Final = 0.9
OTHER_TABLES_SHARES: Final = (0.02, 0.1, 0.3, 0.6)  # of deadlock_timeout, one after the other
MIN_PAUSE: Final = 0.01
MAX_PAUSE: Final = 0.1
LOCK_ALL: Final = """
DO $$ BEGIN
  PERFORM set_config('lock_timeout', '{wait}', true);
  LOCK TABLE {first} IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid() AND waitstart
      BETWEEN clock_timestamp() - interval '{deadlock} ms' AND clock_timestamp() - interval '{deadlock} ms'
      + interval '{others_wait} ms') THEN
    RAISE lock_not_available USING MESSAGE = 'another transaction has waited for a lock for some time';
  END IF;
  PERFORM set_config('lock_timeout', '{each_wait}', true);
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
        wait = min(ONE_TABLE_MS, _share(self._deadlock_timeout(), SHARE_OF_DEADLOCK_TIMEOUT))
        self._attempt(repeat(f"BEGIN; SET LOCAL lock_timeout = {wait}; {script}; COMMIT"), (table,))

    def run_on_all(self, script: str) -> None:
        """One transaction that holds all tables against writes. Reads go on."""
        locks = _locks_on_all(self._deadlock_timeout())
        self._attempt((f"BEGIN; {lock_all} {script}; COMMIT" for lock_all in locks), TABLES)

    def _attempt(self, scripts: Iterator[str], tables: tuple[str, ...]) -> None:
        """Runs one of the endless scripts after the other, until one gets its locks."""
        deadline = self._clock() + self._patience
        while True:
            try:
                return self._session.run(next(scripts))
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


def _locks_on_all(deadlock_timeout: int) -> Iterator[str]:
    """See [Note: changing order of locks]."""
    for share, first in cycle(product(OTHER_TABLES_SHARES, TABLES)):
        others = [table for table in TABLES if table != first]
        others_wait = _share(deadlock_timeout, share)
        yield LOCK_ALL.format(
            wait=min(FIRST_TABLE_MS, _share(deadlock_timeout, SHARE_OF_DEADLOCK_TIMEOUT)),
            deadlock=deadlock_timeout,
            others_wait=others_wait,
            each_wait=max(1, others_wait // len(others)),
            first=first,
            others=", ".join(others),
        )


def _share(milliseconds: int, share: float) -> int:
    return max(1, int(milliseconds * share))


def _still_busy(tables: tuple[str, ...], error: Busy) -> Busy:
    return Busy(
        f"no lock on {', '.join(tables)} could be had in time, because transactions of the application or a vacuum "
        f"hold theirs for long; nothing was changed: try again ({error})"
    )
