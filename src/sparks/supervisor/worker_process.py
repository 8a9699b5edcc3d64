"""Worker process that is restarted when it dies.

A pair of sockets connects a worker with its supervisor. The worker reports finished jobs over it, which the supervisor
counts. When the supervisor ends, even killed, the worker reads an end of file and ends too.
"""

import asyncio
import logging
import signal
import socket
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Sequence
from typing import Final

import msgspec

from sparks.metrics import JobReport, Metrics
from sparks.supervisor.deadlines import wait_for_event

STABLE_AFTER: Final = 10.0
REPORTS_TIMEOUT: Final = 2.0
RESTART_DELAYS: Final = (0.1, 0.5, 2.0, 5.0, 15.0, 30.0)

log = logging.getLogger(__name__)


class WorkerProcess:
    def __init__(self, command: Sequence[str], environment: dict[str, str], *, metrics: Metrics) -> None:
        """The last argument of `command` will be the file descriptor of the worker's end of the lifeline."""
        self._command = command
        self._environment = environment
        self._metrics = metrics
        self._stopping = asyncio.Event()
        self._process: Process | None = None

    async def run(self) -> None:
        """Starts the worker, again after each end, and returns once it is stopped and has ended."""
        early_deaths = 0
        while not self._stopping.is_set():
            began = time.monotonic()
            end = await self._run_once()
            if self._stopping.is_set():
                return
            early_deaths = early_deaths + 1 if time.monotonic() - began < STABLE_AFTER else 0
            pause = RESTART_DELAYS[min(early_deaths, len(RESTART_DELAYS) - 1)]
            self._metrics.worker_deaths.inc()
            log.error("a worker ended (%s); the next one starts in %g s", end, pause)
            await wait_for_event(self._stopping, within=pause)

    def stop(self) -> None:
        """Lets the worker finish its running job, and starts no other worker."""
        self._stopping.set()
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    async def _run_once(self) -> str:
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            with theirs:
                self._process = await self._start(theirs.fileno())
            code = await self._supervise(self._process, reader)
        except OSError as error:
            return f"it could not be started: {error.strerror}"
        finally:
            writer.close()
        return f"signal {-code}, {signal.strsignal(-code)}" if code < 0 else f"exit code {code}"

    async def _start(self, lifeline: int) -> Process:
        return await asyncio.create_subprocess_exec(
            *self._command, str(lifeline), pass_fds=[lifeline], env=self._environment, stdin=DEVNULL
        )

    async def _supervise(self, process: Process, reader: asyncio.StreamReader) -> int:
        log.info("a worker started", extra={"workerPid": process.pid})
        if self._stopping.is_set():
            self._signal(signal.SIGTERM)
        counting = asyncio.create_task(self._count_jobs(reader))
        try:
            with self._metrics.workers.track_inprogress():
                code = await process.wait()
            await asyncio.wait([counting], timeout=REPORTS_TIMEOUT)  # a child of the worker may keep the lifeline open
        finally:
            counting.cancel()
        return code

    async def _count_jobs(self, reader: asyncio.StreamReader) -> None:
        async for line in reader:
            if line.endswith(b"\n"):  # otherwise the worker was killed while it wrote
                self._count_job(line)

    def _count_job(self, line: bytes) -> None:
        try:
            self._metrics.count_job(msgspec.json.decode(line, type=JobReport))
        except msgspec.DecodeError:
            log.warning("a worker sent a report that cannot be read")

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)
