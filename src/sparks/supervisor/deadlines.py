"""Timeouts for asyncio events."""

import asyncio
from collections.abc import Callable


async def wait_for_event(event: asyncio.Event, *, within: float) -> bool:
    """Whether the event is set within so many seconds."""
    try:
        return await asyncio.wait_for(event.wait(), within)
    except TimeoutError:
        return False


class Deadline:
    """Calls a function after some seconds. Setting the same function again does not postpone it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._on_timeout: Callable[[], None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def set(self, on_timeout: Callable[[], None], seconds: float) -> None:
        if on_timeout != self._on_timeout:
            self.clear()
            self._on_timeout = on_timeout
            self._timer = self._loop.call_later(seconds, on_timeout)

    def clear(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._on_timeout = self._timer = None
