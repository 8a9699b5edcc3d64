"""Client of the fork server: starts the server, and requests that it fork or end a child."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from sparks.media.sandbox.protocol import END, FORK, MAX_BYTES, ForkServerReply, ForkServerSettings
from sparks.model.errors import Unavailable

START_SECONDS: Final = 60.0
REPLY_SECONDS: Final = 15.0
CLOSE_SECONDS: Final = 5.0
INHERITED_VARIABLES: Final = ("PATH", "LD_LIBRARY_PATH")  # other variables may hold secrets
OWN_VARIABLES: Final = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "VIPS_CONCURRENCY": "1",
    "VIPS_DISC_THRESHOLD": "64g",  # libvips would write a large picture to a file, which the sandbox forbids
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}


class ForkServerClient:
    """Starts the server when it is created. Every failure is Unavailable, since it is no fault of a photo."""

    def __init__(self, settings: ForkServerSettings) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                self._process = _start_process(theirs.fileno())
        except OSError as error:
            self._control.close()
            raise Unavailable(f"the decoders' parent process cannot be started: {error}") from error
        try:
            self._request(msgspec.json.encode(settings), seconds=START_SECONDS)
        except BaseException:
            self.close()
            raise

    def is_alive(self) -> bool:
        return self._control.fileno() >= 0 and self._process.poll() is None

    def fork(self, connection: socket.socket) -> None:
        """Starts a child that serves this connection. The caller has ended the child before."""
        self._request(FORK, files=[connection.fileno()])

    def end_child(self) -> int:
        """Kills the child unless it has ended; returns its exit code, or a negative signal number."""
        return self._request(END).exit_status

    def close(self) -> None:
        """Ends the server and its child."""
        self._control.close()
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _request(self, request: bytes, *, files: Sequence[int] = (), seconds: float = REPLY_SECONDS) -> ForkServerReply:
        try:
            self._control.settimeout(seconds)
            socket.send_fds(self._control, [request], files)
            received = self._control.recv(MAX_BYTES)
        except OSError as error:
            raise Unavailable(f"the decoders' parent process does not answer: {error}") from error
        except BaseException:
            self._control.close()  # the reply may still come, and must not be read as the reply to another request
            raise
        if not received:
            raise Unavailable("the decoders' parent process has ended")
        reply = msgspec.json.decode(received, type=ForkServerReply)
        if reply.error:
            raise Unavailable(f"the decoders cannot be started: {reply.error}")
        return reply


def _start_process(control: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  this package itself
        [sys.executable, "-P", "-m", "sparks.media.sandbox.fork_server", str(control)],
        pass_fds=[control],
        env=_environment(),
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C stops the worker, which may still need the decoders
    )


def _environment() -> dict[str, str]:
    inherited = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}
    python_path = os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path)
    return {**inherited, **OWN_VARIABLES, "PYTHONPATH": python_path}
