"""Group commit: concurrent writers share a transaction, and so its fsync."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import apsw

from sparks.model.errors import SparksError, Unavailable
from sparks.sqlitefile.errors import translate, translated

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]

MOST_IN_A_COMMIT: Final = 256


class GroupCommit:
    """The first writer leads and commits for all who wait; who came meanwhile is led by the first of them.

    There is no thread of its own: a lone writer pays for no hand-over, and whoever waits, waits for one commit or two.
    """

    def __init__(self, writer: apsw.Connection, path: Path, *, erased: Callable[[], None]) -> None:
        self.count = 0
        self._writer = writer
        self._path = path
        self._erased = erased
        self._mutex = threading.Lock()
        self._waiting: list[_Request[Any]] = []
        self._led = False
        self._closed = False

    def write(self, work: Work[T], *, erases: bool) -> T:
        request = _Request(work, erases)
        with translated(self._path):
            if not self._finish(request):
                raise Unavailable(f"{self._path.name} is closed")
            return request.outcome()

    def close(self) -> None:
        """Takes no more writes, and closes when those that have begun are finished. Closing twice is fine."""
        if self._finish(_Request(lambda _connection: None, erases=False), last=True):
            self._writer.close()

    def _finish(self, request: "_Request[Any]", *, last: bool = False) -> bool:
        """Sees the request through; False when nothing is taken any more."""
        with self._mutex:
            if self._closed:
                return False
            self._closed = last
            self._waiting.append(request)
            follows, self._led = self._led, True
        try:
            if follows:
                request.turn.wait()
        finally:  # who is interrupted does its duty first: others may be waiting to be led by it
            if follows:
                request.turn.wait()
            if not request.finished:
                self._lead()
        return True

    def _lead(self) -> None:
        with self._mutex:
            batch, self._waiting = self._waiting[:MOST_IN_A_COMMIT], self._waiting[MOST_IN_A_COMMIT:]
        try:
            self._commit(batch)
        finally:
            with self._mutex:
                successor = self._waiting[0] if self._waiting else None
                self._led = successor is not None
            for request in batch:
                request.finished = True
                request.turn.set()
            if successor is not None:
                successor.turn.set()

    def _commit(self, batch: "list[_Request[Any]]") -> None:
        failure: SparksError = Unavailable("the write was interrupted")
        committed = False
        try:
            self._roll_back()
            self._writer.execute("BEGIN IMMEDIATE")
            for request in batch:
                request.run(self._writer)
            self._writer.execute("COMMIT")
            committed = True
        except apsw.Error as error:
            failure = translate(error, self._path)
        finally:
            if not committed:
                self._undo(batch, failure)
        if committed:
            self.count += 1
            if any(request.erases for request in batch):
                self._erased()

    def _undo(self, batch: "list[_Request[Any]]", failure: SparksError) -> None:
        for request in batch:
            request.fail(failure)
        self._roll_back()

    def _roll_back(self) -> None:
        if self._writer.in_transaction:
            self._writer.execute("ROLLBACK")


class _Request(Generic[T]):
    """One caller's work: `turn` is set when it is finished, or when the caller is to lead the next commit."""

    __slots__ = ("_error", "_result", "_work", "erases", "finished", "turn")

    def __init__(self, work: Work[T], erases: bool) -> None:
        self._work = work
        self._result: T | None = None
        self._error: Exception | None = None
        self.erases = erases
        self.finished = False
        self.turn = threading.Event()

    def run(self, connection: apsw.Connection) -> None:
        """Does the work in a savepoint: its error is kept for its caller, unless it ended the whole transaction."""
        connection.execute("SAVEPOINT one")
        try:
            self._result = self._work(connection)
        except Exception as error:
            if not connection.in_transaction:
                raise
            connection.execute("ROLLBACK TO one")
            self._error = error
        connection.execute("RELEASE one")

    def fail(self, error: SparksError) -> None:
        """Whatever it has found or decided may rest on what was undone with it."""
        self._error = error

    def outcome(self) -> T:
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]  # set by run, or there is an error
