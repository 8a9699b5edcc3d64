"""The worker's end of the line to one child, whose every word is doubted."""

import select
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

import msgspec

from sparks.media.jail import frames
from sparks.media.jail.answer import Answer
from sparks.media.jail.broken import Garbled, Gone, Late, Told
from sparks.media.jail.frames import Frame, Kind
from sparks.media.jail.progress import Report, in_steps
from sparks.media.jail.trouble import Trouble

V = TypeVar("V")
START_SECONDS: Final = 15.0
SMALL: Final[dict[int, int]] = {Kind.PROGRESS: 16, Kind.TROUBLE: 1 << 13, Kind.VALUE: 1 << 20}
BLOB_COST: Final = 1 << 10  # on top of its length, so that there are not too many


class Cell:
    """One request at a time. Raises what `broken.py` draws."""

    def __init__(self, line: socket.socket, *, most_bytes: int) -> None:
        """`most_bytes`: of all blobs of one answer."""
        self._line = line
        self._most_bytes = most_bytes
        self.answered = 0

    def wait_until_ready(self) -> tuple[str, ...]:
        """Tells what of the jail is missing."""
        until = time.monotonic() + START_SECONDS
        frame = self._receive({Kind.READY: 1 << 13, Kind.TROUBLE: SMALL[Kind.TROUBLE]}, until)
        return _decode(frame.payload, tuple[str, ...])

    def is_quiet(self) -> bool:
        """The line is open, and nothing was said without being asked."""
        watch = select.poll()
        watch.register(self._line, select.POLLIN)
        return not watch.poll(0)

    def ask(
        self, request: bytes, files: Sequence[int], *, answer: type[V], seconds: float, progress: Report
    ) -> Answer[V]:
        until = time.monotonic() + seconds
        with _translated():
            self._line.settimeout(frames.time_left(until))
            frames.send(self._line, Kind.REQUEST, request, files)
        return self._listen(answer, until, in_steps(progress))

    def close(self) -> None:
        self._line.close()

    def _listen(self, answer: type[V], until: float, progress: Report) -> Answer[V]:
        blobs: list[bytes] = []
        room = self._most_bytes
        while True:
            kind, payload = self._receive({**SMALL, Kind.BLOB: room}, until)
            if kind is Kind.VALUE:
                self.answered += 1
                return Answer(_decode(payload, answer), tuple(blobs))
            if kind is Kind.BLOB:
                blobs.append(payload)
                room -= len(payload) + BLOB_COST
            else:
                progress(_decode(payload, float))

    def _receive(self, most: Mapping[int, int], until: float) -> Frame:
        with _translated():
            frame = frames.receive(self._line, most=most, until=until)
        if frame.kind is Kind.TROUBLE:
            raise Told(_decode(frame.payload, Trouble))
        return frame


def _decode(payload: bytes, kind: type[V]) -> V:
    try:
        return msgspec.msgpack.decode(payload, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise Garbled(f"a value of another shape: {error}") from error


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise Late("no answer in time") from error
    except (EOFError, OSError) as error:
        raise Gone("the line has ended") from error
