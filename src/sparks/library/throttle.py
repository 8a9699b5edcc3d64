"""Throttle of a batch job: a rate, and pauses for a store that answers slowly."""

import statistics
import time
from collections import deque
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")
SLOW: Final = 4.0  # times the usual latency of a page, above which the store gets a pause


class Throttle:
    """Keeps to a rate, and gives way where the store answers more slowly than usual."""

    def __init__(
        self,
        rate: float | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`rate` is in rows a second; None is as fast as it goes."""
        self._rate = rate
        self._clock = clock
        self._sleep = sleep
        self._free_at = clock()
        self._latencies: deque[float] = deque(maxlen=50)

    def read(self, read_page: Callable[[], list[T]]) -> list[T]:
        """The page, once its turn has come."""
        self._sleep(max(0.0, self._free_at - self._clock()))
        began = self._clock()
        page = read_page()
        took = self._clock() - began
        usual = statistics.median(self._latencies) if self._latencies else took
        self._latencies.append(took)
        due = 0.0 if self._rate is None else len(page) / self._rate
        pause = 2 * took if took > SLOW * usual else 0.0  # counted from the beginning of the read
        self._free_at = max(self._free_at, began) + max(due, pause)
        return page
