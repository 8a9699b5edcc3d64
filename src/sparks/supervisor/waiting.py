"""Waiting for something that may not come."""

import asyncio


async def happens(event: asyncio.Event, *, within: float) -> bool:
    """Whether it happens before so many seconds are over."""
    try:
        return await asyncio.wait_for(event.wait(), within)
    except TimeoutError:
        return False
