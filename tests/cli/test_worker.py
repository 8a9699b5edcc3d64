"""`sparks worker` alone."""

import signal
import socket
from pathlib import Path

import httpx

from sparks.jobs.port import Job
from sparks.journey import Journey
from sparks.model import times
from sparks.model.events import UpkeepDue
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.cli.processes import start
from tests.servers.process import answers, free_port, wait_until


def send_job(data: Path, queue: str = "sparks") -> None:
    with open_stores(load_settings({"data": data, "queue": queue}, {})) as stores:
        stores.jobs.send(Journey().jobs_after(UpkeepDue(times.now()))[0])


def test_once_runs_the_waiting_jobs_of_its_queue_and_ends(tmp_path: Path) -> None:
    data = tmp_path / "data"
    send_job(data, "first")
    send_job(data, "second")
    with start(data, "worker", "--once", "--queue", "first") as worker:
        assert worker.process.wait(30) == 0
        assert worker.out == "ran 1 job\n"


def test_a_job_that_does_not_finish_in_time_is_given_back(tmp_path: Path) -> None:
    data = tmp_path / "data"
    send_job(data)
    with start(data, "worker", program="tests.cli.slow_upkeep", SPARKS_DRAIN_SECONDS="1") as worker:
        wait_until(lambda: bool(worker.lines("asleep")), what="the job to be at hand")
        assert worker.end(signal.SIGTERM) == 0
        assert worker.lines("gave a job back")
    with open_stores(load_settings({"data": data}, {})) as stores:
        assert [delivery.tries for delivery in stores.jobs.receive(wait=0)] == [2]


def test_a_worker_without_a_server_runs_jobs_serves_metrics_and_ends_on_sigterm(tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port()
    send_job(data)
    with start(data, "worker", "--metrics-port", str(port)) as worker:
        wait_until(lambda: bool(worker.lines("job done")), what="the job to be done")
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/metrics"), what="the metrics")
        assert worker.lines("waiting for jobs of queue sparks")
        assert 'outcome="done"} 1.0' in httpx.get(f"http://127.0.0.1:{port}/metrics").text
        assert worker.end(signal.SIGTERM) == 0
        assert worker.lines("stopping")


def test_once_prints_how_many_jobs_failed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    send_job(data)
    with open_stores(load_settings({"data": data}, {})) as stores:
        stores.jobs.send(Job("fly", {}))
    with start(data, "worker", "--once") as worker:
        assert worker.process.wait(30) == 0
        assert worker.out == "ran 2 jobs, 1 failed\n"


def test_a_metrics_port_in_use_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with start(tmp_path / "data", "worker", "--metrics-port", str(port)) as worker:
            assert worker.process.wait(30) == 2
    assert "choose another with --metrics-port" in (tmp_path / "err").read_text()
