"""The worker's hold on its warm parent, which is another program with an environment of its own."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from sparks.media.jail.orders import END, FORK, MOST_BYTES, Reply, Terms
from sparks.model.errors import Unavailable

START_SECONDS: Final = 60.0
REPLY_SECONDS: Final = 15.0
CLOSE_SECONDS: Final = 5.0
KEPT: Final = ("PATH", "LD_LIBRARY_PATH")  # of our environment; the rest may hold secrets
OWN: Final = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "VIPS_CONCURRENCY": "1",
    "VIPS_DISC_THRESHOLD": "64g",  # libvips would put a large picture into a file, which it cannot make there
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}


class WarmParent:
    """Started when made. Whatever goes wrong with it is Unavailable: no photo is to blame."""

    def __init__(self, terms: Terms) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                self._process = _start_process(theirs.fileno())
        except OSError as error:
            self._control.close()
            raise Unavailable(f"the decoders' parent process cannot be started: {error}") from error
        try:
            self._ask(msgspec.json.encode(terms), seconds=START_SECONDS)
        except BaseException:
            self.close()
            raise

    def is_alive(self) -> bool:
        return self._control.fileno() >= 0 and self._process.poll() is None

    def fork(self, line: socket.socket) -> None:
        """A new child, which speaks on that line. The one before has been ended."""
        self._ask(FORK, files=[line.fileno()])

    def end_child(self) -> int:
        """Kills the child unless it has ended; tells its exit code, or below zero its signal."""
        return self._ask(END).ending

    def close(self) -> None:
        """Ends it and its child."""
        self._control.close()
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, order: bytes, *, files: Sequence[int] = (), seconds: float = REPLY_SECONDS) -> Reply:
        try:
            self._control.settimeout(seconds)
            socket.send_fds(self._control, [order], files)
            said = self._control.recv(MOST_BYTES)
        except OSError as error:
            raise Unavailable(f"the decoders' parent process does not answer: {error}") from error
        except BaseException:
            self._control.close()  # the reply may still come, and must not be taken for another one's
            raise
        if not said:
            raise Unavailable("the decoders' parent process has ended")
        reply = msgspec.json.decode(said, type=Reply)
        if reply.trouble:
            raise Unavailable(f"the decoders cannot be started: {reply.trouble}")
        return reply


def _start_process(control: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  ourselves
        [sys.executable, "-P", "-m", "sparks.media.jail.parent", str(control)],
        pass_fds=[control],
        env=_environment(),
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C is for the worker, which may still need it
    )


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    places = os.pathsep.join(str(Path(place).absolute()) for place in sys.path)
    return {**kept, **OWN, "PYTHONPATH": places}
