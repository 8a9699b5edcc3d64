"""Server process: listens, runs API and workers, and drains on stop.

When it is stopped, Sparks takes no new connections and no new jobs. Running requests and jobs have nine tenths of
`drain_seconds` to finish (a worker gives its job back after eight tenths). Then requests are cut off and workers
killed.
"""

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Final

import uvicorn
import uvloop
from starlette.types import ASGIApp

from sparks.model.errors import BadSetting
from sparks.supervisor.deadlines import wait_for_event
from sparks.supervisor.http_connection import HttpConnection
from sparks.supervisor.periodic_jobs import PeriodicJob, repeat
from sparks.supervisor.worker_process import WorkerProcess

CUT_OFF_SHARE: Final = 0.9
REPEATED_SIGNAL_SECONDS: Final = 0.5
FIRST_UNPRIVILEGED_PORT: Final = 1024
KEEP_ALIVE_SECONDS: Final = 75  # longer than those of proxies: none sends a request into a connection just closed

log = logging.getLogger(__name__)


def listen(host: str, port: int) -> socket.socket:
    """A socket on the port; BadSetting where the port cannot be used."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise BadSetting(
                f"port {port} of {host} is taken: end the program that uses it, or choose another port with --port"
            ) from error
        if error.errno == errno.EACCES and port < FIRST_UNPRIVILEGED_PORT:
            raise BadSetting(
                f"ports below {FIRST_UNPRIVILEGED_PORT} are reserved for the superuser: choose another one with --port"
            ) from error
        reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        raise BadSetting(f"cannot listen on {host} port {port} ({reason}): check host and port") from error


def serve(
    app: ASGIApp,
    *,
    listener: socket.socket,
    workers: Sequence[WorkerProcess],
    check: Callable[[], Awaitable[bool]],
    periodic: Sequence[PeriodicJob],
    ready: Callable[[], None],
    drain_seconds: float,
    stopping: asyncio.Event | None = None,
) -> None:
    """Runs until SIGTERM or SIGINT, or until `check` raises; then the process has `drain_seconds` to end.

    `check` is called until it returns true; then `ready` is called, and workers and periodic jobs are started.
    `stopping` is set as soon as Sparks stops, so that the application can end its event streams.
    """
    supervisor = _Supervisor(app, listener, workers, stopping or asyncio.Event(), drain_seconds)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(supervisor.run(check, periodic, ready))


class _Supervisor:
    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        workers: Sequence[WorkerProcess],
        stopping: asyncio.Event,
        drain_seconds: float,
    ) -> None:
        self._server = _Server(
            uvicorn.Config(
                app,
                http=HttpConnection,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,  # uvicorn trusts every proxy on this machine; the API trusts trusted_proxies only
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
            )
        )
        self._listener = listener
        self._workers = workers
        self._drain_seconds = drain_seconds
        self._stop = stopping
        self._told = 0.0

    async def run(
        self, check: Callable[[], Awaitable[bool]], periodic: Sequence[PeriodicJob], ready: Callable[[], None]
    ) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._on_stop_signal)
        serving = asyncio.create_task(self._server.serve(sockets=[self._listener]))
        working = asyncio.create_task(self._work(check, periodic, ready))
        stopped = asyncio.create_task(self._stop.wait())
        await asyncio.wait([serving, working, stopped], return_when=asyncio.FIRST_COMPLETED)
        await self._drain([serving, working])

    async def _work(
        self, check: Callable[[], Awaitable[bool]], periodic: Sequence[PeriodicJob], ready: Callable[[], None]
    ) -> None:
        pause = 0.02
        while not (self._server.started and await check()):
            if await wait_for_event(self._stop, within=pause):
                return
            pause = min(pause * 2, 2)
        ready()
        async with asyncio.TaskGroup() as group:
            for worker in self._workers:
                group.create_task(worker.run())
            for periodic_job in periodic:
                group.create_task(repeat(periodic_job, until=self._stop))

    def _on_stop_signal(self) -> None:
        """Ctrl-C sends the same signal twice at once where a parent, such as `make`, passes it on too."""
        now = time.monotonic()
        if not self._stop.is_set():
            self._told = now
            self._stop.set()
        elif now - self._told > REPEATED_SIGNAL_SECONDS:
            log.warning("stopped twice: ending at once")
            self._exit_now()

    async def _drain(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        log.info("stopping")
        self._stop.set()
        self._server.should_exit = True
        for worker in self._workers:
            worker.stop()
        deadline = threading.Timer(self._drain_seconds, self._exit_now)  # never cancelled: closing may hang too
        deadline.daemon = True
        deadline.start()
        _, on_timeout = await asyncio.wait(tasks, timeout=self._drain_seconds * CUT_OFF_SHARE)
        if on_timeout:
            log.warning("some requests or jobs did not finish within drain_seconds: cutting them off")
            for worker in self._workers:
                worker.kill()
            for task in on_timeout:
                task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _exit_now(self) -> None:
        """Hanging threads cannot be ended in any other way. Acknowledged writes are durable."""
        for worker in self._workers:
            worker.kill()
        os._exit(0)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Does nothing: the supervisor handles signals, because it has to stop the workers too."""
        yield
