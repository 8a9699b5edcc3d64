"""Questions to a store from the event loop: asked in a thread, and waited for only so long."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Generic, TypeVar

from sparks.model.errors import Unavailable

PATIENCE: Final = 2.0

T = TypeVar("T")


class Probe(Generic[T]):
    """However many ask, and however slow the store is, there is one question to it at a time."""

    def __init__(self, ask: Callable[[], T], threads: ThreadPoolExecutor, *, patience: float = PATIENCE) -> None:
        self._ask = ask
        self._threads = threads
        self._patience = patience
        self._asked: asyncio.Future[T] | None = None

    async def answer(self) -> T:
        """What the store says; Unavailable when it says nothing in time."""
        if self._asked is None or self._asked.done():
            self._asked = asyncio.get_running_loop().run_in_executor(self._threads, self._ask)
            self._asked.add_done_callback(_take_note)
        try:
            return await asyncio.wait_for(asyncio.shield(self._asked), self._patience)
        except TimeoutError as error:
            raise Unavailable(f"no answer within {self._patience:g} s") from error


def _take_note(asked: asyncio.Future[T]) -> None:
    """An error that comes when nobody waits any more has been reported as a lack of an answer already."""
    if not asked.cancelled():
        asked.exception()
