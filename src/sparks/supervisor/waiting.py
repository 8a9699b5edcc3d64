"""Waiting for something that may not come."""

import asyncio
from collections.abc import Callable


async def happens(event: asyncio.Event, *, within: float) -> bool:
    """Whether it happens before so many seconds are over."""
    try:
        return await asyncio.wait_for(event.wait(), within)
    except TimeoutError:
        return False


class Deadline:
    """Calls something when it is over; set to what it is set to already, it is not put off."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._late: Callable[[], None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def set(self, late: Callable[[], None], seconds: float) -> None:
        if late != self._late:
            self.clear()
            self._late = late
            self._timer = self._loop.call_later(seconds, late)

    def clear(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._late = self._timer = None
