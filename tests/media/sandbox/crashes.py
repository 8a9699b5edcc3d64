"""Tasks that fail: they raise, crash, hang, or break the protocol."""

import ctypes
import os
import threading
import time

from sparks.model import errors
from tests.media.sandbox.good_tasks import open_descriptors
from tests.media.sandbox.tasks import context

HANG_SECONDS = 600  # far longer than any test waits


class Bomb(errors.TooLarge):
    """An error whose name the worker does not know; it knows that of its base class."""


def refuse(name: str, message: str) -> None:
    raise getattr(errors, name)(message)


def refuse_bomb(message: str) -> None:
    raise Bomb(message)


def refuse_surrogate() -> None:
    raise errors.Damaged("a\ud800b")


def fail(name: str, message: str) -> None:
    kinds = (EOFError, KeyError, KeyboardInterrupt, MemoryError, SystemExit, TimeoutError)
    raise {kind.__name__: kind for kind in kinds}[name](message)


def segfault() -> None:
    ctypes.string_at(0)


def abort() -> None:
    os.abort()


def exit_now(code: int = 0) -> None:
    os._exit(code)


def exit_later() -> None:
    threading.Timer(0.05, os._exit, [0]).start()


def hang() -> None:
    time.sleep(HANG_SECONDS)


def spin() -> None:
    while True:
        pass


def report_and_hang(fraction: float) -> None:
    context.report(fraction)
    time.sleep(HANG_SECONDS)


def close_connection_and_hang() -> None:
    os.close(connection())
    time.sleep(HANG_SECONDS)


def send(message: bytes) -> None:
    os.write(connection(), message)


def send_and_hang(message: bytes) -> None:
    os.write(connection(), message)
    time.sleep(HANG_SECONDS)


def send_forever(message: bytes) -> None:
    while True:
        os.write(connection(), message)


def send_later(message: bytes) -> None:
    threading.Timer(0.05, os.write, [connection(), message]).start()


def connection() -> int:
    """The connection to the worker: the one descriptor that is neither standard nor a file of the request."""
    return next(number for number in open_descriptors() if number > 2 and number not in context.files)
