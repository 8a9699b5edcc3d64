"""Truncating the write-ahead log soon after something was deleted."""

import logging
import threading
from collections.abc import Callable

from sparks.model.errors import SparksError

log = logging.getLogger(__name__)


class Eraser:
    """Runs `erase` some seconds after it was armed, and again until it succeeds."""

    def __init__(self, erase: Callable[[], bool], seconds: float) -> None:
        self._erase = erase
        self._seconds = seconds
        self._mutex = threading.Lock()
        self._erasing = threading.Lock()
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
        """Erases now what was still to be erased; whoever opens the file next makes up for a failure."""
        with self._mutex:
            self._finished = True
        if self._disarm():
            self._try()
        with self._erasing:  # one that has begun is waited for
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
            with self._erasing:
                return self._erase()
        except SparksError as error:
            log.warning("the log of the database could not be truncated; trying again: %s", error)
            return False
