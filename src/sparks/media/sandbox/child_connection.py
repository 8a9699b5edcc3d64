"""Connection of the worker to one child, whose every message is checked."""

import select
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

import msgspec

from sparks.media.sandbox import protocol
from sparks.media.sandbox.protocol import (
    ChildExited,
    ChildTimeout,
    ErrorReport,
    Frame,
    FrameKind,
    ProtocolViolation,
    Report,
    TaskFailed,
    TaskResult,
    in_steps,
)

V = TypeVar("V")
START_SECONDS: Final = 15.0
MAX_PAYLOADS: Final[dict[int, int]] = {FrameKind.PROGRESS: 16, FrameKind.ERROR: 1 << 13, FrameKind.VALUE: 1 << 20}
BLOB_COST: Final = 1 << 10  # bytes that each blob counts on top of its length, which limits the number of blobs


class ChildConnection:
    """Serves one request at a time, and raises the ChildFailures of `protocol`."""

    def __init__(self, connection: socket.socket, *, max_reply_bytes: int) -> None:
        """`max_reply_bytes` limits all blobs of one reply together."""
        self._connection = connection
        self._max_reply_bytes = max_reply_bytes
        self.served = 0

    def wait_until_ready(self) -> tuple[str, ...]:
        """Waits for the lockdown and returns the parts of it that this machine lacks."""
        until = time.monotonic() + START_SECONDS
        frame = self._receive({FrameKind.READY: 1 << 13, FrameKind.ERROR: MAX_PAYLOADS[FrameKind.ERROR]}, until)
        return _decode(frame.payload, tuple[str, ...])

    def is_idle(self) -> bool:
        """Whether the connection is open and the child has sent nothing unrequested."""
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        return not poll.poll(0)

    def run(
        self, request: bytes, files: Sequence[int], *, value_type: type[V], seconds: float, progress: Report
    ) -> TaskResult[V]:
        until = time.monotonic() + seconds
        with _translated():
            self._connection.settimeout(protocol.time_left(until))
            protocol.send(self._connection, FrameKind.REQUEST, request, files)
        return self._receive_result(value_type, until, in_steps(progress))

    def close(self) -> None:
        self._connection.close()

    def _receive_result(self, value_type: type[V], until: float, progress: Report) -> TaskResult[V]:
        blobs: list[bytes] = []
        bytes_left = self._max_reply_bytes
        while True:
            kind, payload = self._receive({**MAX_PAYLOADS, FrameKind.BLOB: bytes_left}, until)
            if kind is FrameKind.VALUE:
                self.served += 1
                return TaskResult(_decode(payload, value_type), tuple(blobs))
            if kind is FrameKind.BLOB:
                blobs.append(payload)
                bytes_left -= len(payload) + BLOB_COST
            else:
                progress(_decode(payload, float))

    def _receive(self, max_payloads: Mapping[int, int], until: float) -> Frame:
        with _translated():
            frame = protocol.receive(self._connection, max_payloads=max_payloads, until=until)
        if frame.kind is FrameKind.ERROR:
            raise TaskFailed(_decode(frame.payload, ErrorReport))
        return frame


def _decode(payload: bytes, value_type: type[V]) -> V:
    try:
        return msgspec.msgpack.decode(payload, type=value_type)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise ProtocolViolation(f"a value of another shape: {error}") from error


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise ChildTimeout("no reply in time") from error
    except (EOFError, OSError) as error:
        raise ChildExited("the connection has ended") from error
