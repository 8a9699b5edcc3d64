"""The API and its workers, from the first answer to the last.

[Note: draining] Told to stop, Sparks takes no new connections and no new jobs. Of `drain_seconds`, what is at hand has
nine tenths to finish (a worker gives its job back after eight); then requests are cut off and workers killed.
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
from sparks.supervisor.chores import Chore, repeat
from sparks.supervisor.connection import Connection
from sparks.supervisor.slot import WorkerSlot
from sparks.supervisor.waiting import happens

CUT_OFF_AFTER: Final = 0.9
SAME_WISH: Final = 0.5
FIRST_FREE_PORT: Final = 1024
KEPT_ALIVE: Final = 75  # longer than proxies keep theirs, so that none sends a request into a connection just closed

log = logging.getLogger(__name__)


def listen(host: str, port: int) -> socket.socket:
    """A socket on the port, or a BadSetting that says what to do."""
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(place, family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise BadSetting(
                f"port {port} of {host} is taken: end the program that uses it, or choose another port with --port"
            ) from error
        if error.errno == errno.EACCES and port < FIRST_FREE_PORT:
            raise BadSetting(
                f"port {port} is for the superuser, as all below {FIRST_FREE_PORT} are: choose another port with --port"
            ) from error
        reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        raise BadSetting(f"cannot listen on {host} port {port} ({reason}): check host and port") from error


def serve(
    app: ASGIApp,
    *,
    listener: socket.socket,
    slots: Sequence[WorkerSlot],
    check: Callable[[], Awaitable[bool]],
    chores: Sequence[Chore],
    ready: Callable[[], None],
    drain_seconds: float,
    stopping: asyncio.Event | None = None,
) -> None:
    """Runs until a signal says stop, or `check` raises; the process has then `drain_seconds` to end by itself.

    `check` is asked until it says that all is ready; then `ready` is called, and the `chores` are begun.
    `stopping` is set as soon as Sparks is to stop, for the application to end what would go on.
    """
    supervisor = _Supervisor(app, listener, slots, stopping or asyncio.Event(), drain_seconds)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(supervisor.run(check, chores, ready))


class _Supervisor:
    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        slots: Sequence[WorkerSlot],
        stopping: asyncio.Event,
        drain_seconds: float,
    ) -> None:
        self._server = _Server(
            uvicorn.Config(
                app,
                http=Connection,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,  # uvicorn believes whoever is on this machine; the API knows whom to believe
                server_header=False,
                timeout_keep_alive=KEPT_ALIVE,
            )
        )
        self._listener = listener
        self._slots = slots
        self._drain_seconds = drain_seconds
        self._stop = stopping
        self._told = 0.0

    async def run(
        self, check: Callable[[], Awaitable[bool]], chores: Sequence[Chore], ready: Callable[[], None]
    ) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._on_signal)
        serving = asyncio.create_task(self._server.serve(sockets=[self._listener]))
        working = asyncio.create_task(self._work(check, chores, ready))
        stopped = asyncio.create_task(self._stop.wait())
        await asyncio.wait([serving, working, stopped], return_when=asyncio.FIRST_COMPLETED)
        await self._drain([serving, working])

    async def _work(
        self, check: Callable[[], Awaitable[bool]], chores: Sequence[Chore], ready: Callable[[], None]
    ) -> None:
        pause = 0.02
        while not (self._server.started and await check()):
            if await happens(self._stop, within=pause):
                return
            pause = min(pause * 2, 2)
        ready()
        async with asyncio.TaskGroup() as group:
            for slot in self._slots:
                group.create_task(slot.run())
            for chore in chores:
                group.create_task(repeat(chore, until=self._stop))

    def _on_signal(self) -> None:
        """Who signals a whole process group, and `make` in it, tells the same thing twice at once."""
        now = time.monotonic()
        if not self._stop.is_set():
            self._told = now
            self._stop.set()
        elif now - self._told > SAME_WISH:
            log.warning("told to stop twice: not waiting any longer")
            self._end_now()

    async def _drain(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        log.info("stopping")
        self._stop.set()
        self._server.should_exit = True
        for slot in self._slots:
            slot.stop()
        deadline = threading.Timer(self._drain_seconds, self._end_now)  # never cancelled: closing may hang, too
        deadline.daemon = True
        deadline.start()
        _, late = await asyncio.wait(tasks, timeout=self._drain_seconds * CUT_OFF_AFTER)
        if late:
            log.warning("not everything finished within the drain time: cutting it off")
            for slot in self._slots:
                slot.kill()
            for task in late:
                task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _end_now(self) -> None:
        """Threads that hang cannot be ended in any other way. What was acknowledged is durable."""
        for slot in self._slots:
            slot.kill()
        os._exit(0)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """The supervisor takes the signals: it has workers to tell, too."""
        yield
