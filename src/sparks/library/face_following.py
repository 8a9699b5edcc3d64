"""A thread that keeps an index of faces up to the table, as long as its process needs it."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sparks.library.face_index import FaceIndex
from sparks.model import times
from sparks.model.errors import SparksError

EVERY: Final = 1.0  # seconds

log = logging.getLogger(__name__)


@contextmanager
def followed(index: FaceIndex, *, every: float = EVERY) -> Iterator[None]:
    """The index hears of what comes and goes until the end of the block. The first time may take a while: what is asked
    meanwhile is answered from what is there.
    """
    over = threading.Event()
    thread = threading.Thread(target=_follow, args=(index, over, every), name="faces", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _follow(index: FaceIndex, over: threading.Event, every: float) -> None:
    failing = False
    while not over.is_set():
        try:
            index.catch_up(at=times.now())
            failing = False
        except SparksError as error:
            if not failing:
                log.warning("the index of faces cannot follow the table; trying on: %s", error)
            failing = True
        over.wait(every)
