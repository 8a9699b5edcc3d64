"""Ids: UUIDv7 where time orders them, numbers for persons, random for the rest.

The 48 bits of milliseconds and the 12 bits behind them are read as one clock of 1/4096 ms (RFC 9562, section 6.2,
method 3) that never stands still: an id takes the time, or one tick more than the id before it, whichever is later. So
the ids of one process ascend, also within a millisecond and when the clock steps back; those of several processes are
ordered as well as their clocks are. The 62 random bits come from the system for each id, so that a forked process
repeats none.
"""

import os
import re
import secrets
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from sparks.model.errors import BadInput
from sparks.model.face import Box
from sparks.model.times import EPOCH, utc

TICKS: Final = 4096  # in a millisecond
RANDOM_ID_LENGTH: Final = 20

_MAX_MILLISECONDS: Final = 1 << 48
_NANOSECONDS: Final = 1_000_000  # in a millisecond
_MILLISECOND: Final = timedelta(milliseconds=1)
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u, which are misread; 5 bits each


class IdClock:
    """Makes ascending ids, also when the clock steps back and for several threads."""

    def __init__(self, read_nanoseconds: Callable[[], int] = time.time_ns) -> None:
        self._read_nanoseconds = read_nanoseconds
        self._last = 0
        self.renew_lock()

    def renew_lock(self) -> None:
        """In a forked process: the lock may be held by a thread that the fork left behind."""
        self._lock = threading.Lock()

    def next_id(self) -> str:
        with self._lock:
            self._last = max(self._last + 1, self._read_nanoseconds() * TICKS // _NANOSECONDS)
            ticks = self._last
        return _uuid7(ticks, secrets.randbits(62))


_clock: Final = IdClock()
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_clock.renew_lock)


def new_image_id() -> str:
    """Later than all ids that this process made before."""
    return _clock.next_id()


def new_album_id() -> str:
    """Later than all ids that this process made before."""
    return _clock.next_id()


def new_event_id() -> str:
    """Later than all ids that this process made before."""
    return _clock.next_id()


def image_id_at(time: datetime) -> str:
    """The id of a photo that was uploaded elsewhere at that time; random among those of the same millisecond."""
    return _uuid7(_milliseconds(time) * TICKS + secrets.randbelow(TICKS), secrets.randbits(62))


def uuid7_of(time: datetime, drawn: int) -> str:
    """The id of that time which `drawn`, a number such as a hash, chooses: always the same for the same number."""
    return _uuid7(_milliseconds(time) * TICKS + drawn % TICKS, drawn >> 12 & (1 << 62) - 1)


def lowest_id_at(time: datetime) -> str:
    """Sorts before all ids that are made at that time or later, and after all of an earlier millisecond."""
    return _uuid7(_milliseconds(time) * TICKS, 0)


def face_id(image_id: str, engine: str, box: Box, *, uploaded_at: datetime | None = None) -> str:
    """The photo's time, then a hash: the same face found again by the same engine has the same id. The id of a photo of
    another writer may hold no time: then it is `uploaded_at`, or 1970.
    """
    hashed = f"{image_id}#{box.left:.6f}#{box.top:.6f}#{box.width:.6f}#{box.height:.6f}#{engine}"
    try:
        time = time_of(image_id)
    except BadInput:
        time = max(EPOCH, uploaded_at or EPOCH)
    return uuid7_of(time, int.from_bytes(sha256(hashed.encode()).digest()))


def time_of(uuid7: str) -> datetime:
    """When the id was made, to the millisecond; BadInput unless it is a UUIDv7."""
    if checked_uuid(uuid7)[14] != "7" or uuid7[19] not in "89ab":
        raise BadInput(f"not an id that holds its time: {uuid7}")
    try:
        return EPOCH + int(uuid7[:8] + uuid7[9:13], 16) * _MILLISECOND
    except OverflowError as error:
        raise BadInput(f"an id of a time out of the calendar: {uuid7}") from error


def checked_uuid(text: str) -> str:
    """The id, or BadInput. Any version is valid, since other libraries have random ids, but only in our spelling."""
    if not is_uuid(text):
        raise BadInput(f"not an id like 0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a: {text[:40]!r}")
    return text


def is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None


def person_id(number: int) -> str:
    if number < 1:
        raise BadInput(f"persons are counted from 1, not from {number}")
    return f"person{number}"


def random_id() -> str:
    """An id without an order: 100 random bits, in letters and digits that are easy to read out."""
    return "".join(_LETTERS[byte % 32] for byte in secrets.token_bytes(RANDOM_ID_LENGTH))


def _milliseconds(time: datetime) -> int:
    milliseconds = (utc(time) - EPOCH) // _MILLISECOND
    if not 0 <= milliseconds < _MAX_MILLISECONDS:
        raise BadInput(f"no id can hold the time {time}")
    return milliseconds


def _uuid7(ticks: int, drawn: int) -> str:
    milliseconds, tick = divmod(ticks, TICKS)
    digits = f"{milliseconds << 80 | 0x7 << 76 | tick << 64 | 0b10 << 62 | drawn:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
