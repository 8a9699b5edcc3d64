"""Child process of the sandbox: locks itself down, then serves requests until its connection ends."""

import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import msgspec

from sparks.media.sandbox import protocol
from sparks.media.sandbox.lockdown import lock_down
from sparks.media.sandbox.protocol import FrameKind, Report, TaskResult, in_steps


@dataclass(frozen=True, slots=True)
class SandboxTask:
    """The function that every child runs, and the limits of a child in bytes."""

    run: Callable[[Any, Sequence[int], Report], TaskResult[Any]]
    requests: msgspec.msgpack.Decoder[Any]
    memory: int
    output: int


def serve(task: SandboxTask, descriptor: int, *, parent: int) -> NoReturn:
    """Serves requests right after the fork, and always ends the process."""
    try:
        _lock_down_and_serve(task, socket.socket(fileno=descriptor), parent)
    finally:
        os._exit(0)


def _lock_down_and_serve(task: SandboxTask, connection: socket.socket, parent: int) -> None:
    try:
        missing = lock_down(connection.fileno(), parent=parent, memory=task.memory, output=task.output)
        protocol.send(connection, FrameKind.READY, msgspec.msgpack.encode(missing))
        _serve(connection, task)
    except BaseException as error:  # noqa: BLE001  the worker is sent the error, and starts another child
        protocol.send(connection, FrameKind.ERROR, msgspec.msgpack.encode(protocol.error_report(error)))


def _serve(connection: socket.socket, task: SandboxTask) -> None:
    while (received := protocol.receive_with_files(connection)) is not None:
        request, files = received
        result = task.run(task.requests.decode(request), files, in_steps(partial(_send_progress, connection)))
        _send_result(connection, result)
        for file in files:
            os.close(file)


def _send_progress(connection: socket.socket, fraction: float) -> None:
    protocol.send(connection, FrameKind.PROGRESS, msgspec.msgpack.encode(float(fraction)))


def _send_result(connection: socket.socket, result: TaskResult[Any]) -> None:
    for blob in result.blobs:
        protocol.send(connection, FrameKind.BLOB, blob)
    protocol.send(connection, FrameKind.VALUE, msgspec.msgpack.encode(result.value))
