"""Who runs the jobs while a command waits for photos: the server's workers, or its own where no server runs."""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Final

from sparks.cli.worker import STUCK
from sparks.journey import Journey, Stores
from sparks.library import keys
from sparks.library.records import from_item
from sparks.model.events import PhotoEvent
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.settings import Settings
from sparks.supervisor import is_data_folder_held
from sparks.wiring import open_engine, open_index, open_studio
from sparks.worker import Worker

LOOK_EVERY: Final = 0.25  # seconds
LOOKED_AT: Final = 100  # photos at a time, the oldest: jobs come about in the order they were sent
HANDS: Final = 2  # for a decoder: while one waits for the disk, the other one's photo is decoded
PATIENCE: Final = 60.0
MOST_SENT: Final = 3  # times that a photo's job is sent again

Finished = tuple[PhotoEvent, Photo | None]

log = logging.getLogger(__name__)


def is_finished(photo: Photo | None) -> bool:
    """Whether the pipeline is through with it, one way or the other. One that is gone is."""
    done = (ProcessingStatus.COMPLETED, ProcessingStatus.FAILED)
    return photo is None or photo.state in (PhotoState.READY, PhotoState.DELETING) or photo.processing_status in done


class Crew:
    """`workers` are our own; without any, a server has them."""

    def __init__(self, stores: Stores, workers: Sequence[Worker]) -> None:
        self.stores = stores
        self.is_own = bool(workers)
        self._workers = workers

    def has_work(self, *, later: bool = False) -> bool:
        """Whether a job waits or is being run; or, asked so, is to be tried again `later`.

        [Note: killed] Of our own jobs we know whether they are run. A lease that is nobody's of ours may be that of a
        command that was killed, and stands for another minute.
        """
        counts = self.stores.jobs.counts()
        at_hand = any(worker.is_busy for worker in self._workers) if self.is_own else counts.leased > 0
        return counts.waiting > 0 or at_hand or (later and counts.delayed > 0)

    def settle(self, *, patience: float = PATIENCE) -> None:
        """Returns when what follows from the photos is done too: months are counted, films made, persons found.

        Jobs that are to be run later are waited for no longer than `patience` seconds since one was run, and all jobs
        of a server no longer than that.
        """
        until, quiet = time.monotonic() + patience, 0
        while quiet < 2:
            if self.is_own and self.has_work():
                until = time.monotonic() + patience
            quiet = 0 if time.monotonic() < until and self.has_work(later=True) else quiet + 1
            time.sleep(LOOK_EVERY)


@contextmanager
def crew(settings: Settings, stores: Stores) -> Iterator[Crew]:
    """Somebody runs the jobs until the end of the block."""
    if settings.jobs == "embedded" and is_data_folder_held(settings.data):
        yield Crew(stores, ())
        return
    with ExitStack() as studios:
        equipped = replace(stores, index=studios.enter_context(open_index(settings, stores)))
        workers = [
            _worker(settings, each)
            for each in [_equipped(equipped, settings, studios) for _ in range(max(settings.workers, 1))]
            for _ in range(HANDS)
        ]
        with _at_work(workers, studios, seconds=settings.drain_seconds):
            yield Crew(stores, workers)


def _equipped(stores: Stores, settings: Settings, until: ExitStack) -> Stores:
    """With a decoder and an engine of its own: each works on one photo at a time."""
    studio = until.enter_context(open_studio(settings))
    return replace(stores, studio=studio, engine=until.enter_context(open_engine(settings, stores.terms)))


def _worker(settings: Settings, stores: Stores) -> Worker:
    return Worker(
        journey=Journey(),
        stores=stores,
        report=lambda _: None,
        wait=1.0 if settings.jobs == "embedded" else 2.0,
        overdue=lambda: os._exit(STUCK),
    )


@contextmanager
def _at_work(workers: Sequence[Worker], studios: ExitStack, *, seconds: float) -> Iterator[None]:
    """What is at hand at the end has `seconds` to finish. What has not by then is given back, and ends with us."""
    threads = [threading.Thread(target=worker.run, name="crew", daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for worker in workers:
            worker.stop()
        until = time.monotonic() + seconds
        for thread in threads:
            thread.join(max(until - time.monotonic(), 0))
        if any(thread.is_alive() for thread in threads):
            studios.pop_all()  # closing would wait for what they decode
            for worker in workers:
                worker.give_back()


class Awaited:
    """Photos that were sent on their way and are waited for."""

    def __init__(self, crew: Crew, *, is_finished: Callable[[Photo | None], bool] = is_finished) -> None:
        self._crew = crew
        self._is_finished = is_finished
        self._events: deque[PhotoEvent] = deque()
        self._sent: dict[str, int] = {}
        self._idle = 0
        self._moved = time.monotonic()
        self._worried = False

    def __len__(self) -> int:
        return len(self._events)

    @property
    def still_for(self) -> float:
        """Seconds since the last one was finished."""
        return time.monotonic() - self._moved

    def add(self, event: PhotoEvent) -> None:
        self._events.append(event)

    def look(self) -> list[Finished]:
        """Those of the oldest that are finished by now, each once; and those that nobody finishes, sent again in vain.

        [Note: lost jobs] Where a photo waits and no job does, whoever was to send it was killed before: it is sent now.
        """
        oldest = [self._events.popleft() for _ in range(min(LOOKED_AT, len(self._events)))]
        rows = self._crew.stores.table.get_many([keys.photo(event.image_id, event.owner) for event in oldest])
        finished: list[Finished] = []
        waiting: list[PhotoEvent] = []
        for event in oldest:
            row = rows.get(keys.photo(event.image_id, event.owner))
            photo = None if row is None else from_item(Photo, row)
            if self._is_finished(photo) or self._sent.get(event.image_id, 0) >= MOST_SENT:
                finished.append((event, photo))
            else:
                waiting.append(event)
        self._events.extendleft(reversed(waiting))
        self._idle = 0 if finished or not waiting or self._crew.has_work(later=True) else self._idle + 1
        if self._idle > 1:
            self._send_again(waiting)
        self._worry(moves=bool(finished) or not waiting)
        return finished

    def _worry(self, *, moves: bool) -> None:
        """Says so, once, where a server runs but nobody of it takes jobs."""
        if moves:
            self._moved = time.monotonic()
        elif self.still_for > PATIENCE and not self._worried and not self._crew.is_own:
            self._worried = True
            log.warning("no photo was finished for a minute: if the server runs no workers, start `sparks worker`")

    def _send_again(self, events: Sequence[PhotoEvent]) -> None:
        log.info("%d photos wait without a job: sent again", len(events))
        self._idle = 0
        for event in events:
            self._sent[event.image_id] = self._sent.get(event.image_id, 0) + 1
            Journey().send_after(event, jobs=self._crew.stores.jobs)
