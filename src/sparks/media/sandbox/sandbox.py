"""Sandbox of a worker: runs a task on open files in a locked-down child process."""

import fcntl
import logging
import os
import socket
import stat
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

import msgspec

from sparks.media.sandbox.child_connection import ChildConnection
from sparks.media.sandbox.fork_server_client import ForkServerClient
from sparks.media.sandbox.protocol import MAX_FILES, ChildFailure, ForkServerSettings, Report, TaskResult, error_for
from sparks.model.errors import Unavailable

MAX_REQUESTS: Final = 200
MAX_REPLY_BYTES: Final = 64 << 20

V = TypeVar("V")

log = logging.getLogger(__name__)


class Sandbox(Generic[V]):
    """A fork server and at most one child, which both end with this process. Requests run one at a time.

    One child serves many files. A file that takes over the child could read the files after it and forge their
    results, until the child is replaced. With `max_requests=1` it could not, at the cost of a fork (10 ms) per file.
    """

    def __init__(
        self,
        *,
        task: str,
        preload: str,
        value_type: type[V],
        memory: int,
        output: int = 0,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        max_requests: int = MAX_REQUESTS,
    ) -> None:
        """`task` and `preload` are written `module:function`.

        - `preload()` runs once in the fork server. It imports all modules that a task needs, and decodes nothing.
        - `task(request, files, report)` returns a `TaskResult` whose value has the type `value_type`.
        - `memory`: bytes that a child may use beyond those of the fork server.
        - `output`: bytes that a file opened for writing may reach; 0 allows files for reading only.
        - `max_reply_bytes`: bytes of all blobs of one result.
        - `max_requests`: requests after which a child is replaced.
        """
        self._settings = ForkServerSettings(task=task, preload=preload, memory=memory, output=output)
        self._value_type = value_type
        self._max_reply_bytes = max_reply_bytes
        self._max_requests = max_requests
        self._lock = threading.Lock()
        self._fork_server: ForkServerClient | None = None
        self._child: ChildConnection | None = None
        self._missing: tuple[str, ...] | None = None
        self._closed = False

    def start(self) -> tuple[str, ...]:
        """Starts the first child now and returns the parts of the lockdown that this machine lacks.

        `run` does not need it.
        """
        with self._lock:
            self._ready_child()
            return self._missing or ()

    def run(
        self, request: object, files: Sequence[int] = (), *, seconds: float, progress: Report = lambda _: None
    ) -> TaskResult[V]:
        """Runs the task in the child. `files` are regular files; they stay open, and share their position with it.

        The task's own Damaged, TooLarge and UnsupportedType are raised here. Damaged also where the child crashes,
        takes longer than `seconds`, needs too much memory or breaks the protocol. Unavailable where no child can be
        started. `progress` is called with growing fractions, at most a hundred times.
        """
        encoded = msgspec.msgpack.encode(request)
        _check_files(files, writable=self._settings.output > 0)
        with self._lock:
            child = self._ready_child()
            try:
                result = child.run(encoded, files, value_type=self._value_type, seconds=seconds, progress=progress)
            except ChildFailure as failure:
                raise error_for(failure, exit_status=self._end_child()) from failure
            except BaseException:
                self._end_child()  # it may still be busy
                raise
            if child.served >= self._max_requests:
                self._end_child()
            return result

    def close(self) -> None:
        """Waits for the running request, then ends the child and the fork server. May be called twice."""
        with self._lock:
            self._closed = True
            self._drop_fork_server()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ready_child(self) -> ChildConnection:
        if self._closed:
            raise RuntimeError("the sandbox is closed")
        if self._child is not None and not self._child.is_idle():
            log.warning("a decoder has ended, or has sent data without a request: it is replaced")
            self._end_child()
        return self._child or self._start_child(self._ready_fork_server())

    def _ready_fork_server(self) -> ForkServerClient:
        if self._fork_server is not None and not self._fork_server.is_alive():
            log.warning("the decoders' parent process has ended: another is started")
            self._drop_fork_server()
        if self._fork_server is None:
            self._fork_server = ForkServerClient(self._settings)
        return self._fork_server

    def _start_child(self, fork_server: ForkServerClient) -> ChildConnection:
        connection, theirs = socket.socketpair()
        self._child = ChildConnection(connection, max_reply_bytes=self._max_reply_bytes)
        try:
            with theirs:
                fork_server.fork(theirs)
            self._log_missing(self._child.wait_until_ready())
        except ChildFailure as failure:
            self._drop_fork_server()
            raise Unavailable(f"no decoder can be started: {failure}") from failure
        except BaseException:
            self._drop_fork_server()
            raise
        return self._child

    def _log_missing(self, missing: tuple[str, ...]) -> None:
        if self._missing is None:
            self._missing = missing
            for what in missing:
                log.warning("decoders run without %s", what)

    def _end_child(self) -> int | None:
        """The child's exit status; None where the fork server has ended as well."""
        if self._child is None or self._fork_server is None:
            return None
        self._child.close()
        self._child = None
        try:
            return self._fork_server.end_child()
        except Unavailable as error:
            log.warning("the decoders' parent process is given up: %s", error)
            self._drop_fork_server()
            return None

    def _drop_fork_server(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None
        if self._fork_server is not None:
            self._fork_server.close()
            self._fork_server = None


def _check_files(files: Sequence[int], *, writable: bool) -> None:
    """A sandbox without output needs files open for reading only: the size limit does not stop writes to a mapping."""
    if len(files) > MAX_FILES:
        raise ValueError(f"at most {MAX_FILES} files can be passed to a sandbox at once")
    for file in files:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise ValueError("only regular files can be passed to a sandbox")
        if not writable and fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
            raise ValueError("a sandbox without output takes files that are open for reading only")
