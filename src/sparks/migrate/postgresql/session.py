"""One connection to the source that outlives a restart of PostgreSQL.

[Note: repeated statements] Where the connection is lost during a statement, no answer says whether it was carried out.
So every statement that the migrator sends has the same effect when it is sent twice, and the session sends it again.

[Note: session settings] The settings of a role or a database may not change what the migrator reads or how safe its
commits are: times are in UTC, a statement sees what is committed when it begins, a commit is on the disk, and a policy
for row security makes a statement fail where it would hide rows.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from sparks.migrate.postgresql.error_mapping import map_error
from sparks.model.errors import BadInput

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]
SCHEMES: Final = ("postgresql://", "postgres://")
PAUSE: Final = 0.1
OPTIONS: Final = {
    "application_name": "sparks migrate",
    "client_encoding": "utf8",
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
SETTINGS: Final = """
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET row_security = off;
SET default_transaction_isolation = 'read committed';
SET default_transaction_read_only = off;
SET statement_timeout = 0;
SET lock_timeout = 0;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
"""


def check_url(url: str) -> None:
    """Raises BadInput for text that is no address of a PostgreSQL database, and for one that holds a password, because
    addresses are stored and shown.
    """
    if not url.startswith(SCHEMES):
        raise BadInput("the address of the source has the form postgresql://user@host:port/database")
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error as error:
        raise BadInput(f"the address of the source cannot be read: {' '.join(str(error).split())}") from error
    if "password" in parts:
        raise BadInput("the address of the source holds a password: give it in PGPASSWORD instead")
    ports = str(parts.get("port", "5432")).split(",")
    if not all(port.isascii() and port.isdigit() for port in ports):
        raise BadInput(f"the address of the source has no number as its port: {parts['port']}")


class Session:
    """Runs statements one at a time, in whichever thread. A connection that was lost is opened again, for at most
    `patience` seconds. Raises Unavailable, Busy, Conflict or BadInput.
    """

    def __init__(
        self,
        url: str,
        *,
        patience: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        check_url(url)
        self._url = url
        self._patience = patience
        self._clock = clock
        self._sleep = sleep
        self._turn = threading.RLock()
        try:
            self._connection = self._connect()
        except psycopg.Error as error:
            raise map_error(error) from error

    def fetch(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of one statement, which is a transaction of its own."""
        return self._repeat(lambda connection: connection.execute(query, parameters).fetchall())

    def run(self, script: str) -> None:
        """Sends statements without parameters in one message. The server goes on to the last one, COMMIT say, without
        this process, which may be stopped meanwhile; after an error nothing more is done.
        """
        self._repeat(lambda connection: connection.execute(script).close())

    def transaction(self, work: Callable[[Connection], T]) -> T:
        """Carries out `work` in one transaction; it may be carried out again, see [Note: repeated statements]."""

        def work_in_transaction(connection: Connection) -> T:
            with connection.transaction():
                return work(connection)

        return self._repeat(work_in_transaction)

    def close(self) -> None:
        self._connection.close()

    def _repeat(self, work: Callable[[Connection], T]) -> T:
        with self._turn:
            deadline = self._clock() + self._patience
            while True:
                try:
                    return self._attempt(work)
                except psycopg.Error as error:
                    if not self._connection.closed or self._clock() >= deadline:
                        raise map_error(error) from error
                self._sleep(PAUSE)

    def _attempt(self, work: Callable[[Connection], T]) -> T:
        if self._connection.closed:
            self._connection = self._connect()
        try:
            return work(self._connection)
        finally:
            if not self._connection.closed:
                self._connection.rollback()

    def _connect(self) -> Connection:
        own = {name: value for name, value in OPTIONS.items() if name not in conninfo_to_dict(self._url)}
        connection = psycopg.connect(self._url, autocommit=True, **own)  # type: ignore[arg-type]
        try:
            connection.execute(SETTINGS)
        except psycopg.Error:
            connection.close()
            raise
        return connection
