"""Work that is to be done some seconds from now, on a thread of its own."""

import threading
import time
from collections.abc import Callable


class Alarm:
    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._mutex = threading.Lock()
        self._working = threading.Lock()
        self._timer: threading.Timer | None = None
        self._due = 0.0
        self._stopped = False

    def within(self, seconds: float) -> None:
        """The work is done once, no later than so many seconds from now; sooner where it was asked for before."""
        due = time.monotonic() + seconds
        with self._mutex:
            if self._stopped or (self._timer is not None and self._due <= due):
                return
            self._cancel()
            self._due = due
            self._timer = threading.Timer(seconds, self._run)
            self._timer.daemon = True
            self._timer.start()

    def stop(self) -> None:
        """What has begun is waited for; what has not is left undone, then and ever after."""
        with self._mutex:
            self._stopped = True
            self._cancel()
        with self._working:
            return

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _run(self) -> None:
        with self._working:
            with self._mutex:
                self._timer = None
                stopped = self._stopped
            if not stopped:
                self._work()
