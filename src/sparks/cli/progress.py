"""How far a long command is: a bar on a terminal, now and then a line elsewhere. It goes to stderr."""

import shutil
import sys
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TextIO

DRAWN_EVERY: Final = 0.2  # seconds
TOLD_EVERY: Final = 30.0
REMEMBERED: Final = 60.0  # the rate is that of the last minute
NARROWEST_BAR: Final = 10


class Progress:
    def __init__(
        self, total: int, *, noun: str, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`noun`: what is counted, as `photos`."""
        self._total = total
        self._noun = noun
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()
        self._clock = clock
        self._passed: deque[tuple[float, int]] = deque([(clock(), 0)])
        self._shown_at = clock() if not self._terminal else -DRAWN_EVERY
        self._drawn = False

    def show(self, done: int, *, of: int | None = None, note: str = "") -> None:
        """Told as often as one likes; shown when it is time to. `of`: the total, where it was not known before."""
        self._total = self._total if of is None else of
        now = self._clock()
        if now - self._shown_at < (DRAWN_EVERY if self._terminal else TOLD_EVERY):
            return
        self._shown_at = now
        self._passed.append((now, done))
        while len(self._passed) > 2 and now - self._passed[0][0] > REMEMBERED:
            self._passed.popleft()
        line = ", ".join(filter(None, [*self._words(done), note]))
        if self._terminal:
            self._draw(done, line)
        else:
            print(line, file=self._stream, flush=True)

    def clear(self) -> None:
        """Makes room for other lines; the bar comes back below them."""
        if self._drawn:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
            self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.clear()

    def _words(self, done: int) -> list[str]:
        (began, before), (now, _) = self._passed[0], self._passed[-1]
        rate = (done - before) / (now - began) if now > began else 0.0
        words = [f"{done:,} of {self._total:,} {self._noun}"]
        if rate > 0:
            left = shown_duration((self._total - done) / rate)
            words += [f"{rate:,.1f} a second", f"{left} left"]
        return words

    def _draw(self, done: int, line: str) -> None:
        columns = shutil.get_terminal_size().columns - 1
        room = columns - len(line) - 3
        if room >= NARROWEST_BAR:
            filled = room if self._total == 0 else room * min(done, self._total) // self._total
            line = f"[{'#' * filled}{'-' * (room - filled)}] {line}"
        print(f"\r{line[:columns]}\x1b[K", end="", file=self._stream, flush=True)
        self._drawn = True


def shown_duration(seconds: float) -> str:
    """`42 s`, `3:07 min` or `12:05 h`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"
