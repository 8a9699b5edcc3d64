"""`sparks worker`: runs jobs, alone or as a child of `sparks serve`."""

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click
import msgspec

from sparks.cli.options import print_line, with_settings
from sparks.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sparks.metrics import JobReport
    from sparks.worker import Worker

GIVE_BACK_SHARE: Final = 0.8  # of drain_seconds
EXIT_STUCK: Final = 70
NICENESS: Final = 10  # of a worker beside the API, so that requests come before jobs
# The wait for a job, after which a worker checks whether to stop. SQS polls its two queues for a second each.
WAIT_SECONDS: Final = {"embedded": 1.0, "sqs": 2.0}

log = logging.getLogger(__name__)


@click.command()
@click.option("--queue", help="Name of the job queue.")
@click.option("--once", is_flag=True, help="Run the jobs that wait now, then end.")
@click.option("--metrics-port", type=click.IntRange(1, 65535), metavar="PORT", help="Answer /metrics on this port.")
@click.option("--lifeline", type=int, hidden=True)
@with_settings
def worker(settings: Settings, *, once: bool, metrics_port: int | None, lifeline: int | None) -> None:
    """Run jobs, one after the other, until you stop it (Ctrl-C or SIGTERM).

    `sparks serve` starts workers by itself. Use this command to run more of them, on this machine or on others.

    \b
    Examples:
      sparks worker
      sparks worker --once
      sparks worker --metrics-port 9100
    """
    from sparks.journey import Journey
    from sparks.logs import configure_logs
    from sparks.metrics import Metrics
    from sparks.wiring import open_faces, open_renderer, open_stores
    from sparks.worker import Worker

    configure_logs(form=settings.log_format, level=settings.log_level)
    metrics = Metrics()
    supervisor = None if lifeline is None else SupervisorSocket(lifeline)
    if supervisor is not None:
        os.nice(NICENESS)
    with open_stores(settings) as opened, open_faces(settings, opened) as stores, open_renderer(settings) as renderer:
        worker_loop = Worker(
            journey=Journey(),
            stores=replace(stores, renderer=renderer),
            report=metrics.count_job if supervisor is None else supervisor.report,
            wait=WAIT_SECONDS[settings.jobs],
            overdue=lambda: os._exit(EXIT_STUCK),
        )
        if once:
            print_line(_summary(worker_loop.run_waiting()))
            return
        if metrics_port is not None:
            metrics.expose_on(settings.host, metrics_port)
        _handle_stop(worker_loop, supervisor, seconds=settings.drain_seconds * GIVE_BACK_SHARE)
        log.info("waiting for jobs of queue %s", settings.queue)
        worker_loop.run()
        log.info("stopping")


def _summary(reports: "Sequence[JobReport]") -> str:
    failed = sum(not report.done for report in reports)
    ran = f"ran {len(reports)} job{'' if len(reports) == 1 else 's'}"
    return f"{ran}, {failed} failed" if failed else ran


def _handle_stop(worker_loop: "Worker", supervisor: "SupervisorSocket | None", *, seconds: float) -> None:
    """Ends the worker on a signal, or with its supervisor; the running job has `seconds` to finish."""

    def end_soon() -> None:
        worker_loop.stop()
        deadline = threading.Timer(seconds, _exit_now, [worker_loop])
        deadline.daemon = True
        deadline.start()

    signal.signal(signal.SIGTERM, lambda *_: end_soon())
    # Ctrl-C reaches the supervisor too, which then stops the worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN if supervisor else lambda *_: end_soon())
    if supervisor:
        supervisor.on_close(end_soon)


def _exit_now(worker_loop: "Worker") -> None:
    """Gives the job back and ends the process, because a running step cannot be interrupted."""
    try:
        worker_loop.give_back()
    finally:
        os._exit(0)


class SupervisorSocket:
    """Socket to the supervisor: reports finished jobs, and notices when the supervisor has ended."""

    def __init__(self, descriptor: int) -> None:
        os.set_inheritable(descriptor, False)  # a child process must not keep it open after the worker has ended
        self._socket = socket.socket(fileno=descriptor)

    def report(self, finished: msgspec.Struct) -> None:
        try:
            self._socket.sendall(msgspec.json.encode(finished) + b"\n")
        except OSError:
            log.warning("a finished job could not be reported: the supervisor has ended")

    def on_close(self, call: Callable[[], None]) -> None:
        """Calls `call` in another thread when the supervisor has ended."""

        def watch() -> None:
            while self._socket.recv(1):
                continue
            log.warning("the supervisor has ended: this worker ends too")
            call()

        threading.Thread(target=watch, name="lifeline", daemon=True).start()
