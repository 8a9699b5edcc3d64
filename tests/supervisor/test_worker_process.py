"""One worker process of the supervisor."""

import asyncio
import os
import sys

import pytest

from sparks.metrics import Metrics
from sparks.supervisor import WorkerProcess
from tests.servers.process import wait_until

TIMEOUT = 30
REPORT = '{"kind":"walk","done":true,"seconds":0.5}'
DIES_AT_ONCE = f"import os, sys; os.write(int(sys.argv[1]), b'{REPORT}\\n{REPORT[:9]}'); sys.exit(3)"
WAITS_FOR_ITS_LIFELINE = "import socket, sys; socket.socket(fileno=int(sys.argv[1])).recv(1)"

LEAVES_A_CHILD = f"import os; child = not os.fork(); exec({WAITS_FOR_ITS_LIFELINE!r} if child else 'os._exit(3)')"


def a_worker(script: str, metrics: Metrics) -> WorkerProcess:
    return WorkerProcess([sys.executable, "-ISc", script], dict(os.environ), metrics=metrics)


def value(metrics: Metrics, name: str, **labels: str) -> float:
    return metrics.registry.get_sample_value(name, labels) or 0


async def until(metrics: Metrics, name: str, least: float, **labels: str) -> None:
    await asyncio.to_thread(wait_until, lambda: value(metrics, name, **labels) >= least, what=name)


def test_reports_of_a_dead_worker_are_counted_once_and_the_next_one_starts(
    caplog: pytest.LogCaptureFixture,
) -> None:
    metrics = Metrics()

    async def live() -> None:
        worker = a_worker(DIES_AT_ONCE, metrics)
        running = asyncio.create_task(worker.run())
        await until(metrics, "sparks_worker_deaths_total", 2)
        worker.stop()
        await asyncio.wait_for(running, TIMEOUT)

    asyncio.run(live())
    assert value(metrics, "sparks_jobs_total", kind="walk", outcome="done") == 2
    assert "a worker ended (exit code 3); the next one starts in 0.5 s" in caplog.text
    assert "the next one starts in 2 s" in caplog.text


def test_a_stopped_worker_is_not_replaced() -> None:
    metrics = Metrics()

    async def live() -> None:
        worker = a_worker(WAITS_FOR_ITS_LIFELINE, metrics)
        running = asyncio.create_task(worker.run())
        await until(metrics, "sparks_workers", 1)
        worker.stop()
        await asyncio.wait_for(running, TIMEOUT)

    asyncio.run(live())
    assert value(metrics, "sparks_worker_deaths_total") == 0
    assert value(metrics, "sparks_workers") == 0


def test_a_missing_program_is_tried_again_later(caplog: pytest.LogCaptureFixture) -> None:
    metrics = Metrics()

    async def live() -> None:
        worker = WorkerProcess(["/no/such/program"], {}, metrics=metrics)
        running = asyncio.create_task(worker.run())
        await until(metrics, "sparks_worker_deaths_total", 1)
        worker.stop()
        await asyncio.wait_for(running, TIMEOUT)

    asyncio.run(live())
    assert "it could not be started" in caplog.text


def test_a_worker_process_that_was_stopped_before_it_ran_starts_nothing() -> None:
    metrics = Metrics()

    async def live() -> None:
        worker = a_worker(DIES_AT_ONCE, metrics)
        worker.stop()
        await asyncio.wait_for(worker.run(), TIMEOUT)

    asyncio.run(live())
    assert value(metrics, "sparks_jobs_total", kind="walk", outcome="done") == 0


def test_a_worker_killed_by_a_signal_without_a_name_is_replaced_too(caplog: pytest.LogCaptureFixture) -> None:
    metrics = Metrics()

    async def live() -> None:
        worker = a_worker("import os; os.kill(os.getpid(), 40)", metrics)
        running = asyncio.create_task(worker.run())
        await until(metrics, "sparks_worker_deaths_total", 2)
        worker.stop()
        await asyncio.wait_for(running, TIMEOUT)

    asyncio.run(live())
    assert "a worker ended (signal 40" in caplog.text


def test_a_worker_whose_child_keeps_the_lifeline_open_is_replaced_all_the_same() -> None:
    metrics = Metrics()

    async def live() -> None:
        worker = a_worker(LEAVES_A_CHILD, metrics)
        running = asyncio.create_task(worker.run())
        await until(metrics, "sparks_worker_deaths_total", 1)
        worker.stop()
        await asyncio.wait_for(running, TIMEOUT)

    asyncio.run(live())
