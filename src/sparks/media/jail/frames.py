"""The messages on a child's line: a kind, a length and bytes."""

import enum
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from sparks.media.jail.broken import Garbled

HEAD: Final = struct.Struct("<BI")
MOST_FILES: Final = 4


class Kind(enum.IntEnum):
    REQUEST = 1
    READY = 2
    PROGRESS = 3
    BLOB = 4
    VALUE = 5
    TROUBLE = 6


class Frame(NamedTuple):
    kind: Kind
    payload: bytes


def send(line: socket.socket, kind: Kind, payload: bytes, files: Sequence[int] = ()) -> None:
    head = HEAD.pack(kind, len(payload))
    socket.send_fds(line, [head], files) if files else line.sendall(head)
    line.sendall(payload)


def receive(line: socket.socket, *, most: Mapping[int, int], until: float) -> Frame:
    """`most`: the kinds that may come, and how many bytes of each.

    EOFError: the other side is gone. TimeoutError: `until` has passed. Garbled: it is another kind, or longer.
    """
    kind, size = HEAD.unpack(_receive_bytes(line, HEAD.size, until))
    if kind not in most:
        raise Garbled(f"a message of kind {kind}")
    if size > most[kind]:
        raise Garbled(f"a message of {size} bytes and kind {kind}, where {most[kind]} are allowed")
    return Frame(Kind(kind), _receive_bytes(line, size, until))


def receive_with_files(line: socket.socket) -> tuple[bytes, list[int]] | None:
    """For the child, which trusts the worker. The files come along with the first byte. None: the worker is gone."""
    first, files, _, _ = socket.recv_fds(line, 1, MOST_FILES)
    if not first:
        return None
    _, size = HEAD.unpack(first + _receive_bytes(line, HEAD.size - 1))
    return _receive_bytes(line, size), files


def time_left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _receive_bytes(line: socket.socket, size: int, until: float | None = None) -> bytes:
    found = bytearray(size)
    rest = memoryview(found)
    while rest:
        if until is not None:
            line.settimeout(time_left(until))
        count = line.recv_into(rest)
        if not count:
            raise EOFError
        rest = rest[count:]
    return bytes(found)
