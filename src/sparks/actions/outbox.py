"""Outbox: sends the event that follows a write, so that a crash between the two loses nothing.

A write to the table and a message to the queue are no transaction. So the follow-up is sent twice: delayed before the
write, and at once after it. Where the process is killed right after the write, the delayed job does the work a minute
later. Every step may run twice, and does nothing where there is nothing left to do.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from sparks import logs
from sparks.jobs.port import Jobs
from sparks.journey import Journey
from sparks.model.events import Event

RECHECK_AFTER: Final = 60  # seconds
T = TypeVar("T")


class Outbox:
    def __init__(self, *, journey: Journey, jobs: Jobs) -> None:
        self._journey = journey
        self._jobs = jobs

    def send_around(self, event: Event, write: Callable[[], T]) -> T:
        """The result of `write`, whose follow-up is sent. Where `write` raises, only the delayed job remains."""
        self.recheck(event)
        result = write()
        self.send(event)
        return result

    def send(self, event: Event) -> None:
        """Sends the follow-up at once: after the write, or alone where the row itself shows what is left to do."""
        self._journey.send_after(event, jobs=self._jobs, request_id=logs.REQUEST_ID.get())

    def recheck(self, event: Event) -> None:
        """Sends the follow-up delayed: before a write whose prompt follow-up depends on its result."""
        self._journey.send_after(event, jobs=self._jobs, request_id=logs.REQUEST_ID.get(), delay=RECHECK_AFTER)
