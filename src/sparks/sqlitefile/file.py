"""SQLite file with one writer, reader connections and prompt truncation of its log.

[Note: deleted data in the log] `secure_delete` overwrites deleted data inside the database file, but the write-ahead
log still holds the old pages. A write that erases data is therefore followed, within seconds, by a checkpoint that
truncates the log. If a process is killed before that, the next process that opens the file does it. While the
checkpoint waits for readers, writers wait for it, so it gives up soon and is tried again.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import uniform
from typing import Any, Final, TypeVar

import apsw

from sparks.model.errors import BadSetting, Damaged, SparksError, Unavailable
from sparks.sqlitefile.error_mapping import translate, translated
from sparks.sqlitefile.group_commit import GroupCommit

log = logging.getLogger(__name__)
T = TypeVar("T")
# Older versions may corrupt a file in WAL mode when one connection commits while another checkpoints.
OLDEST_SQLITE: Final = (3, 51, 3)
APPLICATION_ID: Final = 0x53504B53  # "SPKS"
FORMAT: Final = 1
BUSY_TIMEOUT: Final = 10.0
TRUNCATE_AFTER: Final = 10.0
TRUNCATE_TIMEOUT: Final = 0.25
PRAGMAS: Final = ("synchronous=FULL", "secure_delete=ON", "cache_size=-8000", "temp_store=MEMORY")


class WalTruncation:
    """Calls `truncate` some seconds after it was armed, and again until it succeeds."""

    def __init__(self, truncate: Callable[[], bool], seconds: float) -> None:
        self._truncate = truncate
        self._seconds = seconds
        self._mutex = threading.Lock()
        self._running = threading.Lock()
        self._timer: threading.Timer | None = None
        self._finished = False

    def arm(self) -> None:
        with self._mutex:
            if self._timer is None and not self._finished:
                timer = threading.Timer(self._seconds, self._run)
                timer.daemon = True
                timer.start()
                self._timer = timer

    def finish(self) -> None:
        """Truncates now where it was armed; after a failure, the next process that opens the file does it."""
        with self._mutex:
            self._finished = True
        if self._disarm():
            self._try()
        with self._running:  # waits for a running truncation
            return

    def _run(self) -> None:
        if self._disarm() and not self._try():
            self.arm()

    def _disarm(self) -> bool:
        with self._mutex:
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        return timer is not None

    def _try(self) -> bool:
        try:
            with self._running:
                return self._truncate()
        except SparksError as error:
            log.warning("the log of the database could not be truncated; trying again: %s", error)
            return False


class SqliteFile:
    """`read` sees every write that has returned, and `write` is durable when it returns."""

    def __init__(self, path: Path, *, busy_timeout: float = BUSY_TIMEOUT, erase_after: float = TRUNCATE_AFTER) -> None:
        check_version(tuple(int(part) for part in apsw.sqlite_lib_version().split(".")))
        self.path = path
        self._busy_timeout = busy_timeout
        self._readers: deque[apsw.Connection] = deque()
        self._truncation = WalTruncation(self._truncate_log, erase_after)
        with translated(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                path.touch(mode=0o600, exist_ok=False)  # SQLite gives its log the same mode
            writer = self._open()
            self._prepare(writer)
            log = path.with_name(f"{path.name}-wal")
            if log.exists() and log.stat().st_size:
                self._truncation.arm()
        self._commits = GroupCommit(writer, path, erased=self._truncation.arm)

    def ensure(self, schema: str) -> None:
        """Creates what is missing: `schema` says IF NOT EXISTS throughout."""
        self.write(lambda connection: connection.execute(schema).fetchall())

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of one SELECT, from one consistent snapshot."""
        return self._fetch(lambda connection: connection.execute(sql, values))

    def read_many(self, sql: str, sets_of_values: Sequence[Sequence[Any]]) -> list[Any]:
        """All rows of one SELECT that is run with each set of values in turn."""
        return self._fetch(lambda connection: connection.executemany(sql, sets_of_values))

    def write(self, work: Callable[[apsw.Connection], T], *, erases: bool = False) -> T:
        """Runs `work` in a transaction: durable when it returns, without effect when `work` raises.

        `work` may run on another thread, in one transaction with the work of other callers. With `erases`, the data
        that it deletes soon leave the disk, too; see [Note: deleted data in the log].
        """
        return self._commits.write(work, erases=erases)

    def verify(self) -> list[str]:
        """The errors that SQLite's integrity check finds; [] for a sound file."""
        try:
            found = [str(row[0]) for row in self.read("PRAGMA integrity_check")]
        except Damaged as error:
            return [str(error)]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        """Waits for running writes. Closing twice is allowed."""
        self._commits.close()
        self._truncation.finish()
        while self._readers:
            self._readers.pop().close()

    def _fetch(self, execute: Callable[[apsw.Connection], apsw.Cursor]) -> list[Any]:
        try:
            connection = self._readers.pop()
        except IndexError:
            connection = self._open_reader()
        try:
            rows = execute(connection).fetchall()
        except BaseException as error:
            connection.close(True)
            if isinstance(error, apsw.Error):
                raise translate(error, self.path) from error
            raise
        self._readers.append(connection)
        return rows

    def _open(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        connection.set_busy_handler(_BusyHandler(self._busy_timeout))
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").fetchall()
        return connection

    def _open_reader(self) -> apsw.Connection:
        with translated(self.path):
            connection = self._open()
            connection.execute("PRAGMA query_only=ON").fetchall()
        return connection

    def _prepare(self, writer: apsw.Connection) -> None:
        if writer.readonly("main"):
            raise Unavailable(f"{self.path} can only be read: check the owner and the mode of the file and its folder")
        with writer:  # one snapshot: another process may be creating the file
            application, version, schema = map(writer.pragma, ("application_id", "user_version", "schema_version"))
        if application not in (0, APPLICATION_ID) or (application == 0 and schema):
            raise BadSetting(f"{self.path} is a database of another program: choose another data folder")
        if int(version) > FORMAT:
            raise BadSetting(f"{self.path} was written by a newer Sparks (format {version}): upgrade this one")
        if self._start_log(writer) != "wal":
            raise Unavailable(f"{self.path} cannot keep a write-ahead log: choose a local disk for the data folder")
        if application == 0:
            marks = f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={FORMAT}"
            writer.execute(f"BEGIN IMMEDIATE; {marks}; COMMIT").fetchall()

    def _start_log(self, writer: apsw.Connection) -> object:
        """Retries by itself, because SQLite does not call the busy handler while another process starts the log."""
        wait_for_lock = _BusyHandler(self._busy_timeout)
        for tries in count():
            try:
                return writer.pragma("journal_mode", "wal")
            except apsw.BusyError:
                if not wait_for_lock(tries):
                    raise
        raise AssertionError("unreachable")

    def _truncate_log(self) -> bool:
        with translated(self.path):
            connection = self._open()
            connection.set_busy_handler(_BusyHandler(TRUNCATE_TIMEOUT))
            try:
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except apsw.BusyError:
                return False
            finally:
                connection.close()
        return True


def check_version(version: tuple[int, ...]) -> None:
    if version < OLDEST_SQLITE:
        wanted, found = (".".join(map(str, numbers)) for numbers in (OLDEST_SQLITE, version))
        raise BadSetting(f"SQLite {found} may corrupt the database: Sparks needs {wanted} or newer (update apsw)")


class _BusyHandler:
    """Waits for the lock of another process in short random steps, so that no process starves, up to a deadline."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._deadline = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._deadline = now + self._seconds
        time.sleep(uniform(0.0002, 0.002))  # noqa: S311  not a secret
        return now < self._deadline
