"""Worker: takes a job, runs its step, and finishes it or tries again."""

import logging
import threading
from collections.abc import Callable

import pytest

from sparks import logs
from sparks.jobs.port import MAX_TRIES, Delivery, Job
from sparks.journey import Journey, Stores
from sparks.metrics import JobReport
from sparks.model.errors import Unavailable
from sparks.worker import Worker, delay_before, run_job
from tests.journey.sample_steps import Arrived, Clock, Departed, WatchedJobs, departure, open_memory

TIMEOUT = 30.0


def journey(walk: Callable[[Departed], Arrived | None]) -> Journey:
    return Journey({Departed: {"walk": walk}})


@pytest.fixture
def jobs() -> WatchedJobs:
    return WatchedJobs(Clock())


@pytest.fixture
def stores(jobs: WatchedJobs) -> Stores:
    return open_memory(jobs)


def take(jobs: WatchedJobs) -> Delivery:
    return jobs.receive(most=1, wait=0, lease=1)[0]


def fail(_event: Departed) -> None:
    raise ValueError("the bridge is down")


def states(jobs: WatchedJobs) -> tuple[int, int, int, int]:
    counts = jobs.counts()
    return counts.waiting, counts.delayed, counts.leased, counts.dead


def test_a_job_whose_step_succeeds_is_done(jobs: WatchedJobs, stores: Stores) -> None:
    jobs.send(departure("Ada"))
    report = run_job(take(jobs), journey=journey(lambda _: None), stores=stores)
    assert (report.kind, report.done) == ("walk", True)
    assert report.seconds >= 0
    assert states(jobs) == (0, 0, 0, 0)


def test_the_event_that_a_step_returns_sends_what_follows_with_the_same_request(
    jobs: WatchedJobs, stores: Stores
) -> None:
    def walk(event: Departed) -> Arrived:
        return Arrived(event.name)

    def rest(event: Arrived) -> None: ...

    jobs.send(Job("walk", {"name": "Ada", "requestId": "r1"}))
    run_job(take(jobs), journey=Journey({Departed: {"walk": walk}, Arrived: {"rest": rest}}), stores=stores)
    assert [delivery.job for delivery in jobs.receive(wait=0)] == [
        Job("rest", {"name": "Ada", "hops": [], "requestId": "r1"})
    ]


def test_a_failed_job_is_tried_again_later(jobs: WatchedJobs, stores: Stores) -> None:
    jobs.send(departure("Ada"))
    assert not run_job(take(jobs), journey=journey(fail), stores=stores).done
    assert states(jobs) == (0, 1, 0, 0)
    jobs.clock.now += delay_before(2) * 3
    assert take(jobs).tries == 2


def test_a_poison_job_ends_in_the_dead_letters_with_its_reason_while_the_others_go_on(
    jobs: WatchedJobs, stores: Stores
) -> None:
    seen = []

    def walk(event: Departed) -> None:
        if event.name == "poison":
            raise ValueError("the bridge is down")
        seen.append(event.name)

    for name in ("a", "poison", "b", "c"):
        jobs.send(departure(name))
    for _ in range(MAX_TRIES):
        for delivery in jobs.receive(wait=0):
            run_job(delivery, journey=journey(walk), stores=stores)
        jobs.clock.now += 3600
    assert seen == ["a", "b", "c"]
    assert [dead.reason for dead in jobs.dead()] == ["ValueError: the bridge is down"]


def run_out_of_tries(jobs: WatchedJobs, stores: Stores, journey: Journey) -> None:
    jobs.send(departure("Ada"))
    for _ in range(MAX_TRIES):
        run_job(take(jobs), journey=journey, stores=stores)
        jobs.clock.now += 3600


def test_a_step_that_failed_for_the_last_time_is_recorded_once_and_its_events_are_sent(
    jobs: WatchedJobs, stores: Stores
) -> None:
    recorded = []

    def walk(event: Departed) -> None:
        raise ValueError("the bridge is down")

    def turn_back(event: Departed, reason: str) -> Arrived:
        recorded.append((event.name, reason))
        return Arrived("home")

    def rest(event: Arrived) -> None: ...

    run_out_of_tries(
        jobs, stores, Journey({Departed: {"walk": walk}, Arrived: {"rest": rest}}, on_failure={"walk": turn_back})
    )
    assert recorded == [("Ada", "the bridge is down")]
    assert [delivery.job.body["name"] for delivery in jobs.receive(wait=0)] == ["home"]
    assert [dead.job.kind for dead in jobs.dead()] == ["walk"]


