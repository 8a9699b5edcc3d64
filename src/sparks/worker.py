"""Take a job, run its step, finish or retry: the same for a thread, a process and a Lambda."""

import contextvars
import logging
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from sparks import logs
from sparks.jobs.port import MOST_DELAY, MOST_TRIES, Delivery, Jobs
from sparks.journey import REQUEST_ID, Journey, Stores
from sparks.metrics import JobReport
from sparks.model.errors import Busy, SparksError, StorageFull, Unavailable
from sparks.model.events import Event

LEASE: Final = 60.0
LONGEST_STEP: Final = 3600.0
FIRST_DELAY: Final = 2.0
UNREACHABLE_PAUSES: Final = (0.2, 1.0, 5.0, 10.0, 30.0)
UNKNOWN: Final = "unknown"
PASSING: Final = (Busy, StorageFull, Unavailable)  # what is the matter with a store, not with the job

log = logging.getLogger(__name__)


class Worker:
    """Runs one job after the other until it is told to stop."""

    def __init__(
        self,
        *,
        journey: Journey,
        stores: Stores,
        report: Callable[[JobReport], None],
        wait: float,
        overdue: Callable[[], None],
    ) -> None:
        """`wait`: how long it asks for a job before it looks whether to stop. `overdue` must end a step that hangs."""
        self._journey = journey
        self._stores = stores
        self._report = report
        self._wait = wait
        self._overdue = overdue
        self._stopping = False
        self._at_hand: Delivery | None = None
        self._failures = 0

    @property
    def is_busy(self) -> bool:
        """Whether a job is at hand."""
        return self._at_hand is not None

    def run(self) -> None:
        while not self._stopping:
            for delivery in self._receive():
                self._run_job(delivery)

    def run_waiting(self) -> list[JobReport]:
        """Runs the jobs that can be had now, and tells how they went."""
        reports = []
        while not self._stopping and (deliveries := self._stores.jobs.receive(most=1, wait=0, lease=LEASE)):
            reports.append(self._run_job(deliveries[0]))
        return reports

    def stop(self) -> None:
        """No further job is begun. May be called by a signal handler."""
        self._stopping = True

    def give_back(self) -> None:
        """Lets another worker have the job at hand, because this one is about to end."""
        delivery = self._at_hand
        if delivery is not None:
            log.warning("gave a job back that did not finish in time", extra={"jobId": delivery.job_id})
            self._stores.jobs.retry_later(delivery, delay=0, reason="the worker was stopped")

    def _run_job(self, delivery: Delivery) -> JobReport:
        self._at_hand = delivery
        report = run_job(delivery, journey=self._journey, stores=self._stores, overdue=self._overdue)
        self._at_hand = None
        self._report(report)
        return report

    def _receive(self) -> list[Delivery]:
        try:
            deliveries = self._stores.jobs.receive(most=1, wait=self._wait, lease=LEASE)
        except SparksError as error:
            pause = UNREACHABLE_PAUSES[min(self._failures, len(UNREACHABLE_PAUSES) - 1)]
            log.warning("no jobs can be had; trying again in %g s: %s", pause, error, exc_info=_in_full())
            self._failures += 1
            self._pause(pause)
            return []
        self._failures = 0
        return deliveries

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self._stopping and time.monotonic() < until:
            time.sleep(0.1)


def run_job(
    delivery: Delivery,
    *,
    journey: Journey,
    stores: Stores,
    lease: float = LEASE,
    longest: float = LONGEST_STEP,
    overdue: Callable[[], None] = lambda: None,
) -> JobReport:
    """Runs the job's step, sends what follows, and finishes the job; whatever goes wrong, it will be tried again.

    The lease is kept up while the step runs, for `longest` seconds; then `overdue` is called, and others may have it.
    """
    began = time.monotonic()
    kind = delivery.job.kind if journey.knows(delivery.job.kind) else UNKNOWN
    with logs.about(request_id=delivery.job.body.get(REQUEST_ID), job_id=delivery.job_id):
        with _kept_lease(stores.jobs, delivery, lease=lease, longest=longest, overdue=overdue):
            failure = _attempt(delivery, journey, stores)
        _settle(delivery, stores.jobs, failure)
        seconds = time.monotonic() - began
        log.info(
            "job %s", "failed" if failure else "done", extra={"kind": delivery.job.kind, "seconds": round(seconds, 3)}
        )
    return JobReport(kind=kind, done=failure is None, seconds=seconds)


