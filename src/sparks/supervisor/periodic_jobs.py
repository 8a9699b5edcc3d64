"""Periodic jobs: upkeep and patrol, sent while the server runs."""

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
from sparks.supervisor.deadlines import wait_for_event

HOUR: Final = 3600
FIVE_MINUTES: Final = 300

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """`send` is called at the start, and then at each multiple of `seconds` of the wall clock."""

    name: str
    send: Callable[[], None]
    seconds: int


def periodic_jobs(journey: Journey, jobs: Jobs) -> list[PeriodicJob]:
    """Upkeep and patrol. The queue drops repeats, so many machines and restarts send each once in a period."""

    def periodic_job(name: str, due: Callable[[datetime], Event], seconds: int) -> PeriodicJob:
        def send() -> None:
            now = times.now()
            period = str(times.unix(now) // seconds)
            journey.send_after(due(now), jobs=jobs, request_id=logs.new_request_id(), deduplication=period)

        return PeriodicJob(name, send, seconds)

    return [periodic_job("upkeep", UpkeepDue, HOUR), periodic_job("patrol", PatrolDue, FIVE_MINUTES)]


async def repeat(periodic_job: PeriodicJob, *, until: asyncio.Event) -> None:
    while not until.is_set():
        try:
            await asyncio.to_thread(periodic_job.send)
        except Exception:
            log.exception("the %s job could not be sent; the next one is sent when it is due", periodic_job.name)
        await wait_for_event(until, within=periodic_job.seconds - time.time() % periodic_job.seconds)
