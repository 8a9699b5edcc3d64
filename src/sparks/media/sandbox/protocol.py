"""Protocol between worker, fork server and child: frames, messages, progress and failures.

ChildFailure
├── ChildTimeout         the child took longer than allowed
├── ChildExited          the child ended, or closed its connection
├── ProtocolViolation    the child sent a message that the protocol does not allow
└── TaskFailed           the task raised an error, and the child reported it
"""

import enum
import logging
import signal
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from sparks.model.errors import Damaged, SparksError, TooLarge, Unavailable, UnsupportedType

FILE_ERRORS: Final = {kind.__name__: kind for kind in (Damaged, TooLarge, UnsupportedType)}
"""Errors of a task that are about the file, and are raised again in the worker; any other error is the decoder's."""
OUT_OF_MEMORY: Final = MemoryError.__name__
MAX_MESSAGE: Final = 500  # characters of an error message
HEADER: Final = struct.Struct("<BI")
MAX_FILES: Final = 4  # of one request
MIN_STEP: Final = 0.01  # between two reports of progress
FORK: Final = b"fork"  # sent with the child's end of its connection
END: Final = b"end"
MAX_BYTES: Final = 1 << 16  # of a message between worker and fork server

V = TypeVar("V")
Report = Callable[[float], None]

log = logging.getLogger(__name__)


class ErrorReport(msgspec.Struct, frozen=True):
    name: str
    message: str

    @property
    def file_error(self) -> SparksError | None:
        """The error to raise again, with a message that is safe to log and to show; None for a decoder's own error."""
        kind = FILE_ERRORS.get(self.name)
        return kind(self.printable_message) if kind else None

    @property
    def printable_message(self) -> str:
        return "".join(letter if letter.isprintable() else " " for letter in self.message[:MAX_MESSAGE])


def error_report(error: BaseException) -> ErrorReport:
    """The report, under the name of the error's closest base class that the worker knows, or else its own."""
    names = [kind.__name__ for kind in type(error).__mro__]
    known = (name for name in names if name in FILE_ERRORS or name == OUT_OF_MEMORY)
    message = str(error)[:MAX_MESSAGE].encode(errors="replace").decode()
    return ErrorReport(name=next(known, names[0]), message=message)


class ChildFailure(Exception):
    """A child failed; it is replaced after each of these."""


class ChildTimeout(ChildFailure):
    """The child took longer than allowed."""


class ChildExited(ChildFailure):
    """The child ended, or closed its connection."""


class ProtocolViolation(ChildFailure):
    """The child sent an unknown frame, too many bytes, or a value of another shape."""


class TaskFailed(ChildFailure):
    """The task raised an error, and the child reported it."""

    def __init__(self, error: ErrorReport) -> None:
        super().__init__(f"{error.name}: {error.printable_message}")
        self.error = error


def error_for(failure: ChildFailure, *, exit_status: int | None) -> SparksError:
    """The error to raise in the worker.

    `exit_status` is the child's exit code, or a negative signal number; None where the fork server ended as well.
    """
    if isinstance(failure, TaskFailed) and (file_error := failure.error.file_error):
        return file_error
    if exit_status is None:
        return Unavailable("the decoders' parent process has ended while a file was decoded; another is started")
    reason = _reason(failure, exit_status)
    log.warning("a file could not be decoded: %s", reason, extra={"detail": str(failure), "ending": exit_status})
    return Damaged(f"the file could not be decoded: {reason}")


def _reason(failure: ChildFailure, exit_status: int) -> str:
    match failure:
        case ChildTimeout():
            return "the decoder took too long"
        case ProtocolViolation():
            return "the decoder gave no proper answer"
        case TaskFailed() if failure.error.name != OUT_OF_MEMORY:
            return "the decoder failed"
        case ChildExited() if exit_status != -signal.SIGKILL:  # the kernel sends SIGKILL where memory runs out
            return "the decoder crashed"
        case _:
            return "the decoder needed too much memory"


class FrameKind(enum.IntEnum):
    REQUEST = 1
    READY = 2
    PROGRESS = 3
    BLOB = 4
    VALUE = 5
    ERROR = 6


class Frame(NamedTuple):
    kind: FrameKind
    payload: bytes


def send(connection: socket.socket, kind: FrameKind, payload: bytes, files: Sequence[int] = ()) -> None:
    header = HEADER.pack(kind, len(payload))
    socket.send_fds(connection, [header], files) if files else connection.sendall(header)
    connection.sendall(payload)


def receive(connection: socket.socket, *, max_payloads: Mapping[int, int], until: float) -> Frame:
    """The next frame. `max_payloads` gives the allowed kinds, and the most bytes of each.

    EOFError where the connection has ended, TimeoutError where `until` has passed, ProtocolViolation for a frame of
    another kind or one that is too long.
    """
    kind, size = HEADER.unpack(_receive_bytes(connection, HEADER.size, until))
    if kind not in max_payloads:
        raise ProtocolViolation(f"a message of kind {kind}")
    if size > max_payloads[kind]:
        raise ProtocolViolation(f"a message of {size} bytes and kind {kind}, where {max_payloads[kind]} are allowed")
    return Frame(FrameKind(kind), _receive_bytes(connection, size, until))


def receive_with_files(connection: socket.socket) -> tuple[bytes, list[int]] | None:
    """A request and its files, for the child, which trusts the worker; None where the worker has ended.

    The files arrive with the first byte.
    """
    first, files, _, _ = socket.recv_fds(connection, 1, MAX_FILES)
    if not first:
        return None
    _, size = HEADER.unpack(first + _receive_bytes(connection, HEADER.size - 1))
    return _receive_bytes(connection, size), files


def time_left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _receive_bytes(connection: socket.socket, size: int, until: float | None = None) -> bytes:
    received = bytearray(size)
    rest = memoryview(received)
    while rest:
        if until is not None:
            connection.settimeout(time_left(until))
        count = connection.recv_into(rest)
        if not count:
            raise EOFError
        rest = rest[count:]
    return bytes(received)


@dataclass(frozen=True, slots=True)
class TaskResult(Generic[V]):
    """Result of a task. `value` is a type that msgspec encodes, in at most one megabyte."""

    value: V
    blobs: Sequence[bytes] = ()


def in_steps(report: Report) -> Report:
    """A report that passes on a fraction only if it grew by a step, so a hundred times at most; others are ignored."""
    last = 0.0

    def report_step(fraction: float) -> None:
        nonlocal last
        if last + MIN_STEP <= fraction <= 1:
            last = fraction
            report(fraction)

    return report_step


class ForkServerSettings(msgspec.Struct, frozen=True):
    """The worker's first message."""

    task: str
    preload: str
    memory: int
    output: int


class ForkServerReply(msgspec.Struct, frozen=True):
    """`exit_status` is the child's exit code, or a negative signal number; `error` says why a request failed."""

    exit_status: int = 0
    error: str = ""
