"""`sparks worker`: runs jobs, alone or as a child of `sparks serve`."""

import logging
import os
import signal
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from sparks.cli.options import say, with_settings
from sparks.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sparks.cli.lifeline import Lifeline
    from sparks.metrics import JobReport
    from sparks.worker import Worker

GIVE_BACK_AFTER: Final = 0.8
STUCK: Final = 70
NICE: Final = 10  # beside the API: whoever waits for an answer comes before whatever is done later
# How long a worker waits for a job before it looks whether to stop; SQS watches its two queues for a second each.
WAIT: Final = {"embedded": 1.0, "sqs": 2.0}


log = logging.getLogger(__name__)


@click.command()
@click.option("--queue", help="Name of the job queue.")
@click.option("--once", is_flag=True, help="Run the jobs that wait now, then end.")
@click.option("--metrics-port", type=click.IntRange(1, 65535), metavar="PORT", help="Answer /metrics on this port.")
@click.option("--lifeline", type=int, hidden=True)
@with_settings
def worker(settings: Settings, *, once: bool, metrics_port: int | None, lifeline: int | None) -> None:
    """Run jobs, one after the other, until told to stop (Ctrl-C or SIGTERM).

    `sparks serve` starts workers by itself; this is for more of them, on this machine or on others.

    \b
    Examples:
      sparks worker
      sparks worker --once
      sparks worker --metrics-port 9100
    """
    from sparks.cli.lifeline import Lifeline
    from sparks.journey import Journey
    from sparks.logs import configure_logs
    from sparks.metrics import Metrics
    from sparks.wiring import open_faces, open_stores, open_studio
    from sparks.worker import Worker

    configure_logs(form=settings.log_format, level=settings.log_level)
    metrics = Metrics()
    line = None if lifeline is None else Lifeline(lifeline)
    if line is not None:
        os.nice(NICE)
    with open_stores(settings) as opened, open_faces(settings, opened) as stores, open_studio(settings) as studio:
        hand = Worker(
            journey=Journey(),
            stores=replace(stores, studio=studio),
            report=metrics.count_job if line is None else line.report,
            wait=WAIT[settings.jobs],
            overdue=lambda: os._exit(STUCK),
        )
        if once:
            say(_summary(hand.run_waiting()))
            return
        if metrics_port is not None:
            metrics.answer_on(settings.host, metrics_port)
        _obey(hand, line, seconds=settings.drain_seconds * GIVE_BACK_AFTER)
        log.info("waiting for jobs of queue %s", settings.queue)
        hand.run()
        log.info("stopping")


def _summary(reports: "Sequence[JobReport]") -> str:
    failed = sum(not report.done for report in reports)
    ran = f"ran {len(reports)} job{'' if len(reports) == 1 else 's'}"
    return f"{ran}, {failed} failed" if failed else ran


def _obey(hand: "Worker", line: "Lifeline | None", *, seconds: float) -> None:
    """Ends the worker when it is told to; the job at hand has `seconds` to finish."""

    def end_soon() -> None:
        hand.stop()
        deadline = threading.Timer(seconds, _leave, [hand])
        deadline.daemon = True
        deadline.start()

    signal.signal(signal.SIGTERM, lambda *_: end_soon())
    signal.signal(signal.SIGINT, signal.SIG_IGN if line else lambda *_: end_soon())  # Ctrl-C reaches the supervisor too
    if line:
        line.when_cut(end_soon)


def _leave(hand: "Worker") -> None:
    """A step cannot be interrupted: the process ends under it."""
    try:
        hand.give_back()
    finally:
        os._exit(0)
