"""A document from elsewhere, kept for a while."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from sparks.model.errors import Unavailable

PATIENCE: Final = 0.5  # however many wait for a slow provider, others are served

T = TypeVar("T")

log = logging.getLogger(__name__)


class Kept(Generic[T]):
    """Loaded when it is first asked for, and again when it is `good_for` seconds old, by one thread at a time.

    Between the end of one load, whether or not it succeeded, and the beginning of the next there are at least `pause`
    seconds. While it cannot be loaded, what was loaded last stays good.
    """

    def __init__(
        self,
        load: Callable[[], T],
        *,
        good_for: float,
        pause: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._load = load
        self._good_for = good_for
        self._pause = pause
        self._clock = clock
        self._lock = threading.Lock()
        self._loaded: tuple[T, float] | None = None
        self._tried_at = float("-inf")
        self._failure = Unavailable("the sign-in provider has not answered yet: try again in a moment")

    def get(self) -> T:
        """Unavailable where it never could be loaded."""
        loaded = self._loaded
        if loaded is None:
            return self.renewed()
        value, loaded_at = loaded
        if self._clock() - loaded_at < self._good_for or not self._lock.acquire(blocking=False):
            return value
        try:
            return self._try_again()
        finally:
            self._lock.release()

    def renewed(self) -> T:
        """Loaded anew, unless that was tried a moment ago, or takes another thread long."""
        if not self._lock.acquire(timeout=PATIENCE):
            return self._last()
        try:
            return self._try_again()
        finally:
            self._lock.release()

    def _try_again(self) -> T:
        if self._clock() - self._tried_at >= self._pause:
            try:
                self._loaded = self._load(), self._clock()
            except Unavailable as error:
                self._failure = error
                log.warning("%s", error)
            finally:
                self._tried_at = self._clock()
        return self._last()

    def _last(self) -> T:
        if self._loaded is None:
            raise Unavailable(str(self._failure)) from self._failure
        return self._loaded[0]
