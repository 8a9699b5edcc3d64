"""The warm parent, a program of its own: imports the decoders, never decodes, and forks a child when it is told to."""

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

from sparks.media.jail import syscalls
from sparks.media.jail.child import Task, live
from sparks.media.jail.orders import END, FORK, MOST_BYTES, Reply, Terms


def main() -> None:
    """It ends when the worker does, and not by a signal that a terminal or a service manager sends to all of us."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    control = socket.socket(fileno=int(sys.argv[1]))
    try:
        task = _warm_up(msgspec.json.decode(control.recv(MOST_BYTES), type=Terms))
    except BaseException as error:
        _reply(control, Reply(trouble=f"{type(error).__name__}: {error}"))
        raise
    _reply(control, Reply())
    Forks(control, task).run()


def _warm_up(terms: Terms) -> Task:
    pkgutil.resolve_name(terms.warm)()
    run = pkgutil.resolve_name(terms.task)
    syscalls.library()
    _check_threads()
    gc.collect()
    gc.freeze()  # the children share these pages as long as nobody counts in them
    return Task(run=run, requests=_decoder_for(run), memory=terms.memory, output=terms.output)


def _check_threads() -> None:
    """A fork takes one thread along; what the others were holding then stays locked for ever."""
    count = len(list(Path("/proc/self/task").iterdir()))
    if count > 1:
        raise RuntimeError(f"{count} threads are running, so that a child would hang: warm() may only import")


def _decoder_for(run: typing.Callable[..., object]) -> msgspec.msgpack.Decoder[object]:
    first = next(iter(inspect.signature(run).parameters))
    return msgspec.msgpack.Decoder(typing.get_type_hints(run).get(first, object))


class Forks:
    """At most one child at a time; the worker speaks with it on a line that only passes through here."""

    def __init__(self, control: socket.socket, task: Task) -> None:
        self._control = control
        self._task = task
        self._child: int | None = None

    def run(self) -> None:
        """Until the worker is gone, however it went."""
        while True:
            order, lines, _, _ = socket.recv_fds(self._control, MOST_BYTES, 1)
            if order == FORK:
                _reply(self._control, self._fork(lines[0]))
            elif order == END:
                _reply(self._control, Reply(ending=self._end()))
            else:
                self._end()
                return

    def _fork(self, line: int) -> Reply:
        parent = os.getpid()
        try:
            self._child = os.fork()
        except OSError as error:
            os.close(line)
            return Reply(trouble=str(error))
        if self._child == 0:
            self._control.detach()
            live(self._task, line, parent=parent)
        os.close(line)
        return Reply()

    def _end(self) -> int:
        """How the child ended: an exit code, or a signal below zero."""
        if self._child is None:
            return 0
        os.kill(self._child, signal.SIGKILL)  # only we wait for it, so that the number is still its own
        _, status = os.waitpid(self._child, 0)
        self._child = None
        return os.waitstatus_to_exitcode(status)


def _reply(control: socket.socket, reply: Reply) -> None:
    control.send(msgspec.json.encode(reply))


if __name__ == "__main__":
    main()
