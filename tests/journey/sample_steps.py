"""A small journey for tests, on a queue whose clock they move."""

import threading
from dataclasses import dataclass, field
from typing import Final

from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Delivery, Job
from sparks.journey import Stores
from sparks.model.events import Event
from sparks.model.keyring import Keyring
from sparks.table.memory import MemoryTable

KEYRING: Final = Keyring("test", {"test": bytes(32)})


@dataclass(frozen=True, slots=True)
class Departed(Event):
    name: str


@dataclass(frozen=True, slots=True)
class Arrived(Event):
    name: str
    hops: list[int] = field(default_factory=list)


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class WatchedJobs(MemoryJobs):
    """Sets an event when a lease is extended."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock=clock)
        self.clock = clock
        self.extended = threading.Event()

    def extend(self, delivery: Delivery, *, lease: float) -> bool:
        ours = super().extend(delivery, lease=lease)
        self.extended.set()
        return ours


def open_memory(jobs: MemoryJobs | None = None) -> Stores:
    return Stores(table=MemoryTable(), blobs=MemoryBlobs(), jobs=jobs or WatchedJobs(Clock()), keyring=KEYRING)


def departure(name: str, step: str = "walk") -> Job:
    return Job(step, {"name": name})
