"""A child's life: locked in, it answers one request after the other until its line ends or a task fails."""

import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import msgspec

from sparks.media.jail import frames, trouble
from sparks.media.jail.answer import Answer
from sparks.media.jail.frames import Kind
from sparks.media.jail.lock import lock_in
from sparks.media.jail.progress import Report, in_steps


@dataclass(frozen=True, slots=True)
class Task:
    """What every child does, and within which limits."""

    run: Callable[[Any, Sequence[int], Report], Answer[Any]]
    requests: msgspec.msgpack.Decoder[Any]
    memory: int
    output: int


def live(task: Task, descriptor: int, *, parent: int) -> NoReturn:
    """Called right after the fork, and ends the process, whatever happens."""
    try:
        _live(task, socket.socket(fileno=descriptor), parent)
    finally:
        os._exit(0)


def _live(task: Task, line: socket.socket, parent: int) -> None:
    try:
        missing = lock_in(line.fileno(), parent=parent, memory=task.memory, output=task.output)
        frames.send(line, Kind.READY, msgspec.msgpack.encode(missing))
        _serve(line, task)
    except BaseException as error:  # noqa: BLE001  the worker hears of it, and asks for a new child
        frames.send(line, Kind.TROUBLE, msgspec.msgpack.encode(trouble.describe(error)))


def _serve(line: socket.socket, task: Task) -> None:
    while (received := frames.receive_with_files(line)) is not None:
        request, files = received
        answer = task.run(task.requests.decode(request), files, in_steps(partial(_send_progress, line)))
        _send_answer(line, answer)
        for file in files:
            os.close(file)


def _send_progress(line: socket.socket, fraction: float) -> None:
    frames.send(line, Kind.PROGRESS, msgspec.msgpack.encode(float(fraction)))


def _send_answer(line: socket.socket, answer: Answer[Any]) -> None:
    for blob in answer.blobs:
        frames.send(line, Kind.BLOB, blob)
    frames.send(line, Kind.VALUE, msgspec.msgpack.encode(answer.value))
