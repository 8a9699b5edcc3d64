"""A thread that keeps an index up to the table, as long as its process needs it."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final, Protocol

from sparks.model import times
from sparks.model.errors import SparksError

EVERY: Final = 1.0  # seconds

log = logging.getLogger(__name__)


class Index(Protocol):
    def catch_up(self, *, at: datetime) -> int:
        """Hears of what happened, up to `at`, which is now. Tells how much that was."""


@contextmanager
def followed(index: Index, *, what: str, every: float = EVERY) -> Iterator[None]:
    """The index hears of what comes and goes until the end of the block. The first time may take a while: what is asked
    meanwhile is answered from what is there. `what` is in it, for the log.
    """
    over = threading.Event()
    thread = threading.Thread(target=_follow, args=(index, what, over, every), name=what, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _follow(index: Index, what: str, over: threading.Event, every: float) -> None:
    failing = False
    while not over.is_set():
        try:
            index.catch_up(at=times.now())
            failing = False
        except SparksError as error:
            if not failing:
                log.warning("the index of %s cannot follow the table; trying on: %s", what, error)
            failing = True
        over.wait(every)
