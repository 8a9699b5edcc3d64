"""Files on their way in: some are read and stored, others are waited for until they are finished photos."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import islice
from typing import Final

from sparks.cli.crew import LOOK_EVERY, Awaited, Crew
from sparks.cli.tally import Tally
from sparks.jobs.port import Jobs
from sparks.journey import Journey
from sparks.model.errors import SparksError, StorageFull, Unavailable, UploadLimitReached
from sparks.model.events import Uploaded
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.upload.importing.outcome import Fate, Outcome
from sparks.upload.importing.sidecars import Candidate
from sparks.upload.importing.taking import Taker

TAKERS: Final = 4  # threads: they wait for disks more than they compute
MOST_AWAITED: Final = 300  # photos that are stored and not finished: who looks for lost ones must not find them waiting
STILL: Final = 15.0  # seconds without a finished photo, after which a full disk lets nobody finish any more
NOT_FINISHED: Final = "it is stored, but was not finished: `sparks jobs list` may tell why"


class Intake:
    """Without a crew, photos are sent on their way and not waited for."""

    def __init__(self, taker: Taker, tally: Tally, *, jobs: Jobs, crew: Crew | None) -> None:
        self._taker = taker
        self._tally = tally
        self._jobs = jobs
        self._journey = Journey()
        self._awaited = None if crew is None else Awaited(crew)
        self._stored: dict[str, Outcome] = {}
        self._looked = 0.0
        self.in_the_way: SparksError | None = None  # why no other file was tried

    def run(self, candidates: Iterable[Candidate], *, show: Callable[[], None]) -> None:
        """Returns when all of them are in the tally. `show` is called again and again meanwhile."""
        waiting = iter(candidates)
        running: set[Future[Outcome]] = set()
        with ThreadPoolExecutor(TAKERS, thread_name_prefix="taker") as threads:
            try:
                while (running := running | self._begin(waiting, threads, running=len(running))) or self._is_waiting:
                    done, running = wait(running, timeout=LOOK_EVERY, return_when=FIRST_COMPLETED)
                    for future in done:
                        self._arrived(future.result())
                    self._look(at_leisure=not running)
                    show()
                self._give_up()
            finally:
                threads.shutdown(cancel_futures=True)
                self._tally.unfinished += len(self._stored)

    @property
    def _is_waiting(self) -> bool:
        """Not where a full disk stops those who are to finish the photos, too."""
        if self._awaited is None or not self._stored:
            return False
        return not isinstance(self.in_the_way, StorageFull | Unavailable) or self._awaited.still_for < STILL

    def _give_up(self) -> None:
        for outcome in self._stored.values():
            self._tally.add(replace(outcome, fate=Fate.FAILED, reason=NOT_FINISHED))
        self._stored.clear()

    def _begin(
        self, waiting: Iterator[Candidate], threads: ThreadPoolExecutor, *, running: int
    ) -> set[Future[Outcome]]:
        """The next files, as many as there is room for."""
        room = min(2 * TAKERS - running, MOST_AWAITED - len(self._stored))
        return {threads.submit(self._take, candidate) for candidate in islice(waiting, max(room, 0))}

    def _take(self, candidate: Candidate) -> Outcome:
        if self.in_the_way is not None:
            return Outcome(candidate.path, Fate.FAILED, not_tried(self.in_the_way))
        try:
            outcome = self._taker.take_in(candidate)
            if outcome.follows is not None:
                self._journey.send_after(outcome.follows, jobs=self._jobs)
        except SparksError as error:
            if stands_in_the_way(error):
                self.in_the_way = error
            return Outcome(candidate.path, Fate.FAILED, str(error))
        return outcome

    def _arrived(self, outcome: Outcome) -> None:
        """[Note: twice] The same bytes may lie in two places, and their photo is waited for once."""
        photo = outcome.photo if self._awaited is not None else None
        if photo is None or photo.state is not PhotoState.PENDING or photo.image_id in self._stored:
            self._tally.add(outcome)
        elif self._awaited is not None:
            self._stored[photo.image_id] = outcome
            self._awaited.add(Uploaded(photo.image_id, photo.owner))

    def _look(self, *, at_leisure: bool) -> None:
        """At what is waited for, now and then; where nothing else is to be done, after a pause."""
        if self._awaited is None or not self._stored:
            return
        if at_leisure:
            time.sleep(LOOK_EVERY)
        if time.monotonic() - self._looked >= LOOK_EVERY:
            self._looked = time.monotonic()
            for event, photo in self._awaited.look():
                self._tally.add(finished(self._stored.pop(event.image_id), photo))


def finished(outcome: Outcome, photo: Photo | None) -> Outcome:
    """What became of a file whose photo the pipeline is through with. One that is gone was deleted meanwhile."""
    if outcome.fate is Fate.IMPORTED and photo is not None:
        if photo.processing_status is ProcessingStatus.FAILED:
            return replace(
                outcome, fate=Fate.FAILED, reason=f"it is kept, but cannot be shown: {photo.processing_error}"
            )
        if photo.state is PhotoState.PENDING:
            return replace(outcome, fate=Fate.FAILED, reason=NOT_FINISHED)
    return outcome


def not_tried(error: SparksError) -> str:
    reason = "the limit is used up" if isinstance(error, UploadLimitReached) else str(error)
    return f"it was not tried: {reason}"


def stands_in_the_way(error: SparksError) -> bool:
    """Whether all other files would fail for the same reason."""
    return isinstance(error, StorageFull | Unavailable) or (
        isinstance(error, UploadLimitReached) and error.photos_left == 0
    )
