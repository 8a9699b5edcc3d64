"""A worker in a process of its own: `python -m tests.conformance.jobs.worker DATABASE (run | hold | send)`.

`run` finishes jobs and prints their kinds until one is called stop; `hold` takes one and never finishes it; `send`
sends one.
"""

import sys
import time
from pathlib import Path

from sparks.jobs.embedded import EmbeddedJobs
from sparks.jobs.port import MAX_WAIT, Job
from sparks.sqlitefile import SqliteFile


def main(database: str, task: str) -> None:
    jobs = EmbeddedJobs(SqliteFile(Path(database)), poll_interval=60)
    tell("ready")
    match task:
        case "run":
            run(jobs)
        case "hold":
            [delivery] = jobs.receive(most=1, lease=1)
            tell(delivery.job.kind)
            sys.stdin.read()
        case "send":
            jobs.send(Job("from-afar", {}))


def run(jobs: EmbeddedJobs) -> None:
    kind = ""
    while kind != "stop":
        began = time.monotonic()
        [delivery] = jobs.receive(most=1, wait=MAX_WAIT)
        if time.monotonic() - began >= MAX_WAIT:
            raise SystemExit("found a job without having been woken")
        kind = delivery.job.kind
        jobs.done(delivery)
        tell(kind)


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


main(*sys.argv[1:])
