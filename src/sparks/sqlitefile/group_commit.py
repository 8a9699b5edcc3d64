"""Group commit: concurrent writers share one transaction and its fsync."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import apsw

from sparks.model.errors import SparksError, Unavailable
from sparks.sqlitefile.error_mapping import translate, translated

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]

MAX_GROUP: Final = 256


class GroupCommit:
    """The first writer becomes the leader and commits for all waiting writers. Of the writers that arrive meanwhile,
    the first leads the next commit.

    There is no separate thread: a single writer needs no hand-over, and a waiting writer waits for at most two commits.
    """

    def __init__(self, writer: apsw.Connection, path: Path, *, erased: Callable[[], None]) -> None:
        self.count = 0
        self._writer = writer
        self._path = path
        self._erased = erased
        self._mutex = threading.Lock()
        self._waiting: list[_Request[Any]] = []
        self._has_leader = False
        self._closed = False

    def write(self, work: Work[T], *, erases: bool) -> T:
        request = _Request(work, erases)
        with translated(self._path):
            if not self._submit(request):
                raise Unavailable(f"{self._path.name} is closed")
            return request.outcome()

    def close(self) -> None:
        """Refuses new writes and closes after the running ones. Closing twice is allowed."""
        if self._submit(_Request(lambda _connection: None, erases=False), last=True):
            self._writer.close()

    def _submit(self, request: "_Request[Any]", *, last: bool = False) -> bool:
        """Waits until the request is finished; False where the file is closed."""
        with self._mutex:
            if self._closed:
                return False
            self._closed = last
            self._waiting.append(request)
            is_follower, self._has_leader = self._has_leader, True
        try:
            if is_follower:
                request.turn.wait()
        finally:  # also after an interrupt: other writers may wait for this one to lead
            if is_follower:
                request.turn.wait()
            if not request.finished:
                self._lead()
        return True

    def _lead(self) -> None:
        with self._mutex:
            batch, self._waiting = self._waiting[:MAX_GROUP], self._waiting[MAX_GROUP:]
        try:
            self._commit(batch)
        finally:
            with self._mutex:
                successor = self._waiting[0] if self._waiting else None
                self._has_leader = successor is not None
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
        """Runs the work in a savepoint. Its error is stored for the caller, unless it ended the whole transaction."""
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
        """Replaces the outcome, which may depend on other work that was rolled back."""
        self._error = error

    def outcome(self) -> T:
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]  # set by run, or there is an error
