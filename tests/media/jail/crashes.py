"""How a task goes wrong: it raises, crashes, hangs, or says what it should not."""

import ctypes
import os
import threading
import time

from sparks.model import errors
from tests.media.jail.manners import tell_open_descriptors
from tests.media.jail.task import hands

HANG_SECONDS = 600  # far longer than any test waits


class Bomb(errors.TooLarge):
    """The worker does not know this name, but its ancestor's."""


def refuse(name: str, words: str) -> None:
    raise getattr(errors, name)(words)


def refuse_bomb(words: str) -> None:
    raise Bomb(words)


def refuse_surrogate() -> None:
    raise errors.Damaged("a\ud800b")


def fail(name: str, words: str) -> None:
    kinds = (EOFError, KeyError, KeyboardInterrupt, MemoryError, SystemExit, TimeoutError)
    raise {kind.__name__: kind for kind in kinds}[name](words)


def segfault() -> None:
    ctypes.string_at(0)


def abort() -> None:
    os.abort()


def leave(code: int = 0) -> None:
    os._exit(code)


def leave_later() -> None:
    threading.Timer(0.05, os._exit, [0]).start()


def hang() -> None:
    time.sleep(HANG_SECONDS)


def spin() -> None:
    while True:
        pass


def report_and_hang(fraction: float) -> None:
    hands.report(fraction)
    time.sleep(HANG_SECONDS)


def close_line_and_hang() -> None:
    os.close(line())
    time.sleep(HANG_SECONDS)


def say(words: bytes) -> None:
    os.write(line(), words)


def say_and_hang(words: bytes) -> None:
    os.write(line(), words)
    time.sleep(HANG_SECONDS)


def say_for_ever(words: bytes) -> None:
    while True:
        os.write(line(), words)


def say_later(words: bytes) -> None:
    threading.Timer(0.05, os.write, [line(), words]).start()


def line() -> int:
    """The line to the worker is the one descriptor that is neither standard nor a file that was handed over."""
    return next(number for number in tell_open_descriptors() if number > 2 and number not in hands.files)
