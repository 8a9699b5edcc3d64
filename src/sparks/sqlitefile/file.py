"""The file: one writer with group commit, readers on connections of their own.

[Note: erasure] `secure_delete` overwrites what is deleted inside the database file, but the write-ahead log still holds
the pages as they were. A write that erases is therefore followed, within seconds, by a checkpoint that truncates the
log. A process that was killed before it could do so is made up for by the next one that opens the file. While that
checkpoint waits for readers, writers wait for it: it gives up soon, and is tried again.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import uniform
from typing import Any, Final, TypeVar

import apsw

from sparks.model.errors import BadSetting, Damaged, Unavailable
from sparks.sqlitefile.commits import GroupCommit
from sparks.sqlitefile.erasure import Eraser
from sparks.sqlitefile.errors import translate, translated

T = TypeVar("T")

# Older ones may corrupt a file in WAL mode when one connection commits while another checkpoints.
OLDEST_SQLITE: Final = (3, 51, 3)
APPLICATION_ID: Final = 0x53504B53  # "SPKS"
FORMAT: Final = 1
PATIENCE: Final = 10.0
ERASE_AFTER: Final = 10.0
ERASING_PATIENCE: Final = 0.25
PRAGMAS: Final = ("synchronous=FULL", "secure_delete=ON", "cache_size=-8000", "temp_store=MEMORY")


class SqliteFile:
    """`read` sees every write that has returned, and `write` is durable when it returns."""

    def __init__(self, path: Path, *, patience: float = PATIENCE, erase_after: float = ERASE_AFTER) -> None:
        check_version(tuple(int(part) for part in apsw.sqlite_lib_version().split(".")))
        self.path = path
        self._patience = patience
        self._readers: deque[apsw.Connection] = deque()
        self._eraser = Eraser(self._truncate_log, erase_after)
        with translated(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                path.touch(mode=0o600, exist_ok=False)  # its log takes on the same mode
            writer = self._open()
            self._prepare(writer)
            log = path.with_name(f"{path.name}-wal")
            if log.exists() and log.stat().st_size:
                self._eraser.arm()
        self._commits = GroupCommit(writer, path, erased=self._eraser.arm)

    @property
    def commits(self) -> int:
        """How many commits there were; concurrent writes share one."""
        return self._commits.count

    def ensure(self, schema: str) -> None:
        """Creates what is missing: `schema` says IF NOT EXISTS throughout."""
        self.write(lambda connection: connection.execute(schema).fetchall())

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of one SELECT, as one consistent picture."""
        return self._fetch(lambda connection: connection.execute(sql, values))

    def read_many(self, sql: str, sets_of_values: Sequence[Sequence[Any]]) -> list[Any]:
        """All rows of one SELECT that is run with each set of values in turn."""
        return self._fetch(lambda connection: connection.executemany(sql, sets_of_values))

    def write(self, work: Callable[[apsw.Connection], T], *, erases: bool = False) -> T:
        """Runs `work` inside a transaction: all of it is durable when this returns, none of it when `work` raises.

        `work` may be called on another thread, together with that of others. With `erases`, what it deletes is soon
        gone from the disk too.
        """
        return self._commits.write(work, erases=erases)

    def verify(self) -> list[str]:
        """What SQLite's own integrity check finds; [] when all is well."""
        try:
            found = [str(row[0]) for row in self.read("PRAGMA integrity_check")]
        except Damaged as error:
            return [str(error)]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        """Waits for the writes that have begun. Closing twice is fine."""
        self._commits.close()
        self._eraser.finish()
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
        connection.set_busy_handler(_Patience(self._patience))
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
        with writer:  # one picture: another process may be making the file right now
            application, version, schema = map(writer.pragma, ("application_id", "user_version", "schema_version"))
        if application not in (0, APPLICATION_ID) or (application == 0 and schema):
            raise BadSetting(f"{self.path} is a database of another program: name another data folder")
        if int(version) > FORMAT:
            raise BadSetting(f"{self.path} was written by a newer Sparks (format {version}): upgrade this one")
        if self._start_log(writer) != "wal":
            raise Unavailable(f"{self.path} cannot keep a write-ahead log: choose a local disk for the data folder")
        if application == 0:
            marks = f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={FORMAT}"
            writer.execute(f"BEGIN IMMEDIATE; {marks}; COMMIT").fetchall()

    def _start_log(self, writer: apsw.Connection) -> object:
        """[Note: starting the log] SQLite does not ask the busy handler while another process starts it."""
        patience = _Patience(self._patience)
        for tries in count():
            try:
                return writer.pragma("journal_mode", "wal")
            except apsw.BusyError:
                if not patience(tries):
                    raise
        raise AssertionError("counting has no end")

    def _truncate_log(self) -> bool:
        with translated(self.path):
            connection = self._open()
            connection.set_busy_handler(_Patience(ERASING_PATIENCE))
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


class _Patience:
    """Waits for another process's lock in short, uneven steps, so that nobody starves, up to a deadline."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._deadline = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._deadline = now + self._seconds
        time.sleep(uniform(0.0002, 0.002))  # noqa: S311  not a secret
        return now < self._deadline