def test_a_job_becomes_a_dead_letter_even_where_its_failure_cannot_be_recorded(
    jobs: WatchedJobs, stores: Stores
) -> None:
    def walk(event: Departed) -> None:
        raise ValueError("the bridge is down")

    def turn_back(event: Departed, reason: str) -> None:
        raise ValueError("so is the way back")

    run_out_of_tries(jobs, stores, Journey({Departed: {"walk": walk}}, on_failure={"walk": turn_back}))
    assert [dead.reason for dead in jobs.dead()] == ["ValueError: the bridge is down"]


def test_an_outage_makes_no_dead_letter_however_long_it_is(jobs: WatchedJobs, stores: Stores) -> None:
    recorded = []

    def walk(event: Departed) -> None:
        raise Unavailable("the sea is away")

    def turn_back(event: Departed, reason: str) -> None:
        recorded.append(reason)

    run_out_of_tries(jobs, stores, Journey({Departed: {"walk": walk}}, on_failure={"walk": turn_back}))
    assert states(jobs) == (1, 0, 0, 0)
    assert take(jobs).tries == 1
    assert recorded == []


def test_a_job_of_an_unknown_kind_fails_and_the_worker_continues(jobs: WatchedJobs, stores: Stores) -> None:
    jobs.send(departure("Ada", step="fly"))
    report = run_job(take(jobs), journey=journey(fail), stores=stores)
    assert (report.kind, report.done) == ("unknown", False)
    assert states(jobs) == (0, 1, 0, 0)


def test_the_delay_between_tries_grows() -> None:
    for next_try in range(2, MAX_TRIES + 1):
        assert 1 * 4 ** (next_try - 2) <= delay_before(next_try) <= 3 * 4 ** (next_try - 2)
    assert delay_before(100) == 900


