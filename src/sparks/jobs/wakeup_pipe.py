"""Named pipe that wakes waiting workers when a job is sent.

A byte in the pipe wakes all waiting workers; a worker that wakes drains the pipe and then looks for jobs. Only speed
depends on the pipe: a byte may be lost with the process that read it, so workers also poll from time to time. Where no
pipe can be created, they only poll.
"""

import logging
import math
import os
import select
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

DRAIN_BYTES: Final = 65536


class WakeupPipe:
    def __init__(self, path: Path) -> None:
        self.closed = False
        self._pipe = _open_pipe(path)
        self._mutex = threading.Lock()
        self._waiters = 0

    def wake(self) -> None:
        """Wakes all waiting workers. A full pipe has already woken them."""
        with self._mutex, suppress(BlockingIOError):
            if self._pipe is not None:
                os.write(self._pipe, b"!")

    def drain(self) -> None:
        """Empties the pipe. Call this before looking for jobs, so that a later `wake` is not missed."""
        with self._mutex, suppress(BlockingIOError):
            if self._pipe is not None:
                os.read(self._pipe, DRAIN_BYTES)

    def wait(self, seconds: float) -> None:
        """Returns after a `wake`, after `close` or after so many seconds; sometimes earlier without a reason."""
        poll = select.poll()
        with self._mutex:
            if self.closed:
                return
            if self._pipe is not None:
                poll.register(self._pipe, select.POLLIN)
            self._waiters += 1
        try:
            poll.poll(math.ceil(seconds * 1000))
        finally:
            with self._mutex:
                self._waiters -= 1
                self._close_when_unused()

    def close(self) -> None:
        """Closes the descriptor; the pipe stays for other processes."""
        self.wake()
        with self._mutex:
            self.closed = True
            self._close_when_unused()

    def _close_when_unused(self) -> None:
        """Closes after the last `wait`: a descriptor that is closed while a thread polls it may be reused at once."""
        if self.closed and self._waiters == 0 and self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None


def _open_pipe(path: Path) -> int | None:
    try:
        with suppress(FileExistsError):
            os.mkfifo(path, 0o600)
        pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        log.warning("no pipe at %s (%s): workers may start jobs a second late", path, error.strerror)
        return None
    if stat.S_ISFIFO(os.fstat(pipe).st_mode):
        return pipe
    os.close(pipe)
    log.warning("%s is not a pipe: workers may start jobs a second late", path)
    return None
