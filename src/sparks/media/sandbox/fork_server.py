"""Fork server program: imports the decoders, then forks one child at a time."""

import gc
import inspect
import os
import pkgutil
import signal
import socket
import sys
import typing
from pathlib import Path

import msgspec

from sparks.media.sandbox import seccomp
from sparks.media.sandbox.child import SandboxTask, serve
from sparks.media.sandbox.protocol import END, FORK, MAX_BYTES, ForkServerReply, ForkServerSettings


def main() -> None:
    """Runs until the worker ends. Signals that a terminal or a service manager sends to all processes are ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    control = socket.socket(fileno=int(sys.argv[1]))
    try:
        task = _prepare(msgspec.json.decode(control.recv(MAX_BYTES), type=ForkServerSettings))
    except BaseException as error:
        _reply(control, ForkServerReply(error=f"{type(error).__name__}: {error}"))
        raise
    _reply(control, ForkServerReply())
    ForkLoop(control, task).run()


def _prepare(settings: ForkServerSettings) -> SandboxTask:
    pkgutil.resolve_name(settings.preload)()
    run = pkgutil.resolve_name(settings.task)
    seccomp.load_libseccomp()
    _check_threads()
    gc.collect()
    gc.freeze()  # the children share these pages as long as no collection writes to them
    return SandboxTask(run=run, requests=_decoder_for(run), memory=settings.memory, output=settings.output)


def _check_threads() -> None:
    """RuntimeError where other threads run: a fork copies one thread, and locks of the others are never released."""
    count = len(list(Path("/proc/self/task").iterdir()))
    if count > 1:
        raise RuntimeError(f"{count} threads are running, so a forked child would hang: preload() may only import")


def _decoder_for(run: typing.Callable[..., object]) -> msgspec.msgpack.Decoder[object]:
    first = next(iter(inspect.signature(run).parameters))
    return msgspec.msgpack.Decoder(typing.get_type_hints(run).get(first, object))


class ForkLoop:
    """Keeps at most one child, and hands it the descriptor of its connection to the worker."""

    def __init__(self, control: socket.socket, task: SandboxTask) -> None:
        self._control = control
        self._task = task
        self._child: int | None = None

    def run(self) -> None:
        """Serves requests until the worker closes its end, also by dying."""
        while True:
            request, descriptors, _, _ = socket.recv_fds(self._control, MAX_BYTES, 1)
            if request == FORK:
                _reply(self._control, self._fork(descriptors[0]))
            elif request == END:
                _reply(self._control, ForkServerReply(exit_status=self._end_child()))
            else:
                self._end_child()
                return

    def _fork(self, connection: int) -> ForkServerReply:
        parent = os.getpid()
        try:
            self._child = os.fork()
        except OSError as error:
            os.close(connection)
            return ForkServerReply(error=str(error))
        if self._child == 0:
            self._control.detach()
            serve(self._task, connection, parent=parent)
        os.close(connection)
        return ForkServerReply()

    def _end_child(self) -> int:
        """Kills the child and returns its exit status: an exit code, or a negative signal number."""
        if self._child is None:
            return 0
        os.kill(self._child, signal.SIGKILL)  # only this process reaps it, so the pid is still its own
        _, status = os.waitpid(self._child, 0)
        self._child = None
        return os.waitstatus_to_exitcode(status)


def _reply(control: socket.socket, reply: ForkServerReply) -> None:
    control.send(msgspec.json.encode(reply))


if __name__ == "__main__":
    main()