def test_every_log_line_of_a_job_has_its_id_and_its_request(
    jobs: WatchedJobs, stores: Stores, caplog: pytest.LogCaptureFixture
) -> None:
    seen = []

    class Notes(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append((record.getMessage(), logs.REQUEST_ID.get(), logs.JOB_ID.get()))

    jobs.send(Job("walk", {"name": "Ada", "requestId": "r1"}))
    delivery, handler = take(jobs), Notes()
    with caplog.at_level(logging.INFO):
        logging.getLogger("sparks.worker").addHandler(handler)
        run_job(delivery, journey=journey(fail), stores=stores)
        logging.getLogger("sparks.worker").removeHandler(handler)
    assert seen == [
        ("the step walk failed", "r1", delivery.job_id),
        ("job failed", "r1", delivery.job_id),
    ]
    assert "the bridge is down" in caplog.text


def test_the_lease_is_extended_while_a_step_runs(jobs: WatchedJobs, stores: Stores) -> None:
    def walk(_event: Departed) -> None:
        for _ in range(3):
            jobs.clock.now += 0.9
            jobs.extended.clear()
            assert jobs.extended.wait(TIMEOUT)
            assert jobs.receive(wait=0) == []

    jobs.send(departure("Ada"))
    assert run_job(take(jobs), journey=journey(walk), stores=stores, lease=1).done
    assert states(jobs) == (0, 0, 0, 0)


def test_a_job_whose_lease_was_lost_stays_with_the_worker_that_has_it_now(jobs: WatchedJobs, stores: Stores) -> None:
    def walk(_event: Departed) -> None:
        jobs.extended.clear()
        jobs.clock.now += 2
        assert take(jobs).tries == 2
        assert jobs.extended.wait(TIMEOUT)

    jobs.send(departure("Ada"))
    run_job(take(jobs), journey=journey(walk), stores=stores, lease=1)
    assert states(jobs) == (0, 0, 1, 0)


def test_a_step_that_hangs_is_reported_as_overdue(jobs: WatchedJobs, stores: Stores) -> None:
    overdue = threading.Event()

    def walk(_event: Departed) -> None:
        assert overdue.wait(TIMEOUT)

    jobs.send(departure("Ada"))
    run_job(take(jobs), journey=journey(walk), stores=stores, longest=0.01, overdue=overdue.set)
    assert overdue.is_set()


def test_a_step_that_hangs_is_overdue_even_when_its_lease_was_lost(jobs: WatchedJobs, stores: Stores) -> None:
    overdue = threading.Event()

    def walk(_event: Departed) -> None:
        jobs.clock.now += 2
        assert take(jobs).tries == 2
        assert overdue.wait(TIMEOUT)

    jobs.send(departure("Ada"))
    run_job(take(jobs), journey=journey(walk), stores=stores, lease=1, longest=1, overdue=overdue.set)
    assert overdue.is_set()


class FlakyJobs(WatchedJobs):
    """A queue that cannot be reached at first, nor when a job is done."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.failures = 1

    def receive(self, *, most: int = 10, wait: float = 20, lease: float = 60) -> list[Delivery]:
        if self.failures:
            self.failures -= 1
            raise Unavailable("the queue is asleep")
        return super().receive(most=most, wait=wait, lease=lease)

    def done(self, delivery: Delivery) -> None:
        raise Unavailable(f"the queue is asleep and hears nothing of {delivery.job_id}")


def test_a_job_whose_end_cannot_be_stored_runs_again() -> None:
    jobs = FlakyJobs(Clock())
    jobs.failures = 0
    jobs.send(departure("Ada"))
    assert run_job(take(jobs), journey=journey(lambda _: None), stores=open_memory(jobs)).done
    jobs.clock.now += 2
    assert take(jobs).tries == 2


def start(worker: Worker) -> threading.Thread:
    thread = threading.Thread(target=worker.run, daemon=True)
    thread.start()
    return thread


def make_worker(stores: Stores, step: Callable[[Departed], None], reports: list[JobReport]) -> Worker:
    return Worker(journey=journey(step), stores=stores, report=reports.append, wait=1, overdue=lambda: None)


def test_a_worker_runs_jobs_until_it_is_stopped(jobs: WatchedJobs, stores: Stores) -> None:
    reports: list[JobReport] = []
    third = threading.Event()

    def walk(event: Departed) -> None:
        if event.name == "c":
            third.set()

    worker = make_worker(stores, walk, reports)
    thread = start(worker)
    for name in "abc":
        jobs.send(departure(name))
    assert third.wait(TIMEOUT)
    worker.stop()
    thread.join(TIMEOUT)
    assert not thread.is_alive()
    assert [report.done for report in reports] == [True, True, True]


def test_a_worker_continues_when_the_queue_can_be_reached_again(caplog: pytest.LogCaptureFixture) -> None:
    jobs, ran = FlakyJobs(Clock()), threading.Event()
    worker = make_worker(open_memory(jobs), lambda _: ran.set(), [])
    thread = start(worker)
    jobs.send(departure("Ada"))
    assert ran.wait(TIMEOUT)
    worker.stop()
    thread.join(TIMEOUT)
    line = next(record for record in caplog.records if "the queue is asleep" in record.message)
    assert not line.exc_info


def test_a_worker_runs_only_the_waiting_jobs_when_asked_to(jobs: WatchedJobs, stores: Stores) -> None:
    for name in "ab":
        jobs.send(departure(name))
    jobs.send(departure("later"), delay=60)
    reports: list[JobReport] = []
    assert make_worker(stores, lambda _: None, reports).run_waiting() == reports
    assert len(reports) == 2
    assert states(jobs) == (0, 1, 0, 0)


def test_a_worker_gives_back_the_job_that_it_cannot_finish(jobs: WatchedJobs, stores: Stores) -> None:
    begun, free = threading.Event(), threading.Event()

    def walk(_event: Departed) -> None:
        begun.set()
        assert free.wait(TIMEOUT)

    worker = make_worker(stores, walk, [])
    thread = start(worker)
    jobs.send(departure("Ada"))
    assert begun.wait(TIMEOUT)
    worker.stop()
    worker.give_back()
    assert take(jobs).tries == 2
    free.set()
    thread.join(TIMEOUT)
    assert states(jobs) == (0, 0, 1, 0)


def test_a_worker_without_a_running_job_gives_nothing_back(stores: Stores) -> None:
    make_worker(stores, lambda _: None, []).give_back()