def delay_before(next_try: int) -> float:
    """Seconds to wait before a job's second, third, .. try: four times longer each time, never the same for all."""
    return min(MOST_DELAY, FIRST_DELAY * 4.0 ** (next_try - 2) * random.uniform(0.5, 1.5))  # noqa: S311  not a secret


def _attempt(delivery: Delivery, journey: Journey, stores: Stores) -> Exception | None:
    try:
        _send(journey.run(delivery.job, stores=stores), journey, stores)
    except Exception as error:
        log.exception("the step %s failed", delivery.job.kind, extra={"try": delivery.tries})
        if _is_last(delivery) and not isinstance(error, PASSING):
            _give_up(delivery, error, journey, stores)
        return error
    return None


def _give_up(delivery: Delivery, failure: Exception, journey: Journey, stores: Stores) -> None:
    """[Note: last try] Whether this works or not, the job goes to the dead letters, where somebody finds it."""
    try:
        _send(journey.give_up(delivery.job, str(failure), stores=stores), journey, stores)
    except Exception:
        log.exception("that the step %s has failed for good could not be written down", delivery.job.kind)


def _send(events: Iterable[Event], journey: Journey, stores: Stores) -> None:
    for event in events:
        journey.send_after(event, jobs=stores.jobs, request_id=logs.REQUEST_ID.get())


def _is_last(delivery: Delivery) -> bool:
    return delivery.tries >= MOST_TRIES


def _settle(delivery: Delivery, jobs: Jobs, failure: Exception | None) -> None:
    """[Note: lost done] When the queue cannot be reached now, the lease ends by itself and the job is run again.

    [Note: outages] No job is to blame for a store that is away: it begins anew, with all its tries before it.
    """
    try:
        if failure is None:
            jobs.done(delivery)
        elif isinstance(failure, PASSING) and _is_last(delivery):
            jobs.send(delivery.job, delay=MOST_DELAY)
            jobs.done(delivery)
        else:
            reason = f"{type(failure).__name__}: {failure}"[:500]
            jobs.retry_later(delivery, delay=delay_before(delivery.tries + 1), reason=reason)
    except SparksError as error:
        log.warning("the queue was not told how the job ended; it will be run again: %s", error, exc_info=_in_full())


@contextmanager
def _kept_lease(
    jobs: Jobs, delivery: Delivery, *, lease: float, longest: float, overdue: Callable[[], None]
) -> Iterator[None]:
    finished = threading.Event()
    until = time.monotonic() + longest

    def beat() -> None:
        ours = True
        while not finished.wait(min(lease / 3, max(until - time.monotonic(), 0))):
            if time.monotonic() >= until:
                log.error("the step %s has run for %g s: given up", delivery.job.kind, longest)
                overdue()
                return
            ours = ours and _extended(jobs, delivery, lease)

    context = contextvars.copy_context()  # so that its log lines carry the job's id
    thread = threading.Thread(target=context.run, args=(beat,), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def _extended(jobs: Jobs, delivery: Delivery, lease: float) -> bool:
    """False once the job is no longer ours. A queue that cannot be reached is asked again at the next beat."""
    try:
        ours = jobs.extend(delivery, lease=lease)
    except SparksError as error:
        log.warning("the lease of a job could not be extended; trying again: %s", error, exc_info=_in_full())
        return True
    if not ours:
        log.warning("the lease of a job has ended while it ran: another worker may run it too")
    return ours


def _in_full() -> bool:
    """A queue that cannot be reached is told of again and again: where the error came from is for who debugs."""
    return log.isEnabledFor(logging.DEBUG)
