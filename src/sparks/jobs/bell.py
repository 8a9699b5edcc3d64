"""A bell between processes: who sends a job rings, who waits for one listens.

It is a named pipe. A byte in it wakes all who listen; who wakes empties it and then looks for jobs. Nothing but speed
depends on it: a byte may get lost with the process that read it, so listeners look by themselves from time to time,
and where no pipe can be made, that is all they do.
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

ALL: Final = 65536


class Bell:
    def __init__(self, path: Path) -> None:
        self.closed = False
        self._pipe = _open_pipe(path)
        self._mutex = threading.Lock()
        self._listeners = 0

    def ring(self) -> None:
        """Wakes all who listen. A pipe that is full has woken them already."""
        with self._mutex, suppress(BlockingIOError):
            if self._pipe is not None:
                os.write(self._pipe, b"!")

    def hush(self) -> None:
        """Forgets what has rung so far: to be called before looking for jobs, so that what comes later is heard."""
        with self._mutex, suppress(BlockingIOError):
            if self._pipe is not None:
                os.read(self._pipe, ALL)

    def listen(self, seconds: float) -> None:
        """Returns when it rings, when it is closed or when the time is over, and sometimes for nothing."""
        poll = select.poll()
        with self._mutex:
            if self.closed:
                return
            if self._pipe is not None:
                poll.register(self._pipe, select.POLLIN)
            self._listeners += 1
        try:
            poll.poll(math.ceil(seconds * 1000))
        finally:
            with self._mutex:
                self._listeners -= 1
                self._close_unheard()

    def close(self) -> None:
        """The pipe itself stays: other processes may use it."""
        self.ring()
        with self._mutex:
            self.closed = True
            self._close_unheard()

    def _close_unheard(self) -> None:
        """A descriptor that is closed while a thread polls it may be another file by the next moment."""
        if self.closed and self._listeners == 0 and self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None


def _open_pipe(path: Path) -> int | None:
    try:
        with suppress(FileExistsError):
            os.mkfifo(path, 0o600)
        pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        log.warning("no pipe at %s (%s): jobs may be found a second late", path, error.strerror)
        return None
    if stat.S_ISFIFO(os.fstat(pipe).st_mode):
        return pipe
    os.close(pipe)
    log.warning("%s is not a pipe: jobs may be found a second late", path)
    return None
