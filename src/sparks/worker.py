"""Worker loop: take a job, run its step, finish it or retry it."""

import contextvars
import logging
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from sparks import logs
from sparks.jobs.port import MAX_DELAY, MAX_TRIES, Delivery, Jobs
from sparks.journey import REQUEST_ID, Journey, Stores
from sparks.metrics import JobReport
from sparks.model.errors import Busy, SparksError, StorageFull, Unavailable
from sparks.model.events import Event

LEASE: Final = 60.0  # seconds
LONGEST_STEP: Final = 3600.0  # seconds
FIRST_DELAY: Final = 2.0  # seconds
UNREACHABLE_DELAYS: Final = (0.2, 1.0, 5.0, 10.0, 30.0)
UNKNOWN: Final = "unknown"
TRANSIENT_ERRORS: Final = (Busy, StorageFull, Unavailable)  # errors of a store, not of the job

log = logging.getLogger(__name__)


class Worker:
    """Runs one job after the other until it is stopped."""

    def __init__(
        self,
        *,
        journey: Journey,
        stores: Stores,
        report: Callable[[JobReport], None],
        wait: float,
        overdue: Callable[[], None],
    ) -> None:
        """`wait`: seconds to wait for a job before it checks whether to stop. `overdue` must end a hanging step."""
        self._journey = journey
        self._stores = stores
        self._report = report
        self._wait = wait
        self._overdue = overdue
        self._stopping = False
        self._running: Delivery | None = None
        self._failures = 0

    @property
    def is_busy(self) -> bool:
        """Whether a job is running."""
        return self._running is not None

    def run(self) -> None:
        while not self._stopping:
            for delivery in self._receive():
                self._run_job(delivery)

    def run_waiting(self) -> list[JobReport]:
        """Runs the jobs that wait now, and returns their reports."""
        reports = []
        while not self._stopping and (deliveries := self._stores.jobs.receive(most=1, wait=0, lease=LEASE)):
            reports.append(self._run_job(deliveries[0]))
        return reports

    def stop(self) -> None:
        """Starts no further job. May be called by a signal handler."""
        self._stopping = True

    def give_back(self) -> None:
        """Gives the running job back to the queue, because this worker is about to end."""
        delivery = self._running
        if delivery is not None:
            log.warning("gave a job back that did not finish in time", extra={"jobId": delivery.job_id})
            self._stores.jobs.retry_later(delivery, delay=0, reason="the worker was stopped")

    def _run_job(self, delivery: Delivery) -> JobReport:
        self._running = delivery
        report = run_job(delivery, journey=self._journey, stores=self._stores, overdue=self._overdue)
        self._running = None
        self._report(report)
        return report

    def _receive(self) -> list[Delivery]:
        try:
            deliveries = self._stores.jobs.receive(most=1, wait=self._wait, lease=LEASE)
        except SparksError as error:
            pause = UNREACHABLE_DELAYS[min(self._failures, len(UNREACHABLE_DELAYS) - 1)]
            log.warning("no jobs can be received; trying again in %g s: %s", pause, error, exc_info=_with_traceback())
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
    """Runs the job's step, sends the events that follow, and finishes the job; where anything fails, it is retried.

    The lease is extended while the step runs, for `longest` seconds; then `overdue` is called, and the lease ends.
    """
    began = time.monotonic()
    kind = delivery.job.kind if journey.knows(delivery.job.kind) else UNKNOWN
    with logs.log_context(request_id=delivery.job.body.get(REQUEST_ID), job_id=delivery.job_id):
        with _kept_lease(stores.jobs, delivery, lease=lease, longest=longest, overdue=overdue):
            failure = _attempt(delivery, journey, stores)
        _settle(delivery, stores.jobs, failure)
        seconds = time.monotonic() - began
        log.info(
            "job %s", "failed" if failure else "done", extra={"kind": delivery.job.kind, "seconds": round(seconds, 3)}
        )
    return JobReport(kind=kind, done=failure is None, seconds=seconds)


def delay_before(next_try: int) -> float:
    """Seconds to wait before a job's second, third, .. try: four times longer each time, and randomly spread."""
    return min(MAX_DELAY, FIRST_DELAY * 4.0 ** (next_try - 2) * random.uniform(0.5, 1.5))  # noqa: S311  not a secret


def _attempt(delivery: Delivery, journey: Journey, stores: Stores) -> Exception | None:
    try:
        _send(journey.run(delivery.job, stores=stores), journey, stores)
    except Exception as error:
        log.exception("the step %s failed", delivery.job.kind, extra={"try": delivery.tries})
        if _is_last(delivery) and not isinstance(error, TRANSIENT_ERRORS):
            _give_up(delivery, error, journey, stores)
        return error
    return None


def _give_up(delivery: Delivery, failure: Exception, journey: Journey, stores: Stores) -> None:
    """Whether this works or not, the job becomes a dead letter, which an administrator can see."""
    try:
        _send(journey.give_up(delivery.job, str(failure), stores=stores), journey, stores)
    except Exception:
        log.exception("the final failure of the step %s could not be stored", delivery.job.kind)


def _send(events: Iterable[Event], journey: Journey, stores: Stores) -> None:
    for event in events:
        journey.send_after(event, jobs=stores.jobs, request_id=logs.REQUEST_ID.get())


def _is_last(delivery: Delivery) -> bool:
    return delivery.tries >= MAX_TRIES


def _settle(delivery: Delivery, jobs: Jobs, failure: Exception | None) -> None:
    """Reports the end of a job to the queue. Where the queue cannot be reached, the lease ends and the job runs again.

    A job that failed because of a store becomes no dead letter: it is sent anew, with all its tries.
    """
    try:
        if failure is None:
            jobs.done(delivery)
        elif isinstance(failure, TRANSIENT_ERRORS) and _is_last(delivery):
            jobs.send(delivery.job, delay=MAX_DELAY)
            jobs.done(delivery)
        else:
            reason = f"{type(failure).__name__}: {failure}"[:500]
            jobs.retry_later(delivery, delay=delay_before(delivery.tries + 1), reason=reason)
    except SparksError as error:
        log.warning("the end of the job was not stored; it will run again: %s", error, exc_info=_with_traceback())


@contextmanager
def _kept_lease(
    jobs: Jobs, delivery: Delivery, *, lease: float, longest: float, overdue: Callable[[], None]
) -> Iterator[None]:
    finished = threading.Event()
    until = time.monotonic() + longest

    def keep() -> None:
        is_held = True
        while not finished.wait(min(lease / 3, max(until - time.monotonic(), 0))):
            if time.monotonic() >= until:
                log.error("the step %s has run for %g s, which is too long: giving up", delivery.job.kind, longest)
                overdue()
                return
            is_held = is_held and _extended(jobs, delivery, lease)

    context = contextvars.copy_context()  # so that log lines of the thread have the job's id
    thread = threading.Thread(target=context.run, args=(keep,), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def _extended(jobs: Jobs, delivery: Delivery, lease: float) -> bool:
    """False once the lease is lost. Where the queue cannot be reached, the next call tries again."""
    try:
        is_held = jobs.extend(delivery, lease=lease)
    except SparksError as error:
        log.warning("the lease of a job could not be extended; trying again: %s", error, exc_info=_with_traceback())
        return True
    if not is_held:
        log.warning("the lease of a job ended while it ran: another worker may run it too")
    return is_held


def _with_traceback() -> bool:
    """Only on the level debug, because a queue that cannot be reached is logged again and again."""
    return log.isEnabledFor(logging.DEBUG)
