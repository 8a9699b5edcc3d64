"""Thread that keeps a search or vector index up to date with the table."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final, Protocol

from sparks.model import times
from sparks.model.errors import SparksError

INTERVAL: Final = 1.0  # seconds

log = logging.getLogger(__name__)


class RefreshedIndex(Protocol):
    def catch_up(self, *, at: datetime) -> int:
        """Follows the changes up to `at`, which is now. Returns their number."""


@contextmanager
def refreshed(index: RefreshedIndex, *, what: str, every: float = INTERVAL) -> Iterator[None]:
    """Keeps the index current until the end of the block. The first time may take a while; meanwhile requests are
    answered from what is indexed. `what` names the content for the log.
    """
    stop = threading.Event()
    thread = threading.Thread(target=_follow, args=(index, what, stop, every), name=what, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _follow(index: RefreshedIndex, what: str, stop: threading.Event, every: float) -> None:
    failing = False
    while not stop.is_set():
        try:
            index.catch_up(at=times.now())
            failing = False
        except SparksError as error:
            if not failing:
                log.warning("the index of %s cannot follow the table; trying again: %s", what, error)
            failing = True
        stop.wait(every)
