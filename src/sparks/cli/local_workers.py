"""Workers for a command that waits for jobs, where no server runs."""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Final

from sparks.cli.worker import EXIT_STUCK, WAIT_SECONDS
from sparks.journey import Journey, Stores
from sparks.library import keys
from sparks.library.records import read_item
from sparks.model.events import PhotoEvent
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.settings import Settings
from sparks.supervisor import is_data_folder_held
from sparks.wiring import open_engine, open_index, open_renderer
from sparks.worker import Worker

POLL_SECONDS: Final = 0.25
BATCH_SIZE: Final = 100  # photos in one poll, the oldest first: jobs run about in the order they were sent
THREADS: Final = 2  # for each decoder: one waits for the disk while the other one's photo is decoded
IDLE_TIMEOUT: Final = 60.0  # seconds
MAX_RESENDS: Final = 3

Finished = tuple[PhotoEvent, Photo | None]

log = logging.getLogger(__name__)


def is_finished(photo: Photo | None) -> bool:
    """Whether the pipeline is done with the photo, also because it failed or the photo was deleted."""
    done = (ProcessingStatus.COMPLETED, ProcessingStatus.FAILED)
    return photo is None or photo.state in (PhotoState.READY, PhotoState.DELETING) or photo.processing_status in done


class LocalWorkers:
    """`workers` are those of this command; without any, the workers of a server run the jobs."""

    def __init__(self, stores: Stores, workers: Sequence[Worker]) -> None:
        self.stores = stores
        self.is_own = bool(workers)
        self._workers = workers

    def has_work(self, *, later: bool = False) -> bool:
        """Whether a job waits or runs; with `later`, also whether one is delayed.

        Leases count only where a server runs the jobs. With own workers, a lease that none of them has may belong to a
        command that was killed, and lasts for another minute.
        """
        counts = self.stores.jobs.counts()
        is_running = any(worker.is_busy for worker in self._workers) if self.is_own else counts.leased > 0
        return counts.waiting > 0 or is_running or (later and counts.delayed > 0)

    def wait_until_idle(self, *, timeout: float = IDLE_TIMEOUT) -> None:
        """Returns when the follow-up jobs of the photos are done too: months counted, videos made, persons found.

        Waits for delayed jobs until `timeout` seconds after the last job ran; for the jobs of a server, `timeout`
        seconds in all.
        """
        until, idle_polls = time.monotonic() + timeout, 0
        while idle_polls < 2:
            if self.is_own and self.has_work():
                until = time.monotonic() + timeout
            idle_polls = 0 if time.monotonic() < until and self.has_work(later=True) else idle_polls + 1
            time.sleep(POLL_SECONDS)


@contextmanager
def local_workers(settings: Settings, stores: Stores) -> Iterator[LocalWorkers]:
    """Workers that run the jobs until the end of the block: those of the server, or own ones where none runs."""
    if settings.jobs == "embedded" and is_data_folder_held(settings.data):
        yield LocalWorkers(stores, ())
        return
    with ExitStack() as decoders:
        with_index = replace(stores, index=decoders.enter_context(open_index(settings, stores)))
        workers = [
            _worker(settings, equipped)
            for equipped in [_with_decoders(with_index, settings, decoders) for _ in range(max(settings.workers, 1))]
            for _ in range(THREADS)
        ]
        with _running(workers, decoders, seconds=settings.drain_seconds):
            yield LocalWorkers(stores, workers)


def _with_decoders(stores: Stores, settings: Settings, until: ExitStack) -> Stores:
    """The stores with a renderer and a face engine of their own: each of these works on one photo at a time."""
    renderer = until.enter_context(open_renderer(settings))
    return replace(stores, renderer=renderer, engine=until.enter_context(open_engine(settings, stores.pipeline)))


def _worker(settings: Settings, stores: Stores) -> Worker:
    return Worker(
        journey=Journey(),
        stores=stores,
        report=lambda _: None,
        wait=WAIT_SECONDS[settings.jobs],
        overdue=lambda: os._exit(EXIT_STUCK),
    )


@contextmanager
def _running(workers: Sequence[Worker], decoders: ExitStack, *, seconds: float) -> Iterator[None]:
    """Running jobs have `seconds` to finish at the end of the block. Later ones are given back to the queue; their
    threads end with the process.
    """
    threads = [threading.Thread(target=worker.run, name="local-worker", daemon=True) for worker in workers]
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
            decoders.pop_all()  # closing a decoder would wait for the photo that it decodes
            for worker in workers:
                worker.give_back()


class AwaitedPhotos:
    """Photos whose jobs were sent and are waited for."""

    def __init__(self, workers: LocalWorkers, *, is_finished: Callable[[Photo | None], bool] = is_finished) -> None:
        self._workers = workers
        self._is_finished = is_finished
        self._events: deque[PhotoEvent] = deque()
        self._sent: dict[str, int] = {}
        self._idle_polls = 0
        self._progress_at = time.monotonic()
        self._warned = False

    def __len__(self) -> int:
        return len(self._events)

    @property
    def seconds_since_progress(self) -> float:
        return time.monotonic() - self._progress_at

    def add(self, event: PhotoEvent) -> None:
        self._events.append(event)

    def poll(self) -> list[Finished]:
        """Those of the oldest photos that are finished, each once, and those that were resent too often.

        A photo waits but no job does: the process that should have sent the job was killed. So the job is sent again.
        """
        oldest = [self._events.popleft() for _ in range(min(BATCH_SIZE, len(self._events)))]
        rows = self._workers.stores.table.get_many([keys.photo(event.image_id, event.owner) for event in oldest])
        finished: list[Finished] = []
        waiting: list[PhotoEvent] = []
        for event in oldest:
            row = rows.get(keys.photo(event.image_id, event.owner))
            photo = None if row is None else read_item(Photo, row)
            if self._is_finished(photo) or self._sent.get(event.image_id, 0) >= MAX_RESENDS:
                finished.append((event, photo))
            else:
                waiting.append(event)
        self._events.extendleft(reversed(waiting))
        self._idle_polls = 0 if finished or not waiting or self._workers.has_work(later=True) else self._idle_polls + 1
        if self._idle_polls > 1:
            self._resend(waiting)
        self._warn_if_stuck(progressed=bool(finished) or not waiting)
        return finished

    def _warn_if_stuck(self, *, progressed: bool) -> None:
        """Logs a warning, once, where a server runs but has no workers."""
        if progressed:
            self._progress_at = time.monotonic()
        elif self.seconds_since_progress > IDLE_TIMEOUT and not self._warned and not self._workers.is_own:
            self._warned = True
            log.warning("no photo was finished for a minute: if the server runs no workers, start `sparks worker`")

    def _resend(self, events: Sequence[PhotoEvent]) -> None:
        log.info("%d photos wait without a job: sending their jobs again", len(events))
        self._idle_polls = 0
        for event in events:
            self._sent[event.image_id] = self._sent.get(event.image_id, 0) + 1
            Journey().send_after(event, jobs=self._workers.stores.jobs)
