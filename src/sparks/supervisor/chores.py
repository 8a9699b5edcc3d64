"""What is sent on its way again and again while Sparks runs."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sparks import logs
from sparks.jobs.port import Jobs
from sparks.journey import Journey
from sparks.model import times
from sparks.model.events import Event, PatrolDue, UpkeepDue
from sparks.supervisor.waiting import happens

HOUR: Final = 3600
FIVE_MINUTES: Final = 300

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chore:
    """`send` is called at the start, and whenever another `seconds` have passed by the clock on the wall."""

    name: str
    send: Callable[[], None]
    seconds: int


def chores(journey: Journey, jobs: Jobs) -> list[Chore]:
    """However many machines and restarts there are, each is done once within the minutes that a queue remembers."""

    def chore(name: str, due: Callable[[datetime], Event], seconds: int) -> Chore:
        def send() -> None:
            now = times.now()
            turn = str(times.unix(now) // seconds)
            journey.send_after(due(now), jobs=jobs, request_id=logs.new_request_id(), deduplication=turn)

        return Chore(name, send, seconds)

    return [chore("upkeep", UpkeepDue, HOUR), chore("patrol", PatrolDue, FIVE_MINUTES)]


async def repeat(chore: Chore, *, until: asyncio.Event) -> None:
    while not until.is_set():
        try:
            await asyncio.to_thread(chore.send)
        except Exception:
            log.exception("the %s could not be sent; it is tried again when it is due next", chore.name)
        await happens(until, within=chore.seconds - time.time() % chore.seconds)
